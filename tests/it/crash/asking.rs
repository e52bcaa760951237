//! The program is killed after a live processor has acted and before its response is read: what
//! was charged, captured and given back is found again, and happened once.

use hyper::Method;

use crate::support::binary::Binary;
use crate::support::orders::{order, reference};
use crate::support::server::OPERATOR;
use crate::support::stripe::{Fault, STRIPE_KEY, StripeFake};
use crate::support::{Api, Response, Value, fresh_uuid, json, until};

/// A request that the program is killed under, with what tells that the processor has acted.
struct Step {
    /// Where the processor hangs after it has acted.
    processor: &'static str,
    path: String,
    body: Value,
    acted: fn(&StripeFake) -> bool,
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_processor_did_while_the_program_was_killed_is_found_and_done_once() {
    let folder = tempfile::Builder::new().prefix("accrue-crash-").tempdir().expect("a folder");
    let fake = StripeFake::open().await;
    let mut server = Binary::start(folder.path());
    let token = live_seller(&server.anonymous, &fake).await;
    let body = order(json!({"captureMode": "manual", "autoSettlement": false}));
    let name = reference(&body).to_owned();
    let steps = [
        Step {
            processor: "/confirm",
            path: "/initialize-payment".to_owned(),
            body,
            acted: |fake| fake.held() > 0,
        },
        Step {
            processor: "/capture",
            path: format!("/payments/{name}/capture"),
            body: json!({}),
            acted: |fake| fake.charged().1 > 0,
        },
        Step {
            processor: "/refunds",
            path: format!("/payments/{name}/refund"),
            body: json!({"amount": 5}),
            acted: |fake| fake.given_back().1 > 0,
        },
    ];
    for step in steps {
        let key = fresh_uuid();
        fake.goes_wrong(step.processor, Fault::ActsAndHangs);
        let payments = server.anonymous.under("/payments-api/v1").with_key(&token);
        let (path, text, sent) = (step.path.clone(), step.body.to_string(), key.clone());
        let asking = tokio::spawn(async move {
            let headers =
                [("idempotency-key", sent.as_str()), ("content-type", "application/json")];
            payments.try_send(Method::POST, &path, &headers, &text).await.is_ok()
        });
        until("the processor to act", async || (step.acted)(&fake).then_some(())).await;
        server.kill();
        assert!(!asking.await.expect("asked"), "{} was answered", step.path);
        server = Binary::start(folder.path());
        let payments = server.anonymous.under("/payments-api/v1").with_key(&token);
        let known = answer_for_good(&payments, &step, &key).await;
        assert!(known.is_replay(), "{}: {}", known.request, known.text);
    }
    let payments = server.anonymous.under("/payments-api/v1").with_key(&token);
    let payment = until("the refund to be there", async || {
        let payment = payments.get(&format!("/payments/{name}")).await.is(200);
        (payment["refundedAmount"] == 5).then_some(payment)
    });
    let payment = payment.await;
    assert_eq!(payment["capturedAmount"], 12.5, "{payment}");
    assert_eq!((fake.charged(), fake.given_back()), ((1_250, 1), (500, 1)));
    server.kill_for_good();
    folder.close().expect("removed");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_under_way_at_a_kill_is_asked_about_as_soon_as_the_program_runs_again() {
    let folder = tempfile::Builder::new().prefix("accrue-crash-").tempdir().expect("a folder");
    let fake = StripeFake::open().await;
    let mut server = Binary::start(folder.path());
    let token = live_seller(&server.anonymous, &fake).await;
    let body = order(json!({}));
    let name = reference(&body).to_owned();
    fake.goes_wrong("/confirm", Fault::ActsAndHangs);
    let payments = server.anonymous.under("/payments-api/v1").with_key(&token);
    let asking = tokio::spawn(async move {
        let headers =
            [("idempotency-key", fresh_uuid()), ("content-type", "application/json".to_owned())];
        let headers = headers.each_ref().map(|(name, value)| (*name, value.as_str()));
        payments
            .try_send(Method::POST, "/initialize-payment", &headers, &body.to_string())
            .await
            .is_ok()
    });
    until("the charge", async || (fake.charged().1 > 0).then_some(())).await;
    server.kill();
    assert!(!asking.await.expect("asked"));
    server = Binary::start(folder.path());
    // Nobody repeats the request. Left to the call's timer it would take a minute.
    let payments = server.anonymous.under("/payments-api/v1").with_key(&token);
    until("the outcome", async || {
        let payment = payments.get(&format!("/payments/{name}")).await.is(200);
        (payment["status"] == "provider_completed").then_some(())
    })
    .await;
    assert_eq!(fake.charged(), (1_250, 1));
    server.kill_for_good();
    folder.close().expect("removed");
}

/// The key of a live seller whose cards go to `fake`.
async fn live_seller(open: &Api, fake: &StripeFake) -> String {
    let operator = open.under("/backoffice/v1").with_key(OPERATOR);
    let made = operator.post("/sellers", &json!({"name": "Live", "email": "l@example.com"})).await;
    let made = made.is(201);
    let terminal = json!({
        "name": "Live", "rail": "card", "methods": ["card"], "currencies": ["EUR"],
        "mode": "live", "connector": "stripe", "baseUrl": fake.url(), "secretKey": STRIPE_KEY,
    });
    let path = format!("/sellers/{}/terminals", made["sellerAccountId"]);
    operator.post(&path, &terminal).await.is(201);
    made["apiKey"].as_str().expect("a key").to_owned()
}

/// Sends a request again, unchanged, until its outcome is known.
async fn answer_for_good(payments: &Api, step: &Step, key: &str) -> Response {
    until("an answer", async || {
        let response = payments.create(&step.path, key, &step.body).await;
        assert!(
            [200, 502, 503].contains(&response.status),
            "{}: {}",
            response.request,
            response.text
        );
        (response.status == 200).then_some(response)
    })
    .await
}
