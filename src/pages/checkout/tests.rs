//! How a session stands, from its payment alone.

use actors::domain::payments::failure::FailureCode;
use actors::domain::payments::method::Method;
use actors::domain::payments::payment::{
    Attempt, ChallengeState, Checkout, Instructions, Payment, PaymentStatus, RefundSums,
};
use actors::domain::platform::seller::Mode;
use askama::Template;

use super::form::{CheckoutForm, OtherProblem};
use super::state::{LastAttempt, Session, Stage};
use super::waiting::Waiting;
use crate::pages::bill::SellerView;
use crate::pages::language::Words;
use crate::testing::{self, begun};

fn checkout() -> Checkout {
    Checkout {
        success_url: "https://shop.example/thanks".to_owned(),
        failure_url: "https://shop.example/sorry".to_owned(),
        description: Some("Two <tickets>".to_owned()),
        seller_name: None,
        logo_url: None,
        locale: Some("en-IE".to_owned()),
        force_challenge: false,
        expires_at: begun().plus_seconds(24 * 3600),
        attempts: Vec::new(),
        begun: 0,
        trying: false,
        phone: None,
        customer: None,
    }
}

fn payment(checkout: Checkout) -> Payment {
    testing::payment(Some(checkout))
}

/// A payment whose attempt with `method` waits for the buyer.
fn waiting(method: Method, instructions: Option<Instructions>) -> Payment {
    let mut payment = payment(Checkout { trying: true, begun: 1, ..checkout() });
    payment.method = method;
    payment.challenge = Some(ChallengeState::Pending);
    payment.instructions = instructions;
    payment.expires_at = Some(begun().plus_seconds(240));
    payment
}

fn stage_at(payment: &Payment, second: i64) -> Stage {
    let checkout = payment.checkout.as_ref().expect("a session");
    Stage::of(payment, checkout, begun().plus_seconds(second))
}

fn session(payment: Payment, methods: &[Method]) -> Session {
    let browser = Words::of_tag("nl").expect("a language");
    Session {
        t: Words::of_payment(&payment, browser),
        id: "abc".to_owned(),
        checkout: payment.checkout.clone().expect("a session"),
        seller: SellerView::new(Words::english(), "Nordlicht"),
        mode: Mode::Live,
        stage: stage_at(&payment, 0),
        methods: methods.to_vec(),
        payment,
    }
}

fn reference() -> Instructions {
    Instructions::Reference { entity: "21800".to_owned(), reference: "123456789".to_owned() }
}

#[test]
fn a_session_is_open_until_it_is_over() {
    let fresh = payment(checkout());
    assert_eq!(stage_at(&fresh, 0), Stage::Open(None));
    assert_eq!(stage_at(&fresh, 24 * 3600 - 1), Stage::Open(None));
    assert_eq!(stage_at(&fresh, 24 * 3600), Stage::Over);
    for (status, stage) in [
        (PaymentStatus::Cancelled, Stage::Over),
        (PaymentStatus::Authorized, Stage::Paid),
        (PaymentStatus::ProviderCompleted, Stage::Paid),
        (PaymentStatus::Settled, Stage::Paid),
        (PaymentStatus::Refunded, Stage::Paid),
    ] {
        assert_eq!(stage_at(&Payment { status, ..fresh.clone() }, 24 * 3600), stage);
    }
}

#[test]
fn the_attempt_before_is_remembered() {
    let attempt = |failure| Attempt { at: begun(), method: Method::MbWay, failure };
    let after = |attempts| payment(Checkout { attempts, begun: 1, ..checkout() });
    let declined = after(vec![attempt(Some(FailureCode::Declined))]);
    let last = LastAttempt::Failed(Method::MbWay, FailureCode::Declined);
    assert_eq!(stage_at(&declined, 0), Stage::Open(Some(last)));
    let given_up = after(vec![attempt(Some(FailureCode::Declined)), attempt(None)]);
    assert_eq!(stage_at(&given_up, 0), Stage::Open(Some(LastAttempt::GivenUp(Method::MbWay))));
}

#[test]
fn an_attempt_is_where_the_buyer_is_needed() {
    let voucher = Stage::Voucher { entity: "21800".to_owned(), reference: "123456789".to_owned() };
    let phone = "+351912345678".to_owned();
    for (method, instructions, stage) in [
        (Method::Card, None, Stage::Elsewhere),
        (Method::Wero, None, Stage::Elsewhere),
        (Method::Multibanco, Some(reference()), voucher),
        (
            Method::MbWay,
            Some(Instructions::App { phone: phone.clone() }),
            Stage::App { phone: phone.clone() },
        ),
    ] {
        let payment = waiting(method, instructions);
        assert_eq!(stage_at(&payment, 0), stage);
        // What was begun goes on when the session is over.
        assert_eq!(stage_at(&payment, 24 * 3600), stage);
        let asked = Payment { challenge: Some(ChallengeState::Approved), ..payment };
        assert_eq!(stage_at(&asked, 0), Stage::UnderWay);
    }
}

#[test]
fn money_that_goes_back_is_no_receipt() {
    let (paid, back) = (PaymentStatus::Settled, PaymentStatus::RefundPending);
    for (status, refunded_minor, open_minor, said) in [
        (paid, 0, 0, &["Payment received", "€49.90"][..]),
        (paid, 1_000, 0, &["Payment received", "<dt>Refunded</dt><dd>€10.00</dd>"]),
        (back, 0, 1_000, &["Payment received", "€49.90"]),
        (back, 1_000, 3_990, &["Your payment goes back to you", "€49.90"]),
        (PaymentStatus::Refunded, 4_990, 0, &["Your payment went back to you", "€49.90"]),
    ] {
        let refunds = RefundSums { refunded_minor, open_minor, open: None };
        let captured_minor = Some(4_990);
        let payment = Payment { status, refunds, captured_minor, ..payment(checkout()) };
        let outcome = session(payment, &[]).outcome("/".to_owned(), false).expect("an end");
        let page = outcome.render().expect("a page");
        for said in said {
            assert!(page.contains(said), "{said}: {page}");
        }
        assert_eq!(page.contains("receipt."), said.contains(&"Payment received"), "{page}");
    }
}

#[test]
fn one_method_needs_no_choice() {
    let session = session(payment(checkout()), &[Method::Card]);
    let page = CheckoutForm::default().render(&session, None).expect("a page");
    assert!(page.contains("Pay by card") && !page.contains("type=\"radio\""), "{page}");
    assert!(page.contains("Two &#60;tickets&#62;"), "{page}");
}

#[test]
fn the_session_says_its_language_else_the_browser_does() {
    for (locale, language, said) in [
        (Some("sv-SE"), "sv", "Betala 49,90\u{a0}€ till Nordlicht"),
        (Some("fr"), "fr", "Payer 49,90\u{a0}€ à Nordlicht"),
        (Some("fi"), "nl", "€\u{a0}49,90 betalen aan Nordlicht"),
        (None, "nl", "€\u{a0}49,90 betalen aan Nordlicht"),
    ] {
        let locale = locale.map(str::to_owned);
        let session = session(payment(Checkout { locale, ..checkout() }), &[Method::Card]);
        let page = CheckoutForm::default().render(&session, None).expect("a page");
        assert!(page.contains(&format!("<html lang=\"{language}\">")), "{page}");
        assert!(page.contains(said), "{said}: {page}");
    }
}

#[test]
fn what_is_wrong_is_beside_its_field_and_the_choice_stays() {
    let session = session(payment(checkout()), &[Method::Card, Method::MbWay]);
    let form = CheckoutForm {
        chosen: Some(Method::MbWay),
        phone: "12\"".to_owned(),
        other: Some(OtherProblem::Phone),
        ..CheckoutForm::default()
    };
    let page = form.render(&session, Some("/checkout/abc/logo".to_owned())).expect("a page");
    for said in [
        "<title>Error: Pay",
        "id=\"phone-problem\"",
        "aria-describedby=\"phone-problem\"",
        "value=\"12&#34;\"",
        "value=\"mbway\" checked",
        "src=\"/checkout/abc/logo\"",
    ] {
        assert!(page.contains(said), "{said}: {page}");
    }
}

#[test]
fn a_live_reference_has_no_machine_to_open() {
    for demo in [true, false] {
        let payment = Payment { demo, ..waiting(Method::Multibanco, Some(reference())) };
        let session = session(payment, &[]);
        let action = Some("/scheme/token".to_owned());
        let waiting = Waiting { action, ..Waiting::default() };
        let page = waiting.render(&session, begun()).expect("a page");
        assert_eq!(page.contains("/scheme/token"), demo);
        assert!(page.contains("<strong>21800</strong>") && page.contains("EUR"), "{page}");
    }
}

#[test]
fn a_live_bank_is_gone_on_to_at_once_after_the_form_alone() {
    let session = session(waiting(Method::Card, None), &[]);
    for at_once in [true, false] {
        let action = Some("https://bank.example/?a=1&b=2".to_owned());
        let waiting = Waiting { action, at_once, logo: None };
        let page = waiting.render(&session, begun()).expect("a page");
        let goes = page.contains("content=\"0;url=https://bank.example/?a=1&#38;b=2\"");
        assert_eq!(goes, at_once, "{page}");
        assert!(page.contains("href=\"https://bank.example/?a=1&#38;b=2\""), "{page}");
    }
}
