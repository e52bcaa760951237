//! The same at `localstripe`, a test server that others wrote. The test command starts it
//! (`tests/localstripe/run`) and names it in `LOCALSTRIPE_URL`; without that these tests have
//! nobody to ask, and ask nobody.
//!
//! It ignores idempotency keys, and lets refunds exceed the charge.

use accrue::cli::client::Wire;
use actors::connector::{Challenge, Forgotten};
use actors::domain::payments::failure::FailureCode;
use actors::domain::payments::payment::{CallKind, CaptureMode, ProviderOutcome};
use actors::domain::payments::saved_card::CardToken;
use hyper::Method;

use crate::support::processor::{AMOUNT, Asker};
use crate::support::{Value, fresh, json};

const GOOD: &str = "4242424242424242";

fn asker() -> Option<Asker> {
    let url = std::env::var("LOCALSTRIPE_URL").ok()?;
    Some(Asker::new(&url, "sk_test_12345", &fresh("live")))
}

#[tokio::test]
async fn a_card_is_charged_and_refunded() {
    let Some(asker) = asker() else { return };
    let token = asker.open(CaptureMode::Automatic).await;
    let charged = asker.charge(&token, GOOD, Challenge::Skip).await;
    assert_eq!(charged, ProviderOutcome::Completed { token: token.clone() });
    assert_eq!(asker.confirm(&token).await, charged);
    let found = asker.look_up(CallKind::Charge, "charge", Some(&token)).await;
    assert_eq!(found, charged);
    let refunded = asker.refund(&token, (1, 5_00)).await;
    assert!(matches!(refunded, ProviderOutcome::Refunded { .. }), "{refunded:?}");
    let found = asker.look_up(CallKind::Refund, "refund-1", Some(&token)).await;
    assert_eq!(found, refunded, "found by its key, not made again");
    let cancelled = asker.cancel(&token).await;
    assert_eq!(cancelled, ProviderOutcome::Completed { token }, "too late to call it off");
}

#[tokio::test]
async fn what_is_held_is_captured_or_let_go() {
    let Some(asker) = asker() else { return };
    let held = asker.open(CaptureMode::Manual).await;
    let outcome = asker.charge(&held, GOOD, Challenge::Skip).await;
    assert_eq!(outcome, ProviderOutcome::Authorized { token: held.clone() });
    assert_eq!(asker.capture(&held, (1, 4_00), true).await, ProviderOutcome::Captured);
    let found = asker.look_up(CallKind::Capture, "capture-1", Some(&held)).await;
    assert_eq!(found, ProviderOutcome::Captured);

    let dropped = asker.open(CaptureMode::Manual).await;
    asker.charge(&dropped, GOOD, Challenge::Skip).await;
    assert_eq!(asker.cancel(&dropped).await, ProviderOutcome::Cancelled);
    let again = asker.look_up(CallKind::Cancel, "cancel", Some(&dropped)).await;
    assert_eq!(again, ProviderOutcome::Cancelled);
    let late = asker.capture(&dropped, (2, AMOUNT), true).await;
    assert_eq!(late, ProviderOutcome::Cancelled);
}

#[tokio::test]
async fn a_card_is_turned_down_or_needs_a_challenge() {
    let Some(asker) = asker() else { return };
    let token = asker.open(CaptureMode::Automatic).await;
    let declined = asker.charge(&token, "4000000000000341", Challenge::Skip).await;
    let code = FailureCode::Declined;
    assert_eq!(declined, ProviderOutcome::Failed { code, token: Some(token) });

    let token = asker.open(CaptureMode::Automatic).await;
    let refused = asker.charge(&token, "4000000000003220", Challenge::Skip).await;
    let code = FailureCode::AuthenticationRequired;
    assert_eq!(refused, ProviderOutcome::Failed { code, token: Some(token.clone()) });
    let found = asker.look_up(CallKind::Charge, "charge", Some(&token)).await;
    assert_eq!(found, ProviderOutcome::Absent, "it was called off");
}

#[tokio::test]
async fn a_payment_that_was_only_opened_is_called_off() {
    let Some(asker) = asker() else { return };
    let token = asker.open(CaptureMode::Automatic).await;
    let found = asker.look_up(CallKind::Charge, "charge", Some(&token)).await;
    assert_eq!(found, ProviderOutcome::Absent);
    let charged = asker.charge(&token, GOOD, Challenge::Skip).await;
    assert_eq!(charged, ProviderOutcome::Absent, "too late");
    let found = asker.look_up(CallKind::Create, "create", None).await;
    assert_eq!(found, ProviderOutcome::Absent);
}

#[tokio::test]
async fn a_kept_card_is_forgotten() {
    let Some(asker) = asker() else { return };
    let url = std::env::var("LOCALSTRIPE_URL").expect("there is a server");
    let address = url.trim_start_matches("http://").parse().expect("an address");
    let mut wire = Wire::open(address, "sk_test_12345").await.expect("it listens");
    let mut ask = async |method: Method, path: &str, body: Value| -> Value {
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let (status, answer) = wire.call(method, path, None, body.into()).await.expect("an answer");
        let answer = serde_json::from_slice(&answer).expect("JSON");
        assert!(status.is_success(), "{path}: {answer}");
        answer
    };
    let card = json!({"number": GOOD, "exp_month": "12", "exp_year": "2030", "cvc": "123"});
    let method = json!({"type": "card", "card": card});
    let method = ask(Method::POST, "/v1/payment_methods", method).await["id"].clone();
    let customer = ask(Method::POST, "/v1/customers", json!({})).await["id"].clone();
    let (method, customer) = (method.as_str().expect("a name"), customer.as_str().expect("a name"));
    let path = format!("/v1/payment_methods/{method}");
    let of = json!({"customer": customer});
    let attached = ask(Method::POST, &format!("{path}/attach"), of).await;
    assert_eq!(attached["customer"], customer);

    let kept = CardToken::new(format!("{customer}/{method}"));
    assert_eq!(asker.forget(&kept).await, Forgotten::Gone);
    let now = ask(Method::GET, &path, Value::Null).await;
    assert_eq!(now["customer"], Value::Null);
    let unknown = CardToken::new("cus_gone/pm_gone".to_owned());
    assert_eq!(asker.forget(&unknown).await, Forgotten::Gone);
}
