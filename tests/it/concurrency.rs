//! Many at once: one wins, nothing is made twice, nothing has gaps.

use std::collections::BTreeSet;

use futures::future::join_all;

use crate::support::buyer::{GOOD, page_of};
use crate::support::make::line;
use crate::support::response::{column, id};
use crate::support::{Receiver, Response, Server, Value, fresh, fresh_uuid, json, until};

fn with_status(responses: &[Response], status: u16) -> usize {
    responses.iter().filter(|one| one.status == status).count()
}

/// The last three letters of an invoice's number as a number: AAA is 0.
fn order(number: &Value) -> u64 {
    let number = number.as_str().expect("a number");
    let letters = &number[number.len() - 3..];
    letters.bytes().fold(0, |sum, letter| sum * 26 + u64::from(letter - b'A'))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_40_amendments_on_one_version_one_wins() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let contract = seller.contract("2027-01-15").await;
    let path = format!("/contracts/{contract}/amendments");
    for round in 1..=3 {
        let bodies: Vec<Value> = (0..40)
            .map(|n| json!({"expectedBaseVersion": round, "customerName": format!("Name {n}")}))
            .collect();
        let all = join_all(bodies.iter().map(|body| seller.billing.post(&path, body))).await;
        assert_eq!((with_status(&all, 200), with_status(&all, 422)), (1, 39));
        let won = all.iter().position(|one| one.status == 200).expect("a winner");
        let now = seller.billing.get(&format!("/contracts/{contract}")).await.is(200);
        assert_eq!(now["version"], round + 1);
        assert_eq!(now["customerName"], format!("Name {won}"));
    }
    let versions = seller.billing.get(&format!("/contracts/{contract}/versions")).await.is(200);
    assert_eq!(json!(column(&versions, "versions", "version")), json!([4, 3, 2, 1]));
    server.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_20_creates_with_one_key_one_makes_a_contract() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let body = json!({
        "sellerCustomerId": seller.customer(), "currency": "EUR", "startDate": "2027-01-15",
    });
    let all = join_all((0..20).map(|_| seller.billing.create("/contracts", "same", &body))).await;
    assert_eq!((with_status(&all, 201), with_status(&all, 200)), (1, 19));
    let ids: BTreeSet<u64> = all.iter().map(|one| id(&one.body)).collect();
    assert_eq!(ids.len(), 1);
    assert_eq!(all.iter().filter(|one| one.is_replay()).count(), 19);
    assert_eq!(seller.billing.all("/contracts", "contracts").await.len(), 1);
    server.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_email_is_one_customer_however_many_ask() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let body = json!({"email": "same@example.com"});
    let all = join_all((0..20).map(|_| seller.billing.post("/customers", &body))).await;
    assert_eq!(with_status(&all, 200), 20);
    let ids: BTreeSet<u64> = all.iter().map(|one| id(&one.body)).collect();
    assert_eq!(ids.len(), 1);
    server.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_key_on_two_contracts_makes_one_subscription() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let contracts = [seller.contract("2027-01-15").await, seller.contract("2027-01-15").await];
    let body = json!({
        "frequency": "monthly", "priceMinor": 1000, "currency": "EUR", "startDate": "2027-01-15",
    });
    let key = fresh("both");
    for _ in 0..10 {
        let key = fresh(&key);
        let before = seller.billing.all("/subscriptions", "subscriptions").await.len();
        let paths: Vec<String> =
            (0..8).map(|n| format!("/contracts/{}/subscriptions", contracts[n % 2])).collect();
        let all = join_all(paths.iter().map(|path| seller.billing.create(path, &key, &body))).await;
        assert_eq!(
            (with_status(&all, 201), with_status(&all, 200), with_status(&all, 422)),
            (1, 3, 4),
            "{:?}",
            all.iter().map(|one| (one.status, one.text.clone())).collect::<Vec<_>>()
        );
        let after = seller.billing.all("/subscriptions", "subscriptions").await.len();
        assert_eq!(after, before + 1);
    }
    server.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hundred_invoices_at_once_have_numbers_without_a_gap() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let mut contracts = Vec::new();
    for _ in 0..10 {
        contracts.push(seller.contract("2027-01-15").await);
    }
    // Half of them on one contract, half spread; some are refused in between.
    let bodies: Vec<Value> = (0..100)
        .map(|n| {
            let contract = if n % 2 == 0 { contracts[0] } else { contracts[n / 2 % 10] };
            json!({"contractId": contract, "origin": "one_time", "lines": [line("x", 100)]})
        })
        .collect();
    let wrong = json!({"contractId": contracts[1], "origin": "recurring"});
    let keys: Vec<String> = (0..120).map(|_| fresh("i")).collect();
    let good =
        bodies.iter().zip(&keys).map(|(body, key)| seller.billing.create("/invoices", key, body));
    let bad = keys[100..].iter().map(|key| seller.billing.create("/invoices", key, &wrong));
    let (good, bad) = tokio::join!(join_all(good), join_all(bad));
    assert_eq!((with_status(&good, 201), with_status(&bad, 422)), (100, 20));
    let mut orders: Vec<u64> = good.iter().map(|one| order(&one["invoiceNumber"])).collect();
    orders.sort_unstable();
    assert_eq!(orders, (0..100).collect::<Vec<u64>>());
    server.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_term_is_billed_once_whatever_is_called_at_once() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let contract = seller.contract("2027-01-15").await;
    let weekly = json!({"frequency": "weekly"});
    seller.subscribe(contract, "2027-01-15", weekly).await;
    seller.recurring(contract).await;
    server.pass_seconds(7 * 86_400);
    let lifecycle = "/passes/billing.subscription.lifecycle_cron/run";
    server.operator.post(lifecycle, &json!({})).await.is(200);
    let body = json!({"contractId": contract, "origin": "recurring"});
    let keys: Vec<String> = (0..20).map(|_| fresh("i")).collect();
    let empty = json!({});
    let pass = "/passes/billing.recurring.invoice_pass/run";
    let by_hand = join_all(keys.iter().map(|key| seller.billing.create("/invoices", key, &body)));
    let by_pass = join_all((0..5).map(|_| server.operator.post(pass, &empty)));
    let (by_hand, by_pass) = tokio::join!(by_hand, by_pass);
    let issued: u64 =
        by_pass.iter().map(|one| one["counts"]["issued"].as_u64().expect("a count")).sum();
    assert_eq!(with_status(&by_hand, 201) as u64 + issued, 1);
    assert!(with_status(&by_hand, 422) >= 19);
    let list = seller.billing.get(&format!("/invoices?contractId={contract}")).await.is(200);
    let starts = column(&list, "invoices", "periodStart");
    assert_eq!(starts, [&json!("2027-01-22"), &json!("2027-01-15")]);
    server.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn advances_at_once_happen_one_after_the_other() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let contract = seller.contract("2027-01-15").await;
    seller.subscribe(contract, "2027-01-15", json!({})).await;
    seller.recurring(contract).await;
    let path = format!("/contracts/{contract}/test-clock/advance");
    let body = json!({"to": "2027-02-15T12:00:00Z"});
    let all = join_all((0..10).map(|_| seller.billing.post(&path, &body))).await;
    assert_eq!(with_status(&all, 200), 10);
    let sum = |part: &str, name: &str| -> u64 {
        all.iter().map(|one| one[part][name].as_u64().expect("a count")).sum()
    };
    assert_eq!(all.iter().filter(|one| one["advanced"] == true).count(), 1);
    assert_eq!((sum("lifecycle", "renewed"), sum("invoices", "issued")), (1, 1));
    server.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn others_write_while_a_year_passes_for_many_subscriptions_with_webhooks() {
    let server = Server::start().await;
    let (seller, other) = (server.seller().await, server.seller().await);
    let contract = seller.contract("2027-01-15").await;
    for _ in 0..20 {
        seller.subscribe(contract, "2027-01-15", json!({"frequency": "weekly"})).await;
    }
    let receiver = Receiver::start().await;
    for n in 0..5 {
        let body = json!({"webhookUrl": receiver.url(&format!("/{n}"))});
        seller.payments.create("/webhooks", &fresh_uuid(), &body).await.is(201);
    }
    let before = server.app().store.stats();
    let advance = seller.advance(contract, "2028-01-15T00:00:00Z");
    let mut advance = std::pin::pin!(advance);
    let mut written = 0;
    let advanced = loop {
        let email = json!({"email": format!("{written}@example.com")});
        tokio::select! {
            advanced = &mut advance => break advanced,
            made = other.billing.post("/customers", &email) => drop(made.is(200)),
        }
        written += 1;
    };
    let after = server.app().store.stats();
    assert_eq!(advanced["lifecycle"]["renewed"], 20 * 52);
    let (rows, batches) = (after.records - before.records, after.commits - before.commits);
    assert!(batches > 5 && rows / batches < 2_000, "{rows} rows in {batches} batches");
    assert!(written > 1, "nobody else wrote");
    server.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_tabs_pay_one_invoice_once() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let contract = seller.contract("2027-01-15").await;
    for _ in 0..5 {
        let invoice = seller.one_time(contract, 1234).await;
        let page = page_of(&invoice);
        let all = join_all((0..6).map(|_| server.anonymous.pay(&page, GOOD))).await;
        assert_eq!((with_status(&all, 200), with_status(&all, 409)), (1, 5), "{all:?}");
        until("the invoice to be paid", async || {
            (seller.invoice_now(id(&invoice)).await["status"] == "paid").then_some(())
        })
        .await;
        let path = format!("/invoices/{}/settlement", id(&invoice));
        let trail = seller.billing.get(&path).await.is(200);
        assert_eq!(trail["payments"].as_array().map(Vec::len), Some(1), "{trail}");
    }
    server.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_entries_of_a_ledger_come_to_its_balance_while_invoices_draw_on_it() {
    const INVOICES: i64 = 90;
    let server = Server::start().await;
    let seller = server.seller().await;
    let contract = seller.contract("2027-01-15").await;
    let path = format!("/contracts/{contract}/credits");
    let grant = json!({
        "creditType": "gift", "amountMinor": 1000, "currency": "EUR", "reason": "welcome",
    });
    seller.billing.create(&format!("{path}/top-up"), &fresh("grant"), &grant).await.is(201);
    let draws = async {
        for _ in 0..INVOICES / 3 {
            join_all((0..3).map(|_| seller.one_time(contract, 5))).await;
        }
    };
    let sum = |list: &Value, name: &str| -> i64 {
        let rows = list.as_array().expect("a list");
        rows.iter().map(|row| row[name].as_i64().expect("an amount")).sum()
    };
    let holds = |ledger: Value| {
        assert_eq!(ledger["hasMore"], false);
        let moved = sum(&ledger["entries"], "signedDeltaMinor");
        assert_eq!(moved, sum(&ledger["balances"], "balanceMinor"), "{ledger}");
        moved
    };
    let all = format!("{path}?limit=100");
    let mut draws = std::pin::pin!(draws);
    let mut reads = 0;
    loop {
        tokio::select! {
            () = &mut draws => break,
            ledger = seller.billing.get(&all) => {
                holds(ledger.is(200));
            }
        }
        reads += 1;
    }
    assert!(reads > 1, "nobody read meanwhile");
    assert_eq!(holds(seller.billing.get(&all).await.is(200)), 1_000 - 5 * INVOICES);
    server.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_key_registers_one_webhook() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let body = json!({"webhookUrl": "http://127.0.0.1:9/"});
    let key = fresh_uuid();
    let all = join_all((0..12).map(|_| seller.payments.create("/webhooks", &key, &body))).await;
    assert_eq!((with_status(&all, 201), with_status(&all, 200)), (1, 11));
    let secrets = all.iter().filter(|one| one.body.get("secretKey").is_some()).count();
    assert_eq!(secrets, 1, "the secret is shown once");
    server.close().await;
}
