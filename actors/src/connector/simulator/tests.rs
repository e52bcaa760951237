//! What payments of demo mode do.

use secrecy::SecretString;

use super::*;
use crate::connector::Challenge;
use crate::domain::money::{Currency, Money};
use crate::domain::payments::method::Method;
use crate::domain::payments::payment::{Ask, CaptureMode};
use crate::domain::payments::saved_card::OpenedCard;
use crate::domain::payments::source::{Source, WalletToken};
use crate::domain::testing;

const GOOD: &str = "4242424242424242";
const CHALLENGED: &str = "4000000000003220";

fn amount() -> Money {
    Money::new(12_50, Currency::EUR).expect("money")
}

fn card(number: &str) -> Source {
    Source::Card(testing::card(number, 12, 2030).into())
}

fn create(source: Source) -> Create {
    Create {
        key: "k-create".to_owned(),
        amount: amount(),
        reference: "r".to_owned(),
        method: Method::Card,
        source,
        billing: None,
        capture: CaptureMode::Automatic,
        challenge: Challenge::Ask,
        forced: None,
        phone: None,
        description: None,
        return_url: None,
        keeps_card: false,
    }
}

fn local(method: Method, phone: Option<&str>) -> Create {
    let phone = phone.map(str::to_owned);
    Create { method, phone, ..create(Source::Local) }
}

fn lost(kind: CallKind, key: &str, token: Option<String>) -> LookUp {
    let (key, reference) = (key.to_owned(), "r".to_owned());
    LookUp {
        key,
        kind,
        reference,
        token,
        amount: amount(),
        method: Method::Card,
        challenge: Challenge::Ask,
        taken: None,
        asked_long_ago: None,
    }
}

/// The outcome in a word, with the failure code and the token.
fn told(outcome: &ProviderOutcome) -> (String, String) {
    let (word, token) = match outcome {
        ProviderOutcome::Authorized { token } => ("authorized".to_owned(), Some(token)),
        ProviderOutcome::Completed { token } => ("completed".to_owned(), Some(token)),
        ProviderOutcome::Challenged { token, asks, url: None } => {
            let asks = match asks {
                Ask::Voucher { .. } => "Voucher".to_owned(),
                asks => format!("{asks:?}"),
            };
            (asks.to_lowercase(), Some(token))
        }
        ProviderOutcome::Failed { code, token } => (code.code().to_string(), token.as_ref()),
        other => panic!("no beginning answers {other:?}"),
    };
    (word, token.expect("a token").clone())
}

/// Begins, and looks the payment up as after a restart.
async fn begun(ask: Create) -> (String, String) {
    let outcome = Simulator.create(ask.clone()).await;
    assert_eq!(Simulator.create(ask.clone()).await, outcome, "asked twice");
    let (word, token) = told(&outcome);
    let again = lost(CallKind::Create, &ask.key, Some(token.clone()));
    assert_eq!(Simulator.look_up(again).await, outcome, "after a restart");
    let other = lost(CallKind::Create, "other", Some(token.clone()));
    assert_eq!(Simulator.look_up(other).await, ProviderOutcome::Absent);
    (word, token)
}

async fn confirmed(token: &str) -> String {
    let ask = Confirm { key: "k-confirm".to_owned(), token: token.to_owned(), amount: amount() };
    let outcome = Simulator.confirm(ask.clone()).await;
    assert_eq!(Simulator.confirm(ask).await, outcome, "asked twice");
    let again = lost(CallKind::Confirm, "k-confirm", Some(token.to_owned()));
    assert_eq!(Simulator.look_up(again).await, outcome, "after a restart");
    told(&outcome).0
}

#[tokio::test]
async fn the_number_decides_and_the_token_does_not_tell_it() {
    for (number, skip, asked, forced) in [
        (GOOD, "completed", "completed", "challenge"),
        ("5555555555554444", "completed", "completed", "challenge"),
        ("4111111111111111", "completed", "completed", "challenge"),
        (CHALLENGED, "3002", "challenge", "challenge"),
        ("4000000000000002", "2001", "2001", "2001"),
        ("4000000000000119", "2002", "2002", "2002"),
        ("4000000000000259", "2003", "2003", "2003"),
        ("4000000000000036", "2005", "2005", "2005"),
        ("4000000000000101", "1002", "1002", "1002"),
    ] {
        for (challenge, expected) in
            [(Challenge::Skip, skip), (Challenge::Ask, asked), (Challenge::Force, forced)]
        {
            let (word, token) = begun(Create { challenge, ..create(card(number)) }).await;
            assert_eq!(word, expected, "{number} {challenge:?}");
            assert!(!token.contains(&number[..6]), "{token} tells the number");
        }
    }
}

#[tokio::test]
async fn a_confirmed_challenge_ends_as_its_payment_was_asked_for() {
    for (capture, forced, end) in [
        (CaptureMode::Automatic, None, "completed"),
        (CaptureMode::Manual, None, "authorized"),
        (CaptureMode::Automatic, Some(FailureCode::CaptureFailed), "authorized"),
        (CaptureMode::Manual, Some(FailureCode::CaptureFailed), "authorized"),
    ] {
        let plain = Create { capture, forced, ..create(card(GOOD)) };
        assert_eq!(begun(plain).await.0, end, "{capture:?} {forced:?}");
        let (word, token) = begun(Create { capture, forced, ..create(card(CHALLENGED)) }).await;
        assert_eq!(word, "challenge");
        assert_eq!(confirmed(&token).await, end, "{capture:?} {forced:?}");
    }
    let forged =
        Confirm { key: "k-confirm".to_owned(), token: "sim_4242_x".to_owned(), amount: amount() };
    assert_eq!(Simulator.confirm(forged).await, ProviderOutcome::Absent);
}

#[tokio::test]
async fn forced_codes_fail_where_they_belong() {
    for code in FailureCode::ALL {
        let forced = Some(*code);
        let expected = match code.code() {
            number @ (2001 | 2002 | 2003 | 2005 | 3002) => number.to_string(),
            3001 => "authorized".to_owned(),
            _ => "completed".to_owned(),
        };
        assert_eq!(begun(Create { forced, ..create(card(GOOD)) }).await.0, expected, "{code:?}");
    }
    let forced = Some(FailureCode::Declined);
    let at_the_scheme = Create { forced, ..local(Method::Wero, None) };
    assert_eq!(begun(at_the_scheme).await.0, "2001", "local methods too");
}

#[tokio::test]
async fn what_failed_fails_again_when_it_is_tried_again() {
    for (number, expected) in
        [("4000000000000119", "2002"), ("4000000000000259", "2003"), (GOOD, "absent")]
    {
        let (_, token) = begun(create(card(number))).await;
        let again = Charge {
            key: "k-charge".to_owned(),
            token: token.clone(),
            source: card(number),
            billing: None,
            challenge: Challenge::Skip,
            return_url: None,
            keeps_card: false,
        };
        let told = match Simulator.charge(again).await {
            ProviderOutcome::Failed { code, token: Some(same) } if same == token => {
                code.code().to_string()
            }
            other => format!("{other:?}").to_lowercase(),
        };
        assert_eq!(told, expected, "{number}");
    }
}

#[tokio::test]
async fn wallet_tokens_are_approved_whatever_the_challenge() {
    for challenge in [Challenge::Skip, Challenge::Ask, Challenge::Force] {
        let token = WalletToken::new(SecretString::from("opaque"), None, None);
        let ask = Create { challenge, ..create(Source::Wallet(token.into())) };
        assert_eq!(begun(ask).await.0, "completed");
    }
}

#[tokio::test]
async fn local_methods_ask_the_buyer_in_their_own_way() {
    for (method, phone, expected) in [
        (Method::Bancontact, None, "redirect"),
        (Method::Wero, None, "redirect"),
        (Method::Swish, Some("+46700000000"), "redirect"),
        (Method::MbWay, None, "redirect"),
        (Method::MbWay, Some("+351912345678"), "push"),
        (Method::Multibanco, None, "voucher"),
    ] {
        let (word, token) = begun(local(method, phone)).await;
        assert_eq!(word, expected, "{method}");
        assert_eq!(confirmed(&token).await, "completed", "{method}");
    }
}

#[tokio::test]
async fn a_voucher_has_digits_that_stay_the_same() {
    let reference = async |key: &str| {
        let ask = Create { key: key.to_owned(), ..local(Method::Multibanco, None) };
        match Simulator.create(ask).await {
            ProviderOutcome::Challenged { asks: Ask::Voucher { entity, reference }, .. } => {
                assert_eq!((entity.len(), reference.len()), (5, 9));
                assert!((entity + &reference).bytes().all(|byte| byte.is_ascii_digit()));
                reference
            }
            other => panic!("no voucher: {other:?}"),
        }
    };
    assert_eq!(reference("k-1").await, reference("k-1").await);
    assert_ne!(reference("k-1").await, reference("k-2").await);
}

#[tokio::test]
async fn what_is_held_is_captured_unless_a_failure_is_forced() {
    let ask = |forced| Capture {
        key: "k-capture".to_owned(),
        token: "sim_hold_0".to_owned(),
        amount: amount(),
        last: true,
        forced,
    };
    let refused = ProviderOutcome::Failed {
        code: FailureCode::CaptureFailed,
        token: Some("sim_hold_0".to_owned()),
    };
    assert_eq!(Simulator.capture(ask(None)).await, ProviderOutcome::Captured);
    assert_eq!(Simulator.capture(ask(Some(FailureCode::CaptureFailed))).await, refused);
    let other = Some(FailureCode::SettlementFailed);
    assert_eq!(Simulator.capture(ask(other)).await, ProviderOutcome::Captured);
    let again = lost(CallKind::Capture, "k-capture", Some("sim_hold_0".to_owned()));
    assert_eq!(Simulator.look_up(again).await, ProviderOutcome::Absent, "asking again tells");
    let cancel = Cancel { key: "k-cancel".to_owned(), token: "sim_hold_0".to_owned() };
    assert_eq!(Simulator.cancel(cancel).await, ProviderOutcome::Cancelled);
}

#[tokio::test]
async fn refunds_go_through_fail_or_are_called_off() {
    let ask = |forced| Refund {
        key: "k-refund".to_owned(),
        token: "sim_approve_0".to_owned(),
        amount: amount(),
        reason: None,
        forced,
    };
    let under_way = Simulator.refund(ask(None)).await;
    let ProviderOutcome::Pending { token: Some(token) } = under_way else {
        panic!("not under way: {under_way:?}");
    };
    let again = lost(CallKind::Refund, "k-refund", Some("sim_approve_0".to_owned()));
    assert_eq!(Simulator.look_up(again).await, ProviderOutcome::Refunded { token });
    let early = Some(ForcedRefund::Fails(FailureCode::RefundTooEarly));
    let failed = Simulator.refund(ask(early)).await;
    assert!(matches!(failed, ProviderOutcome::Failed { code: FailureCode::RefundTooEarly, .. }));
    let cancelled = Simulator.refund(ask(Some(ForcedRefund::Cancelled))).await;
    assert_eq!(cancelled, ProviderOutcome::RefundCancelled);
}

#[tokio::test]
async fn a_payment_that_has_no_name_was_never_begun() {
    for kind in [CallKind::Create, CallKind::Charge, CallKind::Capture, CallKind::Refund] {
        let outcome = Simulator.look_up(lost(kind, "k", None)).await;
        assert_eq!(outcome, ProviderOutcome::Absent, "{kind:?}");
    }
}

#[tokio::test]
async fn a_card_that_was_kept_does_what_its_number_says_when_nobody_is_there() {
    for (number, later) in [
        (GOOD, "completed"),
        ("4000000000000341", "2001"),
        ("4000000000009979", "2003"),
        (CHALLENGED, "3002"),
    ] {
        let ask = Create { keeps_card: true, ..create(card(number)) };
        let summary = ask.source.summary().expect("a card");
        let (_, kept) = Simulator.create(ask).await.and_card();
        let kept = kept.expect("a name for the card");
        assert!(!kept.as_str().contains(number));
        let opened = OpenedCard::new(kept.as_str().into(), summary);
        let again = Create {
            key: "k2-create".to_owned(),
            challenge: Challenge::Skip,
            ..create(Source::Saved(opened.into()))
        };
        assert_eq!(begun(again).await.0, later, "{number}");
    }
    let (_, none) = Simulator.create(create(card(GOOD))).await.and_card();
    assert_eq!(none, None, "nobody asked for it to be kept");
}
