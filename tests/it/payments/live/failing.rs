//! Failures that the processor keeps: whenever it is asked again under the key, it tells the same.

use actors::connector::{Challenge, LookUp};
use actors::domain::payments::failure::FailureCode;
use actors::domain::payments::method::Method;
use actors::domain::payments::payment::{CallKind, CaptureMode, ProviderOutcome};

use crate::support::processor::{AMOUNT, Asker};
use crate::support::stripe::{Fault, STRIPE_KEY, StripeFake};

const GOOD: &str = "4242424242424242";
const UNKNOWN: ProviderOutcome = ProviderOutcome::Unknown { doubt: FailureCode::ProviderError };

const FAULTS: [(Fault, bool); 2] =
    [(Fault::ActsAndKeepsFailing, true), (Fault::KeepsFailing, false)];

async fn at(root: &str) -> (StripeFake, Asker) {
    let fake = StripeFake::open().await;
    let asker = Asker::new(&fake.url(), STRIPE_KEY, root);
    (fake, asker)
}

#[tokio::test]
async fn a_hold_is_let_go_although_the_processor_keeps_a_failure() {
    for (fault, _) in FAULTS {
        let (fake, asker) = at("hold").await;
        let token = asker.open(CaptureMode::Manual).await;
        asker.charge(&token, GOOD, Challenge::Skip).await;
        fake.goes_wrong("/cancel", fault);
        assert_eq!(asker.cancel(&token).await, UNKNOWN, "{fault:?}");
        let found = asker.look_up(CallKind::Cancel, "cancel", Some(&token)).await;
        assert_eq!(found, ProviderOutcome::Cancelled, "{fault:?}");
        assert_eq!((fake.held(), fake.status(&token).as_str()), (0, "canceled"));
    }
}

#[tokio::test]
async fn a_lost_charge_is_called_off_although_the_processor_keeps_a_failure() {
    for (fault, _) in FAULTS {
        let (fake, asker) = at("charge").await;
        let token = asker.open(CaptureMode::Automatic).await;
        fake.goes_wrong("/confirm", Fault::Drops);
        assert_eq!(asker.charge(&token, GOOD, Challenge::Skip).await, UNKNOWN);
        fake.goes_wrong("/cancel", fault);
        let mut found = UNKNOWN;
        for _ in 0..2 {
            found = asker.look_up(CallKind::Charge, "charge", Some(&token)).await;
        }
        assert_eq!(found, ProviderOutcome::Absent, "{fault:?}");
        assert_eq!((fake.charged(), fake.status(&token).as_str()), ((0, 0), "canceled"));
    }
}

#[tokio::test]
async fn a_part_that_was_captured_is_known_by_what_was_taken_in_all() {
    for (fault, acted) in FAULTS {
        let (fake, asker) = at("part").await;
        let token = asker.open(CaptureMode::Manual).await;
        asker.charge(&token, GOOD, Challenge::Skip).await;
        assert_eq!(asker.capture(&token, (1, 3_00), false).await, ProviderOutcome::Captured);
        fake.goes_wrong("/capture", fault);
        assert_eq!(asker.capture(&token, (2, 4_00), false).await, UNKNOWN, "{fault:?}");
        let lost = asker.lost(CallKind::Capture, "capture-2", Some(&token));
        let found = asker.find(LookUp { taken: Some(7_00), ..lost }).await;
        let expected = if acted { ProviderOutcome::Captured } else { ProviderOutcome::Absent };
        assert_eq!(found, expected, "{fault:?}");
        let again = asker.capture(&token, (2, 4_00), false).await;
        assert_eq!(again, UNKNOWN, "{fault:?}: no other key would be safe");
        assert_eq!(fake.charged(), (if acted { 7_00 } else { 3_00 }, 1));
    }
}

#[tokio::test]
async fn letting_the_rest_go_is_not_done_because_nothing_more_was_taken() {
    let (fake, asker) = at("rest").await;
    let token = asker.open(CaptureMode::Manual).await;
    asker.charge(&token, GOOD, Challenge::Skip).await;
    asker.capture(&token, (1, 3_00), false).await;
    fake.goes_wrong("/capture", Fault::Drops);
    assert_eq!(asker.capture(&token, (2, 0), true).await, UNKNOWN);
    let found = asker.look_up(CallKind::Capture, "capture-2", Some(&token)).await;
    assert_eq!(found, ProviderOutcome::Absent);
    assert_eq!(fake.held(), AMOUNT - 3_00);
}

#[tokio::test]
async fn an_opening_of_a_card_that_keeps_failing_is_over_and_made_anew() {
    for (fault, _) in FAULTS {
        for verifies in [false, true] {
            let (fake, asker) = at("opening").await;
            let asker = if verifies { asker.verifying() } else { asker };
            let path = if verifies { "/setup_intents" } else { "/payment_intents" };
            fake.goes_wrong(path, fault);
            let opening = asker.create(Method::Card, CaptureMode::Automatic).await;
            assert_eq!(opening, UNKNOWN, "{fault:?}");
            let found = asker.look_up(CallKind::Create, "create", None).await;
            assert_eq!(found, ProviderOutcome::Absent, "{fault:?}");
            let token = asker.open(CaptureMode::Automatic).await;
            assert_eq!(asker.open(CaptureMode::Automatic).await, token, "once");
            let charged = asker.charge(&token, GOOD, Challenge::Skip).await;
            assert!(matches!(charged, ProviderOutcome::Completed { .. }), "{charged:?}");
            assert_eq!(fake.charged().1, usize::from(!verifies), "{fault:?}");
        }
    }
}

#[tokio::test]
async fn an_opening_that_the_processor_fails_at_for_now_is_asked_about_again() {
    let (fake, asker) = at("passing").await;
    for _ in 0..2 {
        fake.goes_wrong("/payment_intents", Fault::Status(500));
    }
    assert_eq!(asker.create(Method::Card, CaptureMode::Automatic).await, UNKNOWN);
    assert_eq!(asker.look_up(CallKind::Create, "create", None).await, UNKNOWN);
    let found = asker.look_up(CallKind::Create, "create", None).await;
    assert_eq!(found, ProviderOutcome::Absent, "opened and called off");
    assert_eq!(fake.status("pi_1"), "canceled");
}

#[tokio::test]
async fn a_local_method_whose_beginning_keeps_failing_may_have_reached_the_buyer() {
    let (fake, asker) = at("local").await;
    fake.goes_wrong("/payment_intents", Fault::KeepsFailing);
    assert_eq!(asker.create(Method::MbWay, CaptureMode::Automatic).await, UNKNOWN);
    let lost = asker.lost(CallKind::Create, "create", None);
    let found = asker.find(LookUp { method: Method::MbWay, ..lost }).await;
    assert_eq!(found, UNKNOWN);
}
