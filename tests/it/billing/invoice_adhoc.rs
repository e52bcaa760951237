//! `POST /invoices` of origin `adhoc`.

use crate::support::make::{line, with};
use crate::support::response::column;
use crate::support::{Seller, Server, Value, fresh, json};

fn least() -> Value {
    json!({
        "origin": "adhoc", "currency": "SEK", "billTo": {"email": "nils@example.com"},
        "lines": [line("Talk", 1000)],
    })
}

async fn customers(seller: &Seller) -> usize {
    let list = seller.billing.get("/customers").await.is(200);
    column(&list, "customers", "id").len()
}

async fn contracts(seller: &Seller) -> usize {
    seller.billing.all("/contracts", "contracts").await.len()
}

#[tokio::test]
async fn a_refused_request_leaves_neither_customer_nor_contract() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let before = (customers(&seller).await, contracts(&seller).await);
    for (more, status) in [
        (json!({"dueDate": "2027-01-14"}), 400),
        (json!({"lines": [line("Rebate", -1)]}), 422),
        (json!({"collectionMethod": "bank_transfer", "send": true}), 422),
        (json!({"lines": [line("Much", 1_000_000_000_000_000), line("Too", 1)]}), 400),
    ] {
        let body = with(&least(), more);
        seller.billing.create("/invoices", "k", &body).await.has_status(status);
    }
    assert_eq!((customers(&seller).await, contracts(&seller).await), before);
    seller.billing.create("/invoices", "k", &least()).await.is(201);
    server.close().await;
}

#[tokio::test]
async fn a_replay_makes_nothing_and_another_recipient_is_a_difference() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let made = seller.billing.create("/invoices", "k", &least()).await.is(201);
    let before = (customers(&seller).await, contracts(&seller).await);
    let shouted = with(&least(), json!({"billTo": {"email": "NILS@example.com"}}));
    assert_eq!(seller.billing.create("/invoices", "k", &shouted).await.is(200), made);
    let other = with(&least(), json!({"billTo": {"email": "eva@example.com"}}));
    seller.billing.create("/invoices", "k", &other).await.refuses(422, "billTo.email");
    let contract = with(&least(), json!({"origin": "project", "contractId": made["contractId"]}));
    seller.billing.create("/invoices", "k", &contract).await.refuses(422, "contractId");
    assert_eq!((customers(&seller).await, contracts(&seller).await), before);
    server.close().await;
}

#[tokio::test]
async fn many_at_once_share_one_customer_and_one_contract() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let before = (customers(&seller).await, contracts(&seller).await);
    let asked = (0..20).map(|_| {
        let seller = seller.clone();
        tokio::spawn(async move {
            seller.billing.create("/invoices", &fresh("adhoc"), &least()).await.is(201)
        })
    });
    for made in futures::future::join_all(asked).await {
        made.expect("no panic");
    }
    assert_eq!((customers(&seller).await, contracts(&seller).await), (before.0 + 1, before.1 + 1));
    assert_eq!(seller.billing.all("/invoices", "invoices").await.len(), 20);
    server.close().await;
}

#[tokio::test]
async fn the_recipient_fills_what_the_customer_lacks() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let known = json!({"email": "nils@example.com", "name": "Nils", "companyName": "Fjord"});
    let known = seller.billing.post("/customers", &known).await.is(200);
    let bill_to = json!({
        "email": "nils@example.com", "name": "N. Holm", "phone": "+46 1", "city": "Umeå",
    });
    let made = seller.invoice(with(&least(), json!({"billTo": bill_to}))).await;
    assert_eq!(made["sellerCustomerId"], known["id"]);
    let printed = json!({
        "email": "nils@example.com", "name": "N. Holm", "phone": "+46 1", "companyName": "Fjord",
        "city": "Umeå",
    });
    assert_eq!(made["billTo"], printed);
    let now = seller.billing.get(&format!("/customers/{}", known["id"])).await.is(200);
    assert_eq!((&now["name"], &now["phone"]), (&json!("Nils"), &json!("+46 1")));
    server.close().await;
}
