//! What a stream tells of a payment, and when it ends.

use actors::domain::money::{Currency, Money};
use actors::domain::payments::method::Method;
use actors::domain::payments::payment::{CaptureMode, NewPayment, PaymentStatus, PaysFor, Windows};
use actors::domain::time::Timestamp;

use super::*;

fn payment(status: PaymentStatus) -> Payment {
    let new = NewPayment {
        id: PaymentId(1),
        seller: SellerId(1),
        reference: "order-1".to_owned(),
        amount: Money { minor: 4_990, currency: Currency::EUR },
        pays_for: PaysFor::Order,
        demo: true,
        provider_key: "key".to_owned(),
        route: None,
        method: Method::Card,
        country: None,
        capture: CaptureMode::Automatic,
        order: None,
        split: None,
        checkout: None,
        forced: None,
        consent: None,
        saved_charge: None,
    };
    let begun = Timestamp::from_micros(1_800_000_000_000_000);
    let started = Payment::start(new, None, &Windows::default(), begun).payment;
    Payment { status, failure: None, ..started }
}

#[test]
fn each_change_is_told_and_then_the_end() {
    for status in PaymentStatus::ALL {
        let payment = payment(*status);
        let event = StatusEvent::of("abc", &payment);
        let first = News::of("abc", Some(&payment), None);
        assert_eq!(first, News::Change(event.clone()), "{status}");
        let next = News::of("abc", Some(&payment), Some(&event));
        let is_open = matches!(status, PaymentStatus::ProviderPending | PaymentStatus::Authorized);
        assert_eq!(next, if is_open { News::Nothing } else { News::End }, "{status}");
    }
}

#[test]
fn nothing_is_told_of_a_payment_that_is_gone() {
    let event = StatusEvent::of("abc", &payment(PaymentStatus::ProviderPending));
    for told in [None, Some(&event)] {
        assert_eq!(News::of("abc", None, told), News::End);
    }
}
