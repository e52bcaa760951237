//! What the tests of the parts share.

use std::time::{Duration, Instant};

use actors::domain::ids::{PaymentId, SellerId};
use actors::domain::money::{Currency, Money};
use actors::domain::payments::method::Method;
use actors::domain::payments::payment::{
    CaptureMode, Checkout, NewPayment, Payment, PaysFor, Windows,
};
use actors::domain::time::Timestamp;

/// When payments here begin.
pub(crate) fn begun() -> Timestamp {
    Timestamp::from_micros(1_800_000_000_000_000)
}

/// A payment of an order by card, just begun, or the one of a session.
pub(crate) fn payment(checkout: Option<Checkout>) -> Payment {
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
        checkout,
        forced: None,
        consent: None,
        saved_charge: None,
    };
    Payment::start(new, None, &Windows::default(), begun()).payment
}

/// Waits until something is so, and says what has not become so in half a minute.
pub(crate) async fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < Duration::from_secs(30), "waited in vain: {what}");
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}
