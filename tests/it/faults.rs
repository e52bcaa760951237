//! What test builds alone can do: rooms that panic, a limiter that is cut off.

use accrue::http::ApiError;
use actors::domain::billing::contract::Amendment;
use actors::domain::ids::{ContractId, SellerId};
use actors::domain::time::Timestamp;
use actors::kernel::AskError;
use futures::future::join_all;

use crate::support::make::line;
use crate::support::{Server, fresh, json};

#[tokio::test]
async fn a_contract_room_that_panics_is_rebuilt_and_disturbs_nobody() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let (broken, neighbour) =
        (seller.contract("2027-01-15").await, seller.contract("2027-01-15").await);
    let amend = async |contract: u64, version: u64| {
        let path = format!("/contracts/{contract}/amendments");
        seller.billing.post(&path, &json!({"expectedBaseVersion": version})).await
    };
    for version in 1..=5 {
        let contracts = &server.app().contracts;
        let panic = contracts.panic(SellerId(seller.id), ContractId(broken));
        let (died, other) = tokio::join!(panic, amend(neighbour, version));
        let problem = ApiError::from(died.expect_err("a room that panics gives no answer"));
        assert_eq!(problem.status(), 500);
        assert!(problem.text().contains("unanswered"), "{problem}");
        other.is(200);
        assert_eq!(amend(broken, version).await.is(200)["version"], version + 1);
    }
    let list = seller.billing.get(&format!("/contracts/{broken}/versions")).await.is(200);
    assert_eq!(list["versions"].as_array().map(Vec::len), Some(6));
    server.close().await;
}

#[tokio::test]
async fn who_waits_for_a_room_that_panics_is_served_by_its_successor() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let contract = seller.contract("2027-01-15").await;
    for _ in 0..150 {
        seller.subscribe(contract, "2027-01-15", json!({"frequency": "weekly"})).await;
    }
    let (owner, id) = (SellerId(seller.id), ContractId(contract));
    let contracts = &server.app().contracts;
    let year = Timestamp::parse("2028-01-15T09:00:00Z").expect("an instant");
    let amend = || {
        contracts.amend(owner, id, Amendment { expected_base_version: 1, ..Amendment::default() })
    };
    // This thread runs the room too: all of it waits in the room's queue, in this order, before
    // the room takes the first.
    let (advanced, died, waiting) = futures::join!(
        contracts.advance_clock(owner, id, year),
        contracts.panic(owner, id),
        join_all((0..10).map(|_| amend())),
    );
    let renewed = advanced.expect("done before the panic").lifecycle.renewed;
    assert_eq!(renewed, 150 * 52);
    assert_eq!(ApiError::from(died.expect_err("a room that panics gives no answer")).status(), 500);
    let statuses = waiting.into_iter().map(|done| match done {
        Ok(_) => 200,
        Err(error) => ApiError::from(error).status().as_u16(),
    });
    let statuses: Vec<u16> = statuses.collect();
    let count = |status| statuses.iter().filter(|found| **found == status).count();
    assert_eq!((count(200), count(422)), (1, 9), "{statuses:?}");
    let now = seller.billing.get(&format!("/contracts/{contract}")).await.is(200);
    assert_eq!(now["version"], 2);
    server.close().await;
}

#[tokio::test]
async fn a_seller_room_that_panics_is_rebuilt() {
    let server = Server::start().await;
    let (seller, other) = (server.seller().await, server.seller().await);
    let body = json!({"email": "a@example.com"});
    let made = seller.billing.post("/customers", &body).await.is(200);
    let died = server.app().sellers.panic(SellerId(seller.id)).await;
    assert_eq!(died, Err(AskError::Unanswered));
    assert_eq!(seller.billing.post("/customers", &body).await.is(200), made);
    other.billing.post("/customers", &body).await.is(200);
    server.close().await;
}

#[tokio::test]
async fn without_the_limiter_the_three_quota_writes_wait_and_everything_else_passes() {
    let settings = [
        ("limits.contracts_per_day", "20"),
        ("limits.amendments_per_day", "200"),
        ("limits.invoices_per_day", "500"),
        ("limits.billing_per_hour", "1000"),
    ];
    let server = Server::with(&settings).await;
    let seller = server.seller().await;
    let contract = seller.contract("2027-01-15").await;
    server.app().limiter.cut_off(true);
    let new = json!({
        "sellerCustomerId": seller.customer(), "currency": "EUR", "startDate": "2027-01-15",
    });
    let amendments = format!("/contracts/{contract}/amendments");
    let invoice = json!({"contractId": contract, "origin": "one_time", "lines": [line("x", 1)]});
    let refused = [
        seller.billing.create("/contracts", &fresh("k"), &new).await,
        seller.billing.post(&amendments, &json!({"expectedBaseVersion": 1})).await,
        seller.billing.create("/invoices", &fresh("k"), &invoice).await,
    ];
    for response in refused {
        response.has_status(503);
        let wait: u32 =
            response.header("retry-after").expect("Retry-After").parse().expect("seconds");
        assert!(wait >= 1);
        assert!(!response.error().is_empty());
    }
    let read = seller.billing.get(&format!("/contracts/{contract}")).await;
    for name in ["x-ratelimit-limit", "x-ratelimit-remaining", "ratelimit", "ratelimit-policy"] {
        assert_eq!(read.header(name), None, "{name}");
    }
    assert_eq!(read.is(200)["version"], 1, "nothing was written");
    seller.subscribe(contract, "2027-01-15", json!({})).await;
    assert_eq!(seller.billing.all("/contracts", "contracts").await.len(), 1);
    assert_eq!(seller.billing.all("/invoices", "invoices").await.len(), 0);
    server.seller().await;
    server.app().limiter.cut_off(false);
    let made = seller.billing.create("/contracts", &fresh("k"), &new).await;
    assert!(made.header("x-ratelimit-limit").is_some());
    made.is(201);
    server.close().await;
}

#[tokio::test]
async fn an_unmetered_quota_never_waits_for_the_limiter() {
    let server = Server::start().await;
    let seller = server.seller().await;
    server.app().limiter.cut_off(true);
    seller.contract("2027-01-15").await;
    server.close().await;
}
