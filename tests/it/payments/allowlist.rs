//! `/webhook-allowlist`.

use crate::support::response::{column, id};
use crate::support::{Receiver, Server, Value, fresh_uuid, json, until};

#[tokio::test]
async fn a_bare_address_is_a_network_of_one() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let post = async |cidr: &str| {
        let body = json!({"cidr": cidr, "description": "Office"});
        seller.payments.create("/webhook-allowlist", &fresh_uuid(), &body).await
    };
    for (given, kept) in [
        ("203.0.113.7", "203.0.113.7/32"),
        ("198.51.100.0/24", "198.51.100.0/24"),
        ("2001:db8::1", "2001:db8::1/128"),
        ("2001:db8::/32", "2001:db8::/32"),
    ] {
        let made = post(given).await.is(201);
        assert_eq!((&made["cidr"], &made["description"]), (&json!(kept), &json!("Office")));
    }
    for wrong in ["", "example.com", "300.0.0.1", "10.0.0.0/33"] {
        post(wrong).await.refuses(400, "cidr");
    }
    let missing = seller.payments.create("/webhook-allowlist", &fresh_uuid(), &json!({})).await;
    missing.refuses(400, "cidr");
    let list = seller.payments.get("/webhook-allowlist").await.is(200);
    assert_eq!(column(&list, "allowlist", "cidr")[0], "2001:db8::/32", "newest first");
    assert_eq!(list["allowlist"].as_array().map(Vec::len), Some(4));
    let path = format!("/webhook-allowlist/{}", id(&list["allowlist"][0]));
    seller.payments.delete(&path).await.is(200);
    seller.payments.delete(&path).await.has_status(404);
    let list = seller.payments.get("/webhook-allowlist").await.is(200);
    assert_eq!(list["allowlist"].as_array().map(Vec::len), Some(3));
    server.close().await;
}

#[tokio::test]
async fn an_allowlist_narrows_at_each_attempt() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let receiver = Receiver::start().await;
    let body = json!({"webhookUrl": receiver.url("/"), "eventTypes": ["InvoiceIssued"]});
    seller.payments.create("/webhooks", &fresh_uuid(), &body).await.is(201);
    let body = json!({"cidr": "203.0.113.0/24"});
    let made = seller.payments.create("/webhook-allowlist", &fresh_uuid(), &body).await.is(201);
    let contract = seller.contract("2027-01-15").await;
    seller.one_time(contract, 100).await;
    let kept_away: Value = until("an attempt that was kept away", async || {
        let list = seller.payments.get("/webhook-deliveries").await.is(200);
        let first = list["deliveries"][0].clone();
        (first["attempts"].as_u64() >= Some(1)).then_some(first)
    })
    .await;
    assert_eq!(kept_away["status"], "pending");
    assert_eq!(receiver.deliveries().len(), 0);
    seller.payments.delete(&format!("/webhook-allowlist/{}", id(&made))).await.is(200);
    server.pass_seconds(60);
    receiver.wait_for_type("InvoiceIssued").await;
    server.close().await;
}
