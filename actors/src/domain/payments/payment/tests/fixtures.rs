//! Payments to tell stories of. Seconds count from one instant.

use super::*;
use crate::domain::country::Country;
use crate::domain::ids::{ContractId, InvoiceId, PayeeId, RefundId};
use crate::domain::money::Currency;
use crate::domain::payments::source::Source;
use crate::domain::payments::split::PlanShare;
use crate::domain::testing;

/// The amount of all payments here, in minor units.
pub(super) const WHOLE: i64 = 12_50;
pub(super) const CREATE: &str = "k-create";
pub(super) const CONFIRM: &str = "k-confirm";
pub(super) const CANCEL: &str = "k-cancel";
pub(super) const GOOD: &str = "4242424242424242";
const TOKEN: &str = "t";

pub(super) fn at(second: i64) -> Timestamp {
    Timestamp::parse("2026-11-21T10:00:00Z").expect("an instant").plus_seconds(second)
}

pub(super) fn windows() -> Windows {
    Windows::default()
}

pub(super) fn card(number: &str, month: i64, year: i64) -> Source {
    Source::Card(testing::card(number, month, year).into())
}

pub(super) fn good_card() -> Source {
    card(GOOD, 12, 2030)
}

/// What pays an invoice by its link.
pub(super) fn of_invoice() -> NewPayment {
    NewPayment {
        id: PaymentId(9),
        seller: SellerId(1),
        reference: "1000001-2611AAA-9".to_owned(),
        amount: Money::new(WHOLE, Currency::EUR).expect("money"),
        pays_for: PaysFor::Invoice { contract: ContractId(4), invoice: InvoiceId(5) },
        demo: true,
        provider_key: "k".to_owned(),
        route: Some((TerminalId(1), Connector::Simulator)),
        method: Method::Card,
        country: None,
        capture: CaptureMode::Automatic,
        order: None,
        split: None,
        checkout: None,
        forced: None,
        consent: None,
        saved_charge: None,
    }
}

/// What a seller initiates.
pub(super) fn of_order() -> NewPayment {
    NewPayment { pays_for: PaysFor::Order, order: Some(terms()), ..of_invoice() }
}

/// The same, to be captured by calls of the seller's.
pub(super) fn by_hand() -> NewPayment {
    NewPayment { capture: CaptureMode::Manual, ..of_order() }
}

/// A local method, as a seller initiates it.
pub(super) fn local(method: Method) -> NewPayment {
    NewPayment { method, ..of_order() }
}

/// The same, live, at a processor outside.
pub(super) fn outside(new: NewPayment) -> NewPayment {
    let route = Some((TerminalId(1), Connector::Stripe));
    NewPayment { demo: false, route, ..new }
}

/// What a session opens with.
pub(super) fn of_session() -> NewPayment {
    let checkout = testing::checkout(at(SESSION_SECONDS));
    NewPayment { pays_for: PaysFor::Order, checkout: Some(checkout), ..of_invoice() }
}

pub(super) fn terms() -> OrderTerms {
    OrderTerms {
        key: "0b3ee1d2-6f7c-4f6e-8f5e-1a2b3c4d5e6f".to_owned(),
        phone: None,
        fingerprint: None,
        returns: Returns::default(),
        // Processors take no card without them from a seller's own form.
        billing: Some(BillingDetails {
            country: Country::parse("DE"),
            zip: Some("10115".to_owned()),
            ..BillingDetails::default()
        }),
        distribution: Vec::new(),
        skip_challenge: false,
    }
}

/// Two payees; what they leave is the seller's.
pub(super) fn plan(first: i64, second: i64) -> Plan {
    let share = |payee, minor| PlanShare { payee: PayeeId(payee), minor };
    Plan::of([share(7, first), share(8, second)])
}

pub(super) fn start(new: NewPayment) -> Change {
    let source = match new.method.rail() {
        Rail::Card => good_card(),
        Rail::Apm => Source::Local,
    };
    Payment::start(new, Some(&source), &windows(), at(0))
}

/// As the provider's first answer, one second after the beginning, leaves it.
pub(super) fn started(new: NewPayment, outcome: ProviderOutcome) -> Payment {
    answer(&start(new).payment, outcome, at(1)).payment
}

/// The payment after the answer to its open call.
pub(super) fn answer(payment: &Payment, outcome: ProviderOutcome, now: Timestamp) -> Change {
    let key = payment.call.as_ref().expect("a call").key.clone();
    payment.answered(&key, outcome, &windows(), now).expect("taken")
}

/// A payment whose whole amount was taken at once.
pub(super) fn paid(new: NewPayment) -> Payment {
    started(new, completed())
}

/// A manual payment whose amount is held.
pub(super) fn held() -> Payment {
    started(by_hand(), authorized())
}

pub(super) fn completed() -> ProviderOutcome {
    ProviderOutcome::Completed { token: TOKEN.to_owned() }
}

pub(super) fn authorized() -> ProviderOutcome {
    ProviderOutcome::Authorized { token: TOKEN.to_owned() }
}

pub(super) fn challenged() -> ProviderOutcome {
    asks(Ask::Challenge)
}

pub(super) fn asks(asks: Ask) -> ProviderOutcome {
    ProviderOutcome::Challenged { token: TOKEN.to_owned(), asks, url: None }
}

pub(super) fn failed(code: FailureCode) -> ProviderOutcome {
    ProviderOutcome::Failed { code, token: Some(TOKEN.to_owned()) }
}

pub(super) fn unknown() -> ProviderOutcome {
    ProviderOutcome::Unknown { doubt: FailureCode::ProviderTimeout }
}

pub(super) fn refunded() -> ProviderOutcome {
    ProviderOutcome::Refunded { token: "r".to_owned() }
}

pub(super) fn refund(id: u64, minor: Option<i64>) -> NewRefund {
    NewRefund { id: RefundId(id), minor, reason: None, forced: None }
}

pub(super) fn capture(minor: Option<i64>, last: bool) -> CaptureOrder {
    CaptureOrder { minor, last, in_parts: true, spent: None }
}

pub(super) fn code(payment: &Payment) -> Option<u16> {
    payment.failure.map(|failure| failure.code.code())
}

/// The names of the events with the status that each tells.
pub(super) fn events(change: &Change) -> Vec<(&str, &str)> {
    let status = |event: &'_ crate::domain::platform::event::NewEvent| {
        PaymentStatus::parse(event.payload["status"].as_str().unwrap_or_default())
            .map_or("", PaymentStatus::name)
    };
    change.events.iter().map(|event| (event.kind.name(), status(event))).collect()
}
