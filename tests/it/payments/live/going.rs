//! What works, and what the processor turns down.

use actors::connector::Challenge;
use actors::domain::payments::failure::FailureCode;
use actors::domain::payments::method::Method;
use actors::domain::payments::payment::{Ask, CaptureMode, ProviderOutcome};

use crate::support::processor::{AMOUNT, Asker};
use crate::support::stripe::{STRIPE_KEY, StripeFake};

const GOOD: &str = "4242424242424242";
const CHALLENGED: &str = "4000000000003220";

async fn at(root: &str) -> (StripeFake, Asker) {
    let fake = StripeFake::open().await;
    let asker = Asker::new(&fake.url(), STRIPE_KEY, root);
    (fake, asker)
}

#[tokio::test]
async fn a_card_is_charged_and_the_money_given_back_in_parts() {
    let (fake, asker) = at("plain").await;
    let token = asker.open(CaptureMode::Automatic).await;
    assert_eq!(fake.charged(), (0, 0), "an open payment has no card");
    let charged = asker.charge(&token, GOOD, Challenge::Skip).await;
    assert_eq!(charged, ProviderOutcome::Completed { token: token.clone() });
    assert_eq!(fake.charged(), (AMOUNT, 1));
    for nth in [1, 2] {
        let refunded = asker.refund(&token, (nth, 5_00)).await;
        assert!(matches!(refunded, ProviderOutcome::Refunded { .. }), "{refunded:?}");
    }
    let too_much = asker.refund(&token, (3, 5_00)).await;
    let refused = |outcome: &ProviderOutcome, expected: FailureCode| match outcome {
        ProviderOutcome::Refused { code, refusal, .. } => {
            *code == expected && refusal.status == 400
        }
        _ => false,
    };
    assert!(refused(&too_much, FailureCode::Declined), "{too_much:?}");
    assert_eq!(fake.given_back(), (10_00, 2));
    assert!(!fake.asked().iter().any(|asked| asked.contains("too%20small")), "words stay here");
}

#[tokio::test]
async fn what_is_held_is_captured_in_parts_and_the_rest_let_go() {
    let (fake, asker) = at("held").await;
    let token = asker.open(CaptureMode::Manual).await;
    let held = asker.charge(&token, GOOD, Challenge::Skip).await;
    assert_eq!(held, ProviderOutcome::Authorized { token: token.clone() });
    assert_eq!((fake.held(), fake.charged().0), (AMOUNT, 0));
    assert_eq!(asker.capture(&token, (1, 4_00), false).await, ProviderOutcome::Captured);
    assert_eq!((fake.held(), fake.charged().0), (AMOUNT - 4_00, 4_00));
    assert_eq!(asker.capture(&token, (2, 3_00), true).await, ProviderOutcome::Captured);
    assert_eq!((fake.held(), fake.charged().0), (0, 7_00));
    let late = asker.capture(&token, (3, 1_00), true).await;
    let ProviderOutcome::Refused { code: FailureCode::CaptureFailed, refusal, .. } = late else {
        panic!("{late:?}");
    };
    assert!(refusal.is_final, "nothing is held any more");
    let cancelled = asker.cancel(&token).await;
    assert_eq!(cancelled, ProviderOutcome::Completed { token }, "too late to call it off");
}

#[tokio::test]
async fn what_is_held_can_be_let_go_and_letting_go_twice_is_once() {
    let (fake, asker) = at("off").await;
    let token = asker.open(CaptureMode::Manual).await;
    asker.charge(&token, GOOD, Challenge::Skip).await;
    assert_eq!(asker.cancel(&token).await, ProviderOutcome::Cancelled);
    assert_eq!(asker.cancel(&token).await, ProviderOutcome::Cancelled);
    assert_eq!((fake.held(), fake.charged().0), (0, 0));
    let captured = asker.capture(&token, (1, 1_00), true).await;
    assert!(matches!(captured, ProviderOutcome::Refused { code: FailureCode::CaptureFailed, .. }));
}

#[tokio::test]
async fn the_buyer_is_sent_to_the_bank_and_the_payment_goes_on_afterwards() {
    for (number, challenge) in [(CHALLENGED, Challenge::Ask), (GOOD, Challenge::Force)] {
        for approves in [true, false] {
            let (fake, asker) = at("challenge").await;
            let token = asker.open(CaptureMode::Automatic).await;
            let asked = asker.charge(&token, number, challenge).await;
            let url = Some(format!("https://bank.example.com/{token}"));
            let challenged =
                ProviderOutcome::Challenged { token: token.clone(), asks: Ask::Challenge, url };
            assert_eq!(asked, challenged);
            assert_eq!(asker.confirm(&token).await, challenged, "not yet");
            fake.buyer_acts(&token, approves);
            let expected = match approves {
                true => ProviderOutcome::Completed { token: token.clone() },
                false => ProviderOutcome::Failed {
                    code: FailureCode::Declined,
                    token: Some(token.clone()),
                },
            };
            assert_eq!(asker.confirm(&token).await, expected);
            assert_eq!(asker.confirm(&token).await, expected, "asked twice");
            assert_eq!(fake.charged().1, usize::from(approves));
        }
    }
}

#[tokio::test]
async fn a_card_that_needs_a_challenge_is_refused_where_none_is_wanted() {
    let (fake, asker) = at("skip").await;
    let token = asker.open(CaptureMode::Automatic).await;
    let refused = asker.charge(&token, CHALLENGED, Challenge::Skip).await;
    let code = FailureCode::AuthenticationRequired;
    assert_eq!(refused, ProviderOutcome::Failed { code, token: Some(token.clone()) });
    assert_eq!(fake.status(&token), "canceled", "it cannot be confirmed later");
}

#[tokio::test]
async fn a_card_that_is_turned_down_says_why() {
    for (number, code) in [
        ("4000000000000002", FailureCode::Declined),
        ("4000000000000119", FailureCode::ProviderError),
        ("4000000000000036", FailureCode::AddressMismatch),
    ] {
        let (fake, asker) = at("declined").await;
        let token = asker.open(CaptureMode::Automatic).await;
        let declined = asker.charge(&token, number, Challenge::Skip).await;
        assert_eq!(declined, ProviderOutcome::Failed { code, token: Some(token) }, "{number}");
        assert_eq!(fake.charged(), (0, 0));
    }
}

#[tokio::test]
async fn a_card_that_was_turned_down_is_tried_again_under_the_same_key() {
    let (fake, asker) = at("again").await;
    let token = asker.open(CaptureMode::Automatic).await;
    let declined = asker.charge(&token, "4000000000000119", Challenge::Skip).await;
    assert!(matches!(declined, ProviderOutcome::Failed { .. }));
    assert_eq!(asker.open(CaptureMode::Automatic).await, token, "still the same payment");
    for _ in 0..2 {
        let charged = asker.charge(&token, GOOD, Challenge::Skip).await;
        assert_eq!(charged, ProviderOutcome::Completed { token: token.clone() });
    }
    assert_eq!(fake.charged(), (AMOUNT, 1), "asked twice, charged once");
}

#[tokio::test]
async fn a_payment_that_was_called_off_is_opened_anew() {
    let (fake, asker) = at("anew").await;
    let first = asker.open(CaptureMode::Manual).await;
    assert_eq!(asker.cancel(&first).await, ProviderOutcome::Cancelled);
    let late = asker.charge(&first, GOOD, Challenge::Skip).await;
    assert_eq!(late, ProviderOutcome::Absent);
    let second = asker.open(CaptureMode::Manual).await;
    assert_ne!(first, second);
    assert_eq!(asker.open(CaptureMode::Manual).await, second, "once");
    let held = asker.charge(&second, GOOD, Challenge::Ask).await;
    assert_eq!(held, ProviderOutcome::Authorized { token: second });
    assert_eq!(fake.held(), AMOUNT);
}

#[tokio::test]
async fn local_methods_say_what_the_buyer_has_to_do() {
    for method in [Method::Bancontact, Method::Wero, Method::MbWay, Method::Multibanco] {
        let (fake, asker) = at("local").await;
        let asked = asker.create(method, CaptureMode::Automatic).await;
        let ProviderOutcome::Challenged { token, asks, url } = asked else {
            panic!("{method}: {asked:?}");
        };
        let reference = "123456789".to_owned();
        let (expected, to_a_page) = match method {
            Method::MbWay => (Ask::Push, false),
            Method::Multibanco => (Ask::Voucher { entity: "11249".to_owned(), reference }, false),
            _ => (Ask::Redirect, true),
        };
        assert_eq!(asks, expected, "{method}");
        // An app asks by itself; the fake gives every other method a page to come back from.
        assert_eq!(url.is_some(), to_a_page, "{method}");
        fake.buyer_acts(&token, true);
        assert_eq!(asker.confirm(&token).await, ProviderOutcome::Completed { token });
    }
}

#[tokio::test]
async fn an_account_that_is_not_known_charges_nothing() {
    let fake = StripeFake::open().await;
    let asker = Asker::new(&fake.url(), "sk_live_of_another", "stranger");
    let asked = asker.create(Method::Card, CaptureMode::Automatic).await;
    assert!(matches!(asked, ProviderOutcome::Refused { code: FailureCode::ProviderError, .. }));
    let doubt = FailureCode::ProviderError;
    let refunded = asker.refund("pi_1", (1, AMOUNT)).await;
    assert_eq!(
        refunded,
        ProviderOutcome::Unknown { doubt },
        "an earlier one may have gone through"
    );
    assert_eq!(fake.given_back(), (0, 0));
}
