//! Answers that are lost, and what is found out afterwards.

use std::time::Duration;

use actors::connector::Challenge;
use actors::domain::payments::failure::FailureCode;
use actors::domain::payments::method::Method;
use actors::domain::payments::payment::{CallKind, CaptureMode, ProviderOutcome};

use crate::support::processor::{AMOUNT, Asker};
use crate::support::stripe::{Fault, STRIPE_KEY, StripeFake};
use crate::support::until;

const GOOD: &str = "4242424242424242";
const CHALLENGED: &str = "4000000000003220";
const UNKNOWN: ProviderOutcome = ProviderOutcome::Unknown { doubt: FailureCode::ProviderError };

/// Whatever can happen to a question whose answer does not come, and whether it was acted on.
const FAULTS: [(Fault, bool); 6] = [
    (Fault::ActsAndDrops, true),
    (Fault::ActsAndFails, true),
    (Fault::Drops, false),
    (Fault::Status(500), false),
    (Fault::Status(409), false),
    (Fault::Status(429), false),
];

async fn at(root: &str) -> (StripeFake, Asker) {
    let fake = StripeFake::open().await;
    let asker = Asker::new(&fake.url(), STRIPE_KEY, root);
    (fake, asker)
}

#[tokio::test]
async fn an_opening_that_was_lost_is_called_off_and_never_charged() {
    for capture in [CaptureMode::Automatic, CaptureMode::Manual] {
        for (fault, acted) in FAULTS {
            let (fake, asker) = at("opening").await;
            fake.goes_wrong("/payment_intents", fault);
            assert_eq!(asker.create(Method::Card, capture).await, UNKNOWN, "{fault:?}");
            let found = asker.look_up(CallKind::Create, "create", None).await;
            assert_eq!(found, ProviderOutcome::Absent, "{fault:?} {capture:?}");
            assert_eq!(fake.charged(), (0, 0));
            assert_eq!(fake.status("pi_1"), "canceled", "{fault:?}: there is one, acted {acted}");
            assert_eq!(fake.status("pi_2"), "", "{fault:?}: and no other");
        }
    }
}

#[tokio::test]
async fn a_charge_that_was_lost_is_found_or_made_impossible() {
    for (fault, acted) in FAULTS {
        for path in ["/confirm", "/pi_1", "/payment_methods"] {
            let (fake, asker) = at("charge").await;
            let token = asker.open(CaptureMode::Automatic).await;
            fake.goes_wrong(path, fault);
            let lost = asker.charge(&token, GOOD, Challenge::Skip).await;
            assert_eq!(lost, UNKNOWN, "{fault:?} at {path}");
            let found = asker.look_up(CallKind::Charge, "charge", Some(&token)).await;
            let was_charged = acted && path == "/confirm";
            let expected = match was_charged {
                true => ProviderOutcome::Completed { token: token.clone() },
                false => ProviderOutcome::Absent,
            };
            assert_eq!(found, expected, "{fault:?} at {path}");
            let status = if was_charged { "succeeded" } else { "canceled" };
            assert_eq!(fake.status(&token), status, "{fault:?} at {path}");
            assert_eq!(fake.charged().1, usize::from(was_charged));
        }
    }
}

#[tokio::test]
async fn a_decline_whose_answer_was_lost_is_found() {
    let (fake, asker) = at("decline").await;
    let token = asker.open(CaptureMode::Automatic).await;
    fake.goes_wrong("/confirm", Fault::ActsAndDrops);
    assert_eq!(asker.charge(&token, "4000000000000036", Challenge::Ask).await, UNKNOWN);
    let found = asker.look_up(CallKind::Charge, "charge", Some(&token)).await;
    let code = FailureCode::AddressMismatch;
    assert_eq!(found, ProviderOutcome::Failed { code, token: Some(token) });
}

#[tokio::test]
async fn a_charge_that_nobody_waited_for_is_found_as_it_ended() {
    let (fake, asker) = at("hanging").await;
    let token = asker.open(CaptureMode::Manual).await;
    fake.goes_wrong("/confirm", Fault::ActsAndHangs);
    let charged = until("the charge", async || (fake.held() > 0).then_some(()));
    tokio::select! {
        outcome = asker.charge(&token, GOOD, Challenge::Ask) => panic!("answered {outcome:?}"),
        () = charged => (),
    }
    let found = asker.look_up(CallKind::Charge, "charge", Some(&token)).await;
    assert_eq!(found, ProviderOutcome::Authorized { token });
    assert_eq!((fake.held(), fake.charged().1), (AMOUNT, 1));
}

#[tokio::test]
async fn a_challenge_whose_answer_was_lost_sends_the_buyer_all_the_same() {
    let (fake, asker) = at("challenge").await;
    let token = asker.open(CaptureMode::Automatic).await;
    fake.goes_wrong("/confirm", Fault::ActsAndDrops);
    assert_eq!(asker.charge(&token, CHALLENGED, Challenge::Ask).await, UNKNOWN);
    let found = asker.look_up(CallKind::Charge, "charge", Some(&token)).await;
    assert!(matches!(found, ProviderOutcome::Challenged { url: Some(_), .. }), "{found:?}");
    fake.buyer_acts(&token, true);
    let found = asker.look_up(CallKind::Confirm, "confirm", Some(&token)).await;
    assert_eq!(found, ProviderOutcome::Completed { token });
}

#[tokio::test]
async fn asking_again_under_a_key_captures_and_gives_back_once() {
    for (fault, acted) in FAULTS {
        let (fake, asker) = at("again").await;
        let token = asker.open(CaptureMode::Manual).await;
        asker.charge(&token, GOOD, Challenge::Skip).await;
        fake.goes_wrong("/capture", fault);
        assert_eq!(asker.capture(&token, (1, 4_00), false).await, UNKNOWN, "{fault:?}");
        let found = asker.look_up(CallKind::Capture, "capture-1", Some(&token)).await;
        assert_eq!(found, ProviderOutcome::Absent, "while something is held, asking again tells");
        assert_eq!(asker.capture(&token, (1, 4_00), false).await, ProviderOutcome::Captured);
        assert_eq!(fake.charged(), (4_00, 1), "{fault:?}");
        assert_eq!(asker.capture(&token, (2, 8_50), true).await, ProviderOutcome::Captured);
        let found = asker.look_up(CallKind::Capture, "capture-2", Some(&token)).await;
        assert_eq!(found, ProviderOutcome::Captured);

        fake.goes_wrong("/refunds", fault);
        assert_eq!(asker.refund(&token, (1, AMOUNT)).await, UNKNOWN, "{fault:?}");
        assert_eq!(fake.given_back().1, usize::from(acted), "{fault:?}");
        let found = asker.look_up(CallKind::Refund, "refund-1", Some(&token)).await;
        assert!(matches!(found, ProviderOutcome::Refunded { .. }), "{fault:?}: {found:?}");
        let again = asker.refund(&token, (1, AMOUNT)).await;
        assert_eq!(again, found, "{fault:?}");
        assert_eq!(fake.given_back(), (AMOUNT, 1), "{fault:?}");
    }
}

#[tokio::test]
async fn calling_off_whose_answer_was_lost_is_called_off() {
    for (fault, _) in FAULTS {
        let (fake, asker) = at("off").await;
        let token = asker.open(CaptureMode::Manual).await;
        asker.charge(&token, GOOD, Challenge::Skip).await;
        fake.goes_wrong("/cancel", fault);
        assert_eq!(asker.cancel(&token).await, UNKNOWN, "{fault:?}");
        let found = asker.look_up(CallKind::Cancel, "cancel", Some(&token)).await;
        assert_eq!(found, ProviderOutcome::Cancelled, "{fault:?}");
        assert_eq!(fake.held(), 0);
    }
}

#[tokio::test]
async fn a_local_payment_that_was_lost_is_called_off_unless_the_buyer_was_quicker() {
    for buyer_was_quicker in [false, true] {
        let (fake, asker) = at("local").await;
        fake.goes_wrong("/payment_intents", Fault::ActsAndDrops);
        assert_eq!(asker.create(Method::MbWay, CaptureMode::Automatic).await, UNKNOWN);
        if buyer_was_quicker {
            fake.buyer_acts("pi_1", true);
        }
        let found = asker.look_up(CallKind::Create, "create", None).await;
        let expected = match buyer_was_quicker {
            true => ProviderOutcome::Completed { token: "pi_1".to_owned() },
            false => ProviderOutcome::Absent,
        };
        assert_eq!(found, expected);
        assert_eq!(fake.status("pi_2"), "", "no other was begun");
    }
}

#[tokio::test]
async fn what_was_charged_is_found_although_its_key_is_forgotten() {
    let (fake, asker) = at("old").await;
    let token = asker.open(CaptureMode::Automatic).await;
    asker.charge(&token, GOOD, Challenge::Ask).await;
    // So many others are opened in that hour that it is not on the first page.
    for nth in 0..120 {
        asker.open_under(&format!("other-{nth}"), CaptureMode::Manual).await;
    }
    fake.forgets_keys();
    assert_eq!(asker.look_up_long_after().await, ProviderOutcome::Completed { token });
    assert_eq!(fake.charged(), (AMOUNT, 1));
    assert_eq!(fake.status("pi_123"), "", "nothing is opened to look it up");
}

#[tokio::test]
async fn what_another_process_tried_again_later_is_found_although_its_key_is_forgotten() {
    let (fake, asker) = at("old").await;
    asker.open(CaptureMode::Automatic).await;
    asker.look_up(CallKind::Create, "create", None).await;
    fake.forgets_keys();
    // As what is tried again is opened in the place of what was called off.
    let token = asker.open_under("create-2", CaptureMode::Automatic).await;
    asker.charge(&token, GOOD, Challenge::Ask).await;
    fake.forgets_keys();
    assert_eq!(asker.look_up_long_after().await, ProviderOutcome::Completed { token });
    assert_eq!(fake.charged(), (AMOUNT, 1));
}

#[tokio::test]
async fn an_old_opening_that_nobody_charged_is_called_off_or_was_never_made() {
    for verifies in [false, true] {
        let (fake, mut asker) = at("old").await;
        if verifies {
            asker = asker.verifying();
        }
        assert_eq!(asker.look_up_long_after().await, ProviderOutcome::Absent, "never made");
        let token = asker.open(CaptureMode::Automatic).await;
        fake.forgets_keys();
        assert_eq!(asker.look_up_long_after().await, ProviderOutcome::Absent);
        assert_eq!(fake.status(&token), "canceled");
    }
}

#[tokio::test]
async fn an_old_opening_stays_open_where_the_processor_cannot_list_or_search() {
    for path in ["/payment_intents", "/search"] {
        for status in [500, 400] {
            let (fake, asker) = at("old").await;
            fake.goes_wrong(path, Fault::Status(status));
            assert_eq!(asker.look_up_long_after().await, UNKNOWN, "{path} {status}");
        }
    }
}

#[tokio::test]
async fn a_processor_that_is_not_there_leaves_all_open() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    drop(listener);
    let asker = Asker::new(&url, STRIPE_KEY, "nowhere");
    let asking = asker.create(Method::Card, CaptureMode::Automatic);
    let asked = tokio::time::timeout(Duration::from_secs(30), asking).await;
    assert_eq!(asked.expect("an outcome"), UNKNOWN);
    let found = asker.look_up(CallKind::Charge, "charge", Some("pi_1")).await;
    assert_eq!(found, UNKNOWN);
}
