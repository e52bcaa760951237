//! How a link stands, from its status and its payment alone.

use actors::domain::ids::{PaymentId, SellerId};
use actors::domain::money::Currency;
use actors::domain::payments::method::Method;
use actors::domain::payments::payment::{CaptureMode, NewPayment, PaysFor, Windows};

use super::*;

/// A payment of so many cents that its provider is asked about.
fn begun(minor: i64) -> Payment {
    let new = NewPayment {
        id: PaymentId(1),
        seller: SellerId(1),
        reference: "order-1".to_owned(),
        amount: Money { minor, currency: Currency::EUR },
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
    let now = Timestamp::from_micros(1_800_000_000_000_000);
    Payment::start(new, None, &Windows::default(), now).payment
}

#[test]
fn a_payment_under_way_is_told_with_its_own_amount() {
    let standing = Standing::of(PaymentLinkStatus::Active, Some(begun(8_000)));
    assert!(matches!(standing, Standing::UnderWay(amount) if amount.minor == 8_000));
}
