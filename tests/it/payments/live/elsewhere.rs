//! Payments that the processor does not know: another one is asked than the one that charged them.

use actors::connector::Challenge;
use actors::domain::payments::failure::FailureCode;
use actors::domain::payments::payment::{CallKind, CaptureMode, ProviderOutcome};

use crate::support::processor::{AMOUNT, Asker};
use crate::support::stripe::{STRIPE_KEY, StripeFake};

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
