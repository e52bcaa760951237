//! Payments, captures and refunds whose outcome nobody knows, and the operator who finds out.

use crate::support::orders::{order, reference};
use crate::support::stripe::{Fault, STRIPE_KEY, StripeFake};
use crate::support::{Response, Seller, Server, Value, fresh_uuid, json, until};

const PENDING: &str = "provider create is pending reconciliation";
const MANUAL: &str = "provider create requires manual reconciliation";
const DAY: i64 = 24 * 3600;

/// A live seller whose cards go to `fake`.
async fn live(server: &Server, fake: &StripeFake) -> Seller {
    let body = json!({"name": "Live Ltd", "email": "live@example.com"});
    let minted = server.operator.post("/sellers", &body).await.is(201);
    let id = minted["sellerAccountId"].as_u64().expect("an id");
    let terminal = json!({
        "name": "Live", "rail": "card", "methods": ["card"], "currencies": ["EUR"],
        "mode": "live", "connector": "stripe", "baseUrl": fake.url(), "secretKey": STRIPE_KEY,
    });
    server.operator.post(&format!("/sellers/{id}/terminals"), &terminal).await.is(201);
    let key = minted["apiKey"].as_str().expect("a key").to_owned();
    let (billing, payments) = (server.billing().with_key(&key), server.payments().with_key(&key));
    Seller { id, key, minted, billing, payments }
}

/// Pushes the clock until `look` finds something.
async fn in_time<T>(server: &Server, what: &str, look: impl AsyncFn() -> Option<T>) -> T {
    until(what, async || {
        let found = look().await;
        if found.is_none() {
            server.pass_seconds(5);
        }
        found
    })
    .await
}

async fn resolve(server: &Server, seller: &Seller, name: &str, outcome: &str) -> Response {
    let body = json!({"sellerAccountId": seller.id, "outcome": outcome});
    server.operator.post(&format!("/payments/{name}/resolve"), &body).await
}

#[tokio::test]
async fn an_outcome_that_is_not_known_is_waited_for() {
    let server = Server::start().await;
    let fake = StripeFake::open().await;
    let seller = live(&server, &fake).await;
    let (key, body) = (fresh_uuid(), order(json!({})));
    let send = async || seller.payments.create("/initialize-payment", &key, &body).await;
    fake.goes_wrong("/confirm", Fault::ActsAndFails);
    let first = send().await;
    first.refuses_saying(502, "upstream card processor returned 500");
    assert_eq!(
        (&first["failureCode"], &first["status"], &first["retry"]),
        (&json!(2002), &json!("provider_pending"), &json!("safe"))
    );
    let pending = seller.payment(reference(&body)).await;
    assert_eq!(
        (&pending["status"], &pending["failureCode"]),
        (&json!("provider_pending"), &json!(0))
    );
    let again = send().await;
    again.refuses_saying(503, PENDING);
    assert!(again.header("retry-after").is_some());
    let known = in_time(&server, "a payment", async || {
        let response = send().await;
        (response.status != 503).then_some(response)
    });
    let known = known.await;
    assert!(known.is_replay());
    assert_eq!(known.is(200)["status"], "provider_completed");
    assert_eq!(fake.charged(), (1_250, 1));
    server.close().await;
}

#[tokio::test]
async fn what_is_not_known_in_a_day_is_for_the_operator() {
    let server = Server::start().await;
    let fake = StripeFake::open().await;
    let seller = live(&server, &fake).await;
    let (key, body) = (fresh_uuid(), order(json!({})));
    let send = async || seller.payments.create("/initialize-payment", &key, &body).await;
    fake.goes_wrong("/confirm", Fault::ActsAndDrops);
    send().await.has_status(502);
    server.pass_seconds(DAY);
    let manual = until("a person", async || {
        let response = send().await;
        (response.status == 409).then_some(response)
    });
    manual.await.refuses_saying(409, MANUAL);
    let name = reference(&body);
    let busy = seller.act_on(name, "cancel", &json!({})).await;
    busy.refuses_saying(409, "the payment is being processed");
    let wrong = resolve(&server, &seller, name, "refunded").await;
    wrong.refuses_saying(400, "outcome must be completed, authorized, failed or cancelled");
    let nobody = json!({"outcome": "completed"});
    let nobody = server.operator.post(&format!("/payments/{name}/resolve"), &nobody).await;
    nobody.refuses_saying(400, "sellerAccountId is required");
    resolve(&server, &seller, "nothing", "completed").await.has_status(404);
    let resolved = resolve(&server, &seller, name, "completed").await.is(200);
    assert_eq!(
        (&resolved["status"], &resolved["mode"]),
        (&json!("provider_completed"), &json!("live"))
    );
    let twice = resolve(&server, &seller, name, "completed").await;
    twice.refuses_saying(409, "the payment does not wait for a reconciliation");
    assert_eq!(send().await.is(200)["status"], "provider_completed");
    let refund = seller.act_on(name, "refund", &json!({"amount": 2.5})).await;
    refund.has_status(202);
    assert_eq!(fake.given_back(), (250, 1));
    server.close().await;
}

#[tokio::test]
async fn the_operator_may_find_that_nothing_was_charged() {
    let server = Server::start().await;
    let fake = StripeFake::open().await;
    let seller = live(&server, &fake).await;
    for (outcome, status, code) in [("failed", "failed", 2002), ("cancelled", "cancelled", 0)] {
        let body = order(json!({}));
        fake.goes_wrong("/confirm", Fault::Status(500));
        seller.initiate(&body).await.has_status(502);
        let resolved = resolve(&server, &seller, reference(&body), outcome).await.is(200);
        assert_eq!((&resolved["status"], &resolved["failureCode"]), (&json!(status), &json!(code)));
    }
    server.close().await;
}

/// Repeats a request under its key until its outcome is known.
async fn repeated(server: &Server, seller: &Seller, path: &str, key: &str, body: &Value) -> Value {
    seller.payments.create(path, key, body).await.refuses_saying(503, PENDING);
    let known = in_time(server, "an outcome", async || {
        let response = seller.payments.create(path, key, body).await;
        (response.status != 503).then_some(response)
    });
    known.await.is(200)
}

#[tokio::test]
async fn a_capture_that_is_not_known_is_made_once() {
    let server = Server::start().await;
    let fake = StripeFake::open().await;
    let seller = live(&server, &fake).await;
    let name = seller.held(json!({})).await;
    let (path, key, body) =
        (format!("/payments/{name}/capture"), fresh_uuid(), json!({"amount": 5}));
    fake.goes_wrong("/capture", Fault::ActsAndFails);
    let first = seller.payments.create(&path, &key, &body).await;
    first.has_status(502);
    assert_eq!(
        (&first["status"], &first["failureStage"]),
        (&json!("authorized"), &json!("capture"))
    );
    let known = repeated(&server, &seller, &path, &key, &body).await;
    assert_eq!(
        (&known["status"], &known["capturedAmount"]),
        (&json!("provider_completed"), &json!(5))
    );
    assert_eq!(fake.charged(), (500, 1));
    server.close().await;
}

#[tokio::test]
async fn a_refund_that_is_not_known_is_made_once() {
    let server = Server::start().await;
    let fake = StripeFake::open().await;
    let seller = live(&server, &fake).await;
    let name = seller.paid(json!({})).await;
    let (path, key, body) =
        (format!("/payments/{name}/refund"), fresh_uuid(), json!({"amount": 5}));
    fake.goes_wrong("/refunds", Fault::ActsAndFails);
    let first = seller.payments.create(&path, &key, &body).await;
    first.has_status(502);
    assert_eq!(
        (&first["status"], &first["failureStage"]),
        (&json!("refund_pending"), &json!("refund"))
    );
    let known = repeated(&server, &seller, &path, &key, &body).await;
    assert_eq!((&known["refundId"], &known["status"]), (&first["refundId"], &json!("succeeded")));
    assert_eq!(fake.given_back(), (500, 1));
    server.close().await;
}
