//! Buyers pay while the program is killed: every invoice is paid in the end, and none twice.

use std::time::Duration;

use futures::future::join_all;

use super::moment;
use crate::support::binary::Binary;
use crate::support::buyer::{CHALLENGED, GOOD};
use crate::support::make::line;
use crate::support::response::id;
use crate::support::wait::until_within;
use crate::support::{Api, Value, json};

const ROUNDS: usize = 10;
/// Invoices that are paid in a round.
const TOGETHER: usize = 12;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_invoice_is_paid_once_however_often_it_is_killed() {
    let folder = tempfile::Builder::new().prefix("accrue-crash-").tempdir().expect("a folder");
    let mut server = Binary::start(folder.path());
    let minted =
        server.anonymous.under("/billing-api/v1").post("/sandbox/accounts", &json!({})).await;
    let minted = minted.is(201);
    let key = minted["apiKey"].as_str().expect("a key").to_owned();
    let (contracts, _) = super::found(&server, &key, id(&minted["customers"][0])).await;
    let mut all = Vec::new();
    for round in 0..ROUNDS {
        let billing = server.anonymous.under("/billing-api/v1").with_key(&key);
        let mut pages = Vec::new();
        for n in 0..TOGETHER {
            let contract = contracts[n % contracts.len()];
            let body = json!({
                "contractId": contract, "origin": "one_time", "lines": [line("x", 1234)],
            });
            let made = billing.create("/invoices", &format!("i-{round}-{n}"), &body).await.is(201);
            pages.push((id(&made), token(&made)));
        }
        let buyers = pages.iter().enumerate().map(|(n, (_, token))| {
            buy(&server.anonymous, token, if n % 3 == 0 { CHALLENGED } else { GOOD })
        });
        let death = async {
            // Sometimes before the first answer, sometimes after the last.
            tokio::time::sleep(moment() / 4).await;
        };
        tokio::select! {
            _ = join_all(buyers) => {}
            () = death => {}
        }
        server.kill();
        server = Binary::start(folder.path());
        all.extend(pages);
    }
    for (invoice, token) in &all {
        pay_to_the_end(&server.anonymous, &key, *invoice, token).await;
    }
    let billing = server.anonymous.under("/billing-api/v1").with_key(&key);
    for (invoice, _) in all {
        let trail = billing.get(&format!("/invoices/{invoice}/settlement")).await.is(200);
        let paid = trail["payments"].as_array().expect("payments").iter().filter(|payment| {
            ["provider_completed", "settled"].contains(&payment["status"].as_str().expect("text"))
        });
        assert_eq!(paid.count(), 1, "{trail}");
        assert_eq!(trail["paidVia"], "payment_link");
    }
    server.kill_for_good();
    folder.close().expect("removed");
}

fn token(invoice: &Value) -> String {
    let url = invoice["paymentUrl"].as_str().expect("a page");
    url.rsplit_once('/').expect("a token").1.to_owned()
}

/// A buyer who may be cut off at any moment.
async fn buy(open: &Api, token: &str, number: &str) {
    let page = format!("{}/pay/{token}", open.origin);
    let form = crate::support::buyer::card(number).to_string();
    let Ok(answer) = open.try_send(hyper::Method::POST, &page, &[], &form).await else { return };
    if let Some(bank) = answer.body["actionUrl"].as_str() {
        let form = json!({"action": "approve"}).to_string();
        let _ = open.try_send(hyper::Method::POST, bank, &[], &form).await;
    }
}

/// Pays again and again until the invoice is paid. A call that was under way at a kill is asked
/// again after a minute.
async fn pay_to_the_end(open: &Api, key: &str, invoice: u64, token: &str) {
    let billing = open.under("/billing-api/v1").with_key(key);
    let minutes = Duration::from_secs(150);
    until_within(minutes, &format!("invoice {invoice} to be paid"), async || {
        let now = billing.get(&format!("/invoices/{invoice}")).await.is(200);
        if now["status"] == "paid" {
            return Some(());
        }
        let response = open.pay(&format!("{}/pay/{token}", open.origin), GOOD).await;
        assert!([200, 409].contains(&response.status), "{}: {}", response.request, response.text);
        None
    })
    .await;
}
