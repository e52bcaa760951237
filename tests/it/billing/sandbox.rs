//! `POST /sandbox/accounts`.

use super::csv::{Csv, done};
use crate::support::meter::{EARLIER, event_with};
use crate::support::response::id;
use crate::support::{Server, fresh_uuid, json};

#[tokio::test]
async fn a_minted_account_has_all_that_a_seller_begins_with() {
    let server = Server::start().await;
    let minted = server.billing().post("/sandbox/accounts", &json!({})).await.is(201);
    assert!(minted["sellerAccountId"].as_u64().is_some());
    let uuid = minted["sellerAccountUuid"].as_str().expect("a UUID");
    assert!(uuid::Uuid::parse_str(uuid).is_ok());
    assert_eq!(
        (&minted["mode"], &minted["expiresAt"]),
        (&json!("demo"), &json!("2027-01-29T09:00:00Z"))
    );
    let key = minted["apiKey"].as_str().expect("a key");
    assert!(key.starts_with("sk_test_") && key.len() > 40, "{key}");
    let count = |list: &str| minted[list].as_array().map_or(0, Vec::len);
    assert_eq!((count("customers"), count("payees")), (3, 2));
    assert!(minted["customers"][0]["email"].is_string());
    assert!(minted["payees"][0]["displayName"].is_string());
    assert!(count("wallets") >= 1 && minted["wallets"][0]["currency"] == "EUR");
    assert!(minted["terminalId"].as_u64().is_some());
    assert!(minted["splitRuleId"].as_u64().is_some());
    assert!(minted["dashboard"]["email"].is_string());
    assert!(minted["dashboard"]["password"].as_str().is_some_and(|word| word.len() >= 12));
    let seller = server.seller().await;
    assert_ne!(seller.id, minted["sellerAccountId"].as_u64().expect("an id"));
    let customer = seller.billing.get(&format!("/customers/{}", seller.customer())).await.is(200);
    assert_eq!(id(&customer), seller.customer());
    server.close().await;
}

#[tokio::test]
async fn one_key_works_on_both_surfaces_until_it_expires() {
    let server = Server::start().await;
    let seller = server.seller().await;
    seller.billing.get("/contracts").await.is(200);
    seller.payments.get("/webhooks").await.is(200);
    server.pass_seconds(14 * 86_400 - 1);
    seller.billing.get("/contracts").await.is(200);
    server.pass_seconds(1);
    for response in [seller.billing.get("/contracts").await, seller.payments.get("/webhooks").await]
    {
        assert_eq!((response.status, response.media_type()), (401, "text/plain"));
    }
    server.close().await;
}

#[tokio::test]
async fn no_account_is_minted_outside_demo_mode() {
    let server = Server::with(&[("demo", "false")]).await;
    let response = server.billing().post("/sandbox/accounts", &json!({})).await;
    response.has_status(503);
    assert!(!response.error().is_empty());
    server.close().await;
}

#[tokio::test]
async fn an_address_mints_so_many_an_hour() {
    let mut server = Server::with(&[("limits.sandbox_per_hour", "2")]).await;
    for _ in 0..2 {
        server.seller().await;
    }
    // A restart forgets none of them.
    server.restart().await;
    let refused = server.billing().post("/sandbox/accounts", &json!({})).await;
    refused.has_status(429);
    let wait: i64 = refused.header("retry-after").expect("Retry-After").parse().expect("seconds");
    assert!((1..=3600).contains(&wait), "{wait}");
    server.pass_seconds(wait);
    server.seller().await;
    server.close().await;
}

#[tokio::test]
async fn agreement_numbers_are_the_sellers_own() {
    let server = Server::start().await;
    let mut numbers = Vec::new();
    for _ in 0..2 {
        let seller = server.seller().await;
        let contract = seller.contract("2027-01-15").await;
        let invoice = seller.one_time(contract, 100).await;
        let number = invoice["invoiceNumber"].as_str().expect("a number");
        numbers.push(number.split_once('-').expect("a dash").0.to_owned());
    }
    assert_eq!(numbers, ["1000001", "1000002"]);
    server.close().await;
}

/// Text that no compression makes shorter.
fn noise(seed: u64, length: usize) -> String {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let letters = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let letter = |_| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        char::from(letters[(state % 64) as usize])
    };
    (0..length).map(letter).collect()
}

#[tokio::test]
async fn an_account_that_keeps_as_much_as_it_may_takes_no_more_writes() {
    let server = Server::with(&[("limits.sandbox_mib", "1")]).await;
    let (seller, other) = (server.seller().await, server.seller().await);
    let contract = seller.metered("2027-01-15").await;
    let batch = |round: u64| -> Vec<crate::support::Value> {
        (0..25)
            .map(|n| {
                let text = noise(round * 100 + n, 15_000);
                event_with(contract, &format!("{round} {n}"), json!({"metadata": {"a": text}}))
            })
            .collect()
    };
    let mut taken = 0;
    loop {
        let body = json!({"events": batch(taken)});
        let response = seller.billing.post("/usage/events:batch", &body).await;
        if response.status == 507 {
            let full = "a sandbox account keeps at most 1 MiB, and this one is full";
            response.refuses_saying(507, full);
            break;
        }
        response.is(200);
        taken += 1;
        assert!(taken < 10, "more is kept than may be");
    }
    // 375 KB in each: the third crosses the mark.
    assert!((3..=4).contains(&taken), "{taken}");
    assert_eq!(seller.used(contract, "api.calls").await, (taken * 25).to_string());
    seller
        .payments
        .post("/webhooks", &json!({"webhookUrl": "https://a.example/"}))
        .await
        .has_status(507);
    // What stores nothing is answered.
    let sale = json!({"sellerCountry": "DE", "customerCountry": "FR", "amountMinor": 1000});
    seller.billing.post("/tax/evaluate", &sale).await.is(200);
    let simulated = json!({"to": "2027-03-01T00:00:00Z"});
    seller.billing.post(&format!("/contracts/{contract}/simulate"), &simulated).await.is(200);
    // Time goes on for it, and everything for others.
    server.operator.post("/passes/billing.usage.close_pass/run", &json!({})).await.is(200);
    other.contract("2027-01-15").await;
    server.close().await;
}

#[tokio::test]
async fn an_upload_stops_where_its_account_keeps_as_much_as_it_may() {
    let server = Server::with(&[("limits.sandbox_mib", "1")]).await;
    let seller = server.seller().await;
    let contract = seller.metered("2027-01-15").await;
    // A row is two bytes of the file, and much more on the disk.
    let mapping = json!({
        "contractId": {"const": contract.to_string()}, "metric": {"const": "api.calls"},
        "quantity": "q", "occurredAt": {"const": EARLIER},
        "metadata": {"a": {"const": noise(1, 7_000)}},
    });
    let file = format!("q\n{}", "1\n".repeat(6_000));
    let accepted = Csv::of(&file, &mapping).send(&seller.billing).await.is(202);
    let end = done(&seller, &accepted).await;
    let full = "a sandbox account keeps at most 1 MiB, and this one is full";
    assert_eq!((&end["status"], &end["reason"]), (&json!("stopped"), &json!(full)));
    let taken = end["ingested"].as_u64().expect("a number");
    assert!((1..=3_000).contains(&taken), "{taken}");
    assert_eq!((&end["stoppedAtRow"], &end["parked"]), (&json!(taken), &json!(0)));
    assert_eq!(seller.used(contract, "api.calls").await, taken.to_string());
    let more = Csv::of(&file, &mapping).send(&seller.billing).await;
    more.refuses_saying(507, full);
    server.close().await;
}

#[tokio::test]
async fn an_account_is_removed_some_days_after_its_end_with_all_it_owns() {
    let mut server = Server::start().await;
    let seller = server.seller().await;
    let contract = seller.metered("2027-01-15").await;
    for n in 0..3 {
        seller.record(&event_with(contract, &n.to_string(), json!({}))).await;
    }
    let invoice = seller.one_time(contract, 100).await;
    let page = invoice["paymentUrl"].as_str().expect("a page").to_owned();
    let path = page.split_once("://").and_then(|(_, rest)| rest.split_once('/')).expect("a path").1;
    let webhook = json!({"webhookUrl": "https://a.example/"});
    seller.payments.create("/webhooks", &fresh_uuid(), &webhook).await.is(201);
    server.pass_seconds(20 * 86_400);
    let young = server.seller().await;
    young.contract("2027-02-04").await;
    server.restart().await;
    let address = |server: &Server| format!("{}/{path}", server.anonymous.origin);
    assert_ne!(server.anonymous.get(&address(&server)).await.status, 404);
    server.pass_seconds(86_400 + 1);
    server.restart().await;
    crate::support::until("a removed account", async || {
        (server.anonymous.get(&address(&server)).await.status == 404).then_some(())
    })
    .await;
    let gone = server.again(&seller).billing.get("/contracts").await;
    assert_eq!((gone.status, gone.media_type()), (401, "text/plain"));
    crate::support::until("nothing that is left", async || {
        let store = &server.app().store;
        let whose = actors::domain::ids::SellerId(seller.id);
        let left = |tag: &u16| store.keys_under(*tag, &(whose,), 1).expect("read").len();
        let owned: usize = actors::tables::OWNED.iter().map(left).sum();
        let told = |table: &actors::tables::Told| {
            table
                .sweep(store, &[whose].into(), storage::Scan::all(), 10_000)
                .expect("read")
                .deletes
                .rows()
        };
        let told: usize = actors::tables::TOLD.iter().map(told).sum();
        (owned + told == 0).then_some(())
    })
    .await;
    let young = server.again(&young);
    assert_eq!(young.billing.get("/contracts").await.is(200)["contracts"][0]["version"], 1);
    server.close().await;
}
