//! Payments that the processor does not know: another one is asked than the one that charged them.

use actors::connector::Challenge;
use actors::domain::ids::SellerId;
use actors::domain::payments::failure::FailureCode;
use actors::domain::payments::payment::{CallKind, CaptureMode, ProviderOutcome};

use super::whole::live_at;
use crate::support::orders::{order, reference};
use crate::support::processor::{AMOUNT, Asker};
use crate::support::stripe::{STRIPE_KEY, StripeFake};
use crate::support::{Server, Value, json};

const GOOD: &str = "4242424242424242";
const UNKNOWN: ProviderOutcome = ProviderOutcome::Unknown { doubt: FailureCode::ProviderError };

#[tokio::test]
async fn what_another_account_does_not_know_is_not_taken_for_never_charged() {
    let (fake, other) = (StripeFake::open().await, StripeFake::open().await);
    let asker = Asker::new(&fake.url(), STRIPE_KEY, "moved");
    let token = asker.open(CaptureMode::Automatic).await;
    asker.charge(&token, GOOD, Challenge::Skip).await;
    let stranger = Asker::new(&other.url(), STRIPE_KEY, "moved");
    for (kind, word) in [
        (CallKind::Create, "create"),
        (CallKind::Charge, "charge"),
        (CallKind::Confirm, "confirm"),
        (CallKind::Capture, "capture-1"),
        (CallKind::Cancel, "cancel"),
        (CallKind::Refund, "refund-1"),
    ] {
        let found = stranger.look_up(kind, word, Some(&token)).await;
        assert_eq!(found, UNKNOWN, "{kind:?}");
    }
    assert_eq!(stranger.confirm(&token).await, UNKNOWN);
    assert_eq!(stranger.cancel(&token).await, UNKNOWN);
    assert_eq!(stranger.refund(&token, (1, AMOUNT)).await, UNKNOWN);
    let found = asker.look_up(CallKind::Charge, "charge", Some(&token)).await;
    assert_eq!(found, ProviderOutcome::Completed { token }, "the one that charged it knows");
}

#[tokio::test]
async fn a_terminal_stays_where_it_is_while_payments_are_open_there() {
    let server = Server::start().await;
    let (fake, other) = (StripeFake::open().await, StripeFake::open().await);
    let seller = live_at(&server, &fake.url(), STRIPE_KEY).await;
    let terminals = format!("/sellers/{}/terminals", seller.id);
    let own = server.operator.get(&terminals).await.is(200)["terminals"][0]["id"].clone();
    let path = format!("{terminals}/{own}");
    let terminal = |url: String, more: Value| {
        let mut body = json!({
            "name": "Live", "rail": "card", "methods": ["card"], "currencies": ["EUR"],
            "mode": "live", "connector": "stripe", "baseUrl": url, "secretKey": STRIPE_KEY,
        });
        body["status"] = more;
        body
    };
    let elsewhere = terminal(other.url(), json!("active"));

    let held = seller.held(json!({})).await;
    let refused = server.operator.put(&path, &elsewhere).await;
    refused.refuses_saying(
        409,
        "payments of this terminal are open at its baseUrl: disable it, and make another for the \
         new one",
    );
    let mut demo = terminal(fake.url(), json!("active"));
    (demo["mode"], demo["connector"]) = (json!("demo"), json!("simulator"));
    demo.as_object_mut().expect("an object").retain(|name, _| !name.ends_with("Url"));
    demo.as_object_mut().expect("an object").remove("secretKey");
    server.operator.put(&path, &demo).await.has_status(409);
    server.operator.put(&path, &terminal(fake.url(), json!("disabled"))).await.is(200);
    server.operator.put(&path, &terminal(fake.url(), json!("active"))).await.is(200);
    seller.act_on(&held, "cancel", &json!({})).await.is(200);

    let waiting = order(json!({"skip3DS": false}));
    seller.initiate(&waiting).await.is(202);
    server.operator.put(&path, &elsewhere).await.has_status(409);
    fake.buyer_acts("pi_3", true);
    assert_eq!(seller.finalize(reference(&waiting)).await.is(200)["status"], "provider_completed");

    // Its money is asked for there until it is available.
    server.operator.put(&path, &elsewhere).await.has_status(409);
    fake.pays_out();
    let (payments, of) = (&server.app().payments, SellerId(seller.id));
    let taken = payments.by_reference(of, reference(&waiting)).expect("read").expect("there");
    payments.check_funds(of, taken.id).await.expect("asked");
    let moved = server.operator.put(&path, &elsewhere).await.is(200);
    assert_eq!(moved["baseUrl"], other.url());
    server.close().await;
}
