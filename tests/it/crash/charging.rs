//! Sellers charge, capture and give back while the program is killed: what was acknowledged is
//! there, nothing is charged twice, and the wallets hold what was captured and not given back.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use futures::future::join_all;
use hyper::Method;
use parking_lot::Mutex;

use super::moment;
use crate::support::binary::Binary;
use crate::support::orders::order;
use crate::support::wait::until_within;
use crate::support::{Api, Value, fresh_uuid, json};

const ROUNDS: usize = 8;
/// Sellers' threads that work in a round.
const TOGETHER: usize = 8;

/// A request that was sent: under its key it is sent again until it is answered for good.
#[derive(Clone, Debug)]
struct Sent {
    path: String,
    key: String,
    body: Value,
    acknowledged: bool,
}

/// All that was sent, by key; and the references of the payments.
#[derive(Clone, Default)]
struct Letters(Arc<Mutex<BTreeMap<String, Sent>>>);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_is_charged_twice_however_often_it_is_killed() {
    let folder = tempfile::Builder::new().prefix("accrue-crash-").tempdir().expect("a folder");
    let mut server = Binary::start(folder.path());
    let minted =
        server.anonymous.under("/billing-api/v1").post("/sandbox/accounts", &json!({})).await;
    let minted = minted.is(201);
    let token = minted["apiKey"].as_str().expect("a key").to_owned();
    let payments = server.anonymous.under("/payments-api/v1").with_key(&token);
    let payees = payments.all("/payees", "payees").await;
    let sent = Letters::default();
    for round in 0..ROUNDS {
        let payments = server.anonymous.under("/payments-api/v1").with_key(&token);
        let sellers = (0..TOGETHER).map(|n| sent.work(&payments, round * TOGETHER + n, &payees));
        tokio::select! {
            _ = join_all(sellers) => {}
            // Sometimes before the first answer, sometimes after the last.
            () = tokio::time::sleep(moment() / 2) => {}
        }
        server.kill();
        server = Binary::start(folder.path());
    }

    let payments = server.anonymous.under("/payments-api/v1").with_key(&token);
    let all: Vec<Sent> = sent.0.lock().values().cloned().collect();
    let acknowledged = all.iter().filter(|one| one.acknowledged).count();
    assert!(acknowledged > ROUNDS, "too little load: {acknowledged} of {}", all.len());
    // Payments first, and what was done with them then.
    for one in all.iter().filter(|one| one.path == "/initialize-payment") {
        one.answer_for_good(&payments).await;
    }
    for one in all.iter().filter(|one| one.path != "/initialize-payment") {
        one.answer_for_good(&payments).await;
    }
    let books = books(&payments).await;
    assert!(books.captured > 0 && books.refunded > 0, "{books:?}");
    until_within(Duration::from_secs(30), "the wallets to hold what was kept", async || {
        let held = wallets(&payments).await;
        (held == books.captured - books.refunded).then_some(())
    })
    .await;
    for one in &all {
        let again = payments.create(&one.path, &one.key, &one.body).await;
        assert!([200, 409].contains(&again.status), "{}: {}", again.request, again.text);
        assert_eq!(again.is_replay(), again.status == 200, "{}", again.text);
    }
    assert_eq!(wallets(&payments).await, books.captured - books.refunded, "replays move nothing");
    server.kill_for_good();
    folder.close().expect("removed");
}

impl Letters {
    /// Charges, captures in two parts where that is asked for, and gives some back. Whoever is
    /// cut off leaves the rest.
    async fn work(&self, payments: &Api, n: usize, payees: &[Value]) {
        let share =
            |(payee, amount): (&Value, Value)| json!({"payeeId": payee["id"], "amount": amount});
        let amounts = [json!(3.33), json!(4.01)];
        let shares: Vec<Value> = payees.iter().zip(amounts).map(share).collect();
        let manual = n.is_multiple_of(2);
        let mut more = json!({"orderData": {"totalAmount": 12.5, "payeeDistribution": shares}});
        if manual {
            more["captureMode"] = json!("manual");
            more["autoSettlement"] = json!(false);
        }
        let body = order(more);
        let name = body["externalOrderRef"].as_str().expect("a reference").to_owned();
        if !self.send(payments, "/initialize-payment", body).await {
            return;
        }
        let act = |what: &str| format!("/payments/{name}/{what}");
        if manual {
            for amount in [2.5, 7.25] {
                if !self.send(payments, &act("capture"), json!({"amount": amount})).await {
                    return;
                }
            }
        }
        self.send(payments, &act("refund"), json!({"amount": 1.75})).await;
    }

    /// Notes the request, then sends it; whether it was answered.
    async fn send(&self, payments: &Api, path: &str, body: Value) -> bool {
        let key = fresh_uuid();
        let sent = Sent { path: path.to_owned(), key: key.clone(), body, acknowledged: false };
        self.0.lock().insert(key.clone(), sent.clone());
        let text = sent.body.to_string();
        let headers = [("idempotency-key", key.as_str()), ("content-type", "application/json")];
        let Ok(response) = payments.try_send(Method::POST, path, &headers, &text).await else {
            return false;
        };
        assert!([200, 202].contains(&response.status), "{}: {}", response.request, response.text);
        if let Some(one) = self.0.lock().get_mut(&key) {
            one.acknowledged = true;
        }
        true
    }
}

impl Sent {
    /// Sends it again and again, unchanged, until nothing about it is open: what was acknowledged
    /// is answered as a replay.
    async fn answer_for_good(&self, payments: &Api) {
        let minutes = Duration::from_secs(120);
        until_within(minutes, &format!("an answer to {self:?}"), async || {
            let response = payments.create(&self.path, &self.key, &self.body).await;
            let open = [502, 503].contains(&response.status);
            assert!(open || [200, 202, 404, 409].contains(&response.status), "{}", response.text);
            if self.acknowledged && !open {
                assert!(response.is_replay(), "{} was lost: {}", response.request, response.text);
            }
            (!open).then_some(())
        })
        .await;
    }
}

/// What all payments captured and gave back, in minor units.
#[derive(Clone, Copy, Debug, Default)]
struct Books {
    captured: i64,
    refunded: i64,
}

/// Reads all payments once none of them waits for the provider any more.
async fn books(payments: &Api) -> Books {
    until_within(Duration::from_secs(120), "every payment to come to rest", async || {
        let mut books = Books::default();
        for payment in payments.all("/payments", "payments").await {
            let status = payment["status"].as_str().expect("text");
            let waits = ["provider_pending", "refund_pending", "provider_completed"];
            if waits.contains(&status) {
                return None;
            }
            books.captured += minor(&payment["capturedAmount"]);
            books.refunded += minor(&payment["refundedAmount"]);
            assert!(minor(&payment["refundedAmount"]) <= 175, "given back twice: {payment}");
            assert!(minor(&payment["capturedAmount"]) <= 12_50, "taken twice: {payment}");
        }
        Some(books)
    })
    .await
}

/// What all wallets hold, in minor units.
async fn wallets(payments: &Api) -> i64 {
    let all = payments.all("/wallets", "wallets").await;
    let held = |wallet: &Value| {
        ["availableBalanceMinor", "pendingBalanceMinor", "reservedBalanceMinor"]
            .iter()
            .map(|name| wallet[*name].as_i64().expect("an integer"))
            .sum::<i64>()
    };
    all.iter().map(held).sum()
}

/// An amount in major units, as minor units.
fn minor(amount: &Value) -> i64 {
    let text = amount.to_string();
    let (whole, part) = text.split_once('.').unwrap_or((&text, ""));
    format!("{whole}{part:0<2}").parse().expect("a number")
}
