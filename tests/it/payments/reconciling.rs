//! Payments, captures and refunds whose outcome nobody knows, and the operator who finds out
//! (payments 4.1 and 7; decisions 7, 13).

use crate::support::orders::{order, reference};
use crate::support::stripe::{Fault, STRIPE_KEY, StripeFake};
use crate::support::{Heard, House, Seller, Value, fresh_uuid, json, until};

const PENDING: &str = "provider create is pending reconciliation";
const MANUAL: &str = "provider create requires manual reconciliation";
const DAY: i64 = 24 * 3600;

/// A live seller whose cards go to `fake`.
async fn live(house: &House, fake: &StripeFake) -> Seller {
    let body = json!({"name": "Live Ltd", "email": "live@example.com"});
    let minted = house.operator.post("/sellers", &body).await.is(201);
    let id = minted["sellerAccountId"].as_u64().expect("an id");
    let terminal = json!({
        "name": "Live", "rail": "card", "methods": ["card"], "currencies": ["EUR"],
        "mode": "live", "connector": "stripe", "baseUrl": fake.url(), "secretKey": STRIPE_KEY,
    });
    house.operator.post(&format!("/sellers/{id}/terminals"), &terminal).await.is(201);
    let key = minted["apiKey"].as_str().expect("a key").to_owned();
    let (billing, payments) = (house.billing().with_key(&key), house.payments().with_key(&key));
    Seller { id, key, minted, billing, payments }
}

/// Pushes the clock until `look` finds something.
async fn in_time<T>(house: &House, what: &str, look: impl AsyncFn() -> Option<T>) -> T {
    until(what, async || {
        let found = look().await;
        if found.is_none() {
            house.pass_seconds(5);
        }
        found
    })
    .await
}

async fn resolve(house: &House, seller: &Seller, name: &str, outcome: &str) -> Heard {
    let body = json!({"sellerAccountId": seller.id, "outcome": outcome});
    house.operator.post(&format!("/payments/{name}/resolve"), &body).await
}

#[tokio::test]
async fn an_outcome_that_is_not_known_is_waited_for() {
    let house = House::open().await;
    let fake = StripeFake::open().await;
    let seller = live(&house, &fake).await;
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
    let known = in_time(&house, "a payment", async || {
        let heard = send().await;
        (heard.status != 503).then_some(heard)
    });
    let known = known.await;
    assert!(known.is_replay());
    assert_eq!(known.is(200)["status"], "provider_completed");
    assert_eq!(fake.charged(), (1_250, 1));
    house.close().await;
}

#[tokio::test]
async fn what_is_not_known_in_a_day_is_for_the_operator() {
    let house = House::open().await;
    let fake = StripeFake::open().await;
    let seller = live(&house, &fake).await;
    let (key, body) = (fresh_uuid(), order(json!({})));
    let send = async || seller.payments.create("/initialize-payment", &key, &body).await;
    fake.goes_wrong("/confirm", Fault::ActsAndDrops);
    send().await.has_status(502);
    house.pass_seconds(DAY);
    let manual = until("a person", async || {
        let heard = send().await;
        (heard.status == 409).then_some(heard)
    });
    manual.await.refuses_saying(409, MANUAL);
    let name = reference(&body);
    let busy = seller.act_on(name, "cancel", &json!({})).await;
    busy.refuses_saying(409, "the payment is being processed");
    let wrong = resolve(&house, &seller, name, "refunded").await;
    wrong.refuses_saying(400, "outcome must be completed, authorized, failed or cancelled");
    let nobody = json!({"outcome": "completed"});
    let nobody = house.operator.post(&format!("/payments/{name}/resolve"), &nobody).await;
    nobody.refuses_saying(400, "sellerAccountId is required");
    resolve(&house, &seller, "nothing", "completed").await.has_status(404);
    let resolved = resolve(&house, &seller, name, "completed").await.is(200);
    assert_eq!(
        (&resolved["status"], &resolved["mode"]),
        (&json!("provider_completed"), &json!("live"))
    );
    let twice = resolve(&house, &seller, name, "completed").await;
    twice.refuses_saying(409, "the payment does not wait for a reconciliation");
    assert_eq!(send().await.is(200)["status"], "provider_completed");
    let refund = seller.act_on(name, "refund", &json!({"amount": 2.5})).await;
    refund.has_status(202);
    assert_eq!(fake.given_back(), (250, 1));
    house.close().await;
}

#[tokio::test]
async fn the_operator_may_find_that_nothing_was_charged() {
    let house = House::open().await;
    let fake = StripeFake::open().await;
    let seller = live(&house, &fake).await;
    for (outcome, status, code) in [("failed", "failed", 2002), ("cancelled", "cancelled", 0)] {
        let body = order(json!({}));
        fake.goes_wrong("/confirm", Fault::Status(500));
        seller.initiate(&body).await.has_status(502);
        let resolved = resolve(&house, &seller, reference(&body), outcome).await.is(200);
        assert_eq!((&resolved["status"], &resolved["failureCode"]), (&json!(status), &json!(code)));
    }
    house.close().await;
}

/// Repeats a request under its key until its outcome is known.
async fn repeated(house: &House, seller: &Seller, path: &str, key: &str, body: &Value) -> Value {
    seller.payments.create(path, key, body).await.refuses_saying(503, PENDING);
    let known = in_time(house, "an outcome", async || {
        let heard = seller.payments.create(path, key, body).await;
        (heard.status != 503).then_some(heard)
    });
    known.await.is(200)
}

#[tokio::test]
async fn a_capture_that_is_not_known_is_made_once() {
    let house = House::open().await;
    let fake = StripeFake::open().await;
    let seller = live(&house, &fake).await;
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
    let known = repeated(&house, &seller, &path, &key, &body).await;
    assert_eq!(
        (&known["status"], &known["capturedAmount"]),
        (&json!("provider_completed"), &json!(5))
    );
    assert_eq!(fake.charged(), (500, 1));
    house.close().await;
}

#[tokio::test]
async fn a_refund_that_is_not_known_is_made_once() {
    let house = House::open().await;
    let fake = StripeFake::open().await;
    let seller = live(&house, &fake).await;
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
    let known = repeated(&house, &seller, &path, &key, &body).await;
    assert_eq!((&known["refundId"], &known["status"]), (&first["refundId"], &json!("succeeded")));
    assert_eq!(fake.given_back(), (500, 1));
    house.close().await;
}
