//! Payments, captures and refunds whose outcome nobody knows, and the operator who finds out.

use crate::support::orders::{order, reference};
use crate::support::stripe::{Fault, STRIPE_KEY, StripeFake};
use crate::support::{Response, Seller, Server, Value, fresh_uuid, json, until};

const PENDING: &str = "provider create is pending reconciliation";
const MANUAL: &str = "provider create requires manual reconciliation";
const DAY: i64 = 24 * 3600;

/// A live seller whose cards go to `fake`.
async fn live(server: &Server, fake: &StripeFake) -> Seller {
    server.live_seller_at(&fake.url(), STRIPE_KEY).await
}

/// Lets the seller's one terminal take what is held in several parts.
async fn captures_in_parts(server: &Server, seller: &Seller, fake: &StripeFake) {
    let terminals = format!("/sellers/{}/terminals", seller.id);
    let own = server.operator.get(&terminals).await.is(200)["terminals"][0]["id"].clone();
    let several = json!({
        "name": "Live", "rail": "card", "methods": ["card"], "currencies": ["EUR"],
        "mode": "live", "connector": "stripe", "baseUrl": fake.url(), "multicapture": true,
    });
    server.operator.put(&format!("{terminals}/{own}"), &several).await.is(200);
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
    // Asked once more after a day, the processor says nothing either.
    fake.goes_wrong("/pi_1", Fault::Status(500));
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
        (format!("/payments/{name}/capture"), fresh_uuid(), json!({"amount": 5, "final": true}));
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
async fn a_capture_is_replayed_while_a_later_one_is_not_known() {
    let server = Server::start().await;
    let fake = StripeFake::open().await;
    let seller = live(&server, &fake).await;
    captures_in_parts(&server, &seller, &fake).await;
    let name = seller.held(json!({})).await;
    let (path, first, second) = (format!("/payments/{name}/capture"), fresh_uuid(), fresh_uuid());
    let capture = async |key: &str, amount: i64| {
        seller.payments.create(&path, key, &json!({"amount": amount})).await
    };
    capture(&first, 5).await.is(200);
    fake.goes_wrong("/capture", Fault::ActsAndFails);
    capture(&second, 2).await.has_status(502);
    let again = capture(&first, 5).await;
    assert!(again.is_replay(), "{}", again.text);
    assert_eq!(again.is(200)["capturedAmount"], 5);
    capture(&second, 2).await.refuses_saying(503, PENDING);
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

#[tokio::test]
async fn a_capture_that_the_processor_refuses_is_told_to_the_operator_in_its_words() {
    let server = Server::start().await;
    let fake = StripeFake::open().await;
    let seller = live(&server, &fake).await;
    let name = seller.held(json!({})).await;
    let (path, key) = (format!("/payments/{name}/capture"), fresh_uuid());
    let body = json!({"amount": 5, "final": true});
    for (status, advice) in [(400, "fix_first"), (404, "never")] {
        fake.goes_wrong("/capture", Fault::Status(status));
        let refused = seller.payments.create(&path, &key, &body).await;
        refused.refuses_saying(502, "capture failed");
        assert_eq!((&refused["failureCode"], &refused["retry"]), (&json!(3001), &json!(advice)));
        let payment = seller.payment(&name).await;
        assert_eq!((&payment["status"], &payment["retry"]), (&json!("authorized"), &json!(advice)));
        assert!(payment.get("processorRefusal").is_none(), "{payment}");
        let own = format!("/payments/{name}?sellerAccountId={}", seller.id);
        let read = server.operator.get(&own).await.is(200);
        let refusal = json!({
            "status": status, "code": "told_to_fail", "message": "not for the log: 4242",
        });
        assert_eq!(read["processorRefusal"], refusal);
    }
    let captured = seller.payments.create(&path, &key, &body).await;
    assert!(!captured.is_replay(), "the key was given back");
    assert_eq!(captured.is(200)["capturedAmount"], 5);
    assert_eq!(fake.charged(), (500, 1));
    server.close().await;
}

#[tokio::test]
async fn a_charge_that_the_processor_refuses_says_so_and_is_not_tried_again() {
    let server = Server::start().await;
    let fake = StripeFake::open().await;
    let seller = live(&server, &fake).await;
    let (key, body) = (fresh_uuid(), order(json!({})));
    fake.goes_wrong("/payment_intents", Fault::Status(400));
    let refused = seller.payments.create("/initialize-payment", &key, &body).await;
    refused.refuses_saying(502, "upstream card processor returned 400");
    assert_eq!((&refused["failureCode"], &refused["retry"]), (&json!(2002), &json!("fix_first")));
    let asked = fake.asked().len();
    let again = seller.payments.create("/initialize-payment", &key, &body).await;
    assert!(again.is_replay());
    assert_eq!(again.is(200)["retry"], "fix_first");
    assert_eq!((fake.asked().len(), fake.charged()), (asked, (0, 0)));
    server.close().await;
}

#[tokio::test]
async fn a_processor_that_captures_once_is_told_which_capture_is_the_last() {
    let server = Server::start().await;
    let fake = StripeFake::open().await;
    let seller = live(&server, &fake).await;
    let name = seller.held(json!({})).await;
    let part = seller.act_on(&name, "capture", &json!({"amount": 5})).await;
    part.refuses_saying(409, "this processor captures once: send final true");
    assert_eq!(fake.charged().0, 0, "it was not asked");
    let terminals = format!("/sellers/{}/terminals", seller.id);
    let terminal = server.operator.get(&terminals).await.is(200)["terminals"][0].clone();
    assert_eq!(terminal["multicapture"], false);
    let last = seller.act_on(&name, "capture", &json!({"amount": 5, "final": true})).await.is(200);
    assert_eq!((&last["capturedAmount"], fake.charged().0), (&json!(5), 500));

    let in_parts = seller.held(json!({})).await;
    captures_in_parts(&server, &seller, &fake).await;
    for _ in 0..2 {
        seller.act_on(&in_parts, "capture", &json!({"amount": 2})).await.is(200);
    }
    assert_eq!(fake.charged().0, 900);
    server.close().await;
}
