//! Saved cards are charged while the program is killed: each invoice is paid once at most, and
//! what was begun comes to an end.

use std::time::Duration;

use super::moment;
use crate::support::binary::Binary;
use crate::support::buyer::{GOOD, card, page_of};
use crate::support::make::{line, with};
use crate::support::response::id;
use crate::support::server::OPERATOR;
use crate::support::wait::until_within;
use crate::support::{Api, Value, fresh, json, until};

const ROUNDS: usize = 6;
/// Invoices of a round.
const TOGETHER: usize = 12;

async fn issued(billing: &Api, contract: u64) -> Option<Value> {
    let body = json!({
        "contractId": contract, "origin": "one_time", "lines": [line("Work", 1_000)],
    });
    let key = fresh("invoice");
    let headers = [("idempotency-key", key.as_str()), ("content-type", "application/json")];
    let body = body.to_string();
    let sent = billing.try_send(hyper::Method::POST, "/invoices", &headers, &body).await;
    sent.ok().map(|response| response.is(201))
}

async fn collects(operator: &Api) -> Option<Value> {
    let headers = [("content-type", "application/json")];
    let path = "/passes/billing.invoice.auto_charge/run";
    let sent = operator.try_send(hyper::Method::POST, path, &headers, "{}").await.ok()?;
    Some(sent.is(200))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_invoice_is_charged_twice_however_often_it_is_killed() {
    let folder = tempfile::Builder::new().prefix("accrue-crash-").tempdir().expect("a folder");
    let mut server = Binary::start(folder.path());
    let minted =
        server.anonymous.under("/billing-api/v1").post("/sandbox/accounts", &json!({})).await;
    let minted = minted.is(201);
    let token = minted["apiKey"].as_str().expect("a key").to_owned();
    let customer = id(&minted["customers"][0]);
    let at = |server: &Binary| {
        let billing = server.anonymous.under("/billing-api/v1").with_key(&token);
        (billing, server.anonymous.under("/backoffice/v1").with_key(OPERATOR))
    };
    let (billing, _) = at(&server);
    let start = billing.get(&format!("/customers/{customer}")).await.is(200)["createdAt"]
        .as_str()
        .expect("an instant")[..10]
        .to_owned();
    let body = json!({"sellerCustomerId": customer, "currency": "EUR", "startDate": start});
    let contract = id(&billing.create("/contracts", &fresh("contract"), &body).await.is(201));
    let first = issued(&billing, contract).await.expect("issued");
    let saves = with(&card(GOOD), json!({"saveCard": true}));
    billing.without_key().post(&page_of(&first), &saves).await.is(200);
    until("the card to be known", async || {
        let timeline = billing.get(&format!("/contracts/{contract}/timeline")).await.is(200);
        let entries = timeline["entries"].as_array().expect("entries").clone();
        entries.iter().any(|entry| entry["kind"] == "card_saved").then_some(())
    })
    .await;

    for _ in 0..ROUNDS {
        let (billing, operator) = at(&server);
        let work = async {
            for _ in 0..TOGETHER {
                issued(&billing, contract).await?;
            }
            loop {
                collects(&operator).await?;
            }
        };
        let cut_off: Result<Option<()>, _> = tokio::time::timeout(moment(), work).await;
        drop(cut_off);
        server.kill();
        server = Binary::start(folder.path());
    }

    let (billing, operator) = at(&server);
    let invoices = until_within(Duration::from_secs(90), "every charge to end", async || {
        collects(&operator).await;
        let path = format!("/invoices?contractId={contract}");
        let all = billing.all(&path, "invoices").await;
        let mut ended = Vec::new();
        for invoice in all {
            let path = format!("/invoices/{}/settlement", id(&invoice));
            let trail = billing.get(&path).await.is(200);
            let payments = trail["payments"].as_array().expect("payments").clone();
            let open = payments.iter().any(|payment| payment["status"] == "provider_pending");
            if payments.is_empty() || open {
                return None;
            }
            ended.push((invoice, payments));
        }
        Some(ended)
    })
    .await;
    let mut paid = 0;
    for (invoice, payments) in &invoices {
        let failed = payments.iter().filter(|payment| payment["status"] == "failed").count();
        let taken = payments.len() - failed;
        // What was interrupted has charged nobody, and is made anew.
        assert!(taken <= 1, "{invoice}: {payments:?}");
        paid += taken;
    }
    assert!(paid > 1, "none of {} was charged", invoices.len());
    server.kill_for_good();
    folder.close().expect("removed");
}
