//! The program is killed while payments are cancelled: the same request under the same key ends as
//! what was begun.

use futures::future::join_all;
use hyper::Method;

use super::moment;
use crate::support::binary::Binary;
use crate::support::orders::{order, reference};
use crate::support::{fresh_uuid, json};

const ROUNDS: usize = 8;
/// Payments that are cancelled in a round.
const TOGETHER: usize = 24;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cancel_whose_answer_was_lost_is_never_refused_by_its_own_doing() {
    let folder = tempfile::Builder::new().prefix("accrue-crash-").tempdir().expect("a folder");
    let mut server = Binary::start(folder.path());
    let minted =
        server.anonymous.under("/billing-api/v1").post("/sandbox/accounts", &json!({})).await;
    let token = minted.is(201)["apiKey"].as_str().expect("a key").to_owned();
    let mut lost = 0;
    for _ in 0..ROUNDS {
        let payments = server.anonymous.under("/payments-api/v1").with_key(&token);
        let held = join_all((0..TOGETHER).map(async |_| {
            let body = order(json!({"captureMode": "manual", "autoSettlement": false}));
            payments.create("/initialize-payment", &fresh_uuid(), &body).await.is(202);
            (format!("/payments/{}/cancel", reference(&body)), fresh_uuid())
        }));
        let held = held.await;
        let answers = join_all(held.iter().map(async |(path, key)| {
            let headers = [("idempotency-key", key.as_str())];
            payments.try_send(Method::POST, path, &headers, "{}").await.is_ok()
        }));
        let death = async {
            tokio::time::sleep(moment() / 20).await;
            server.kill();
        };
        let (answers, ()) = tokio::join!(answers, death);
        lost += answers.iter().filter(|answered| !**answered).count();
        server = Binary::start(folder.path());
        let payments = server.anonymous.under("/payments-api/v1").with_key(&token);
        for (path, key) in &held {
            let again = payments.create(path, key, &json!({})).await;
            again.has_status(200);
            assert_eq!(again["status"], "cancelled", "{}", again.text);
        }
    }
    assert!(lost > 0, "no answer was lost");
    server.kill_for_good();
    folder.close().expect("removed");
}
