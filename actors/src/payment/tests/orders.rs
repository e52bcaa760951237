//! What is ordered from the payment rooms here.

use std::sync::Arc;

use super::house::SELLER;
use crate::domain::country::Country;
use crate::domain::ids::{ContractId, InvoiceId};
use crate::domain::money::{Currency, Money};
use crate::domain::payments::card::CardData;
use crate::domain::payments::payment::{BillingDetails, CaptureMode, OrderTerms, Returns};
use crate::domain::payments::source::Source;
use crate::domain::testing;
use crate::kernel::KeyClaim;
use crate::payment::{InvoiceOrder, PaymentOrder};

/// What all payments here are about, in minor units.
pub(super) const WHOLE: i64 = 12_50;

pub(super) fn whole() -> Money {
    Money::new(WHOLE, Currency::EUR).expect("money")
}

pub(super) fn order(invoice: u64) -> InvoiceOrder {
    InvoiceOrder {
        seller: SELLER,
        contract: ContractId(4),
        invoice: InvoiceId(invoice),
        number: "1000001-2611AAA".to_owned(),
        amount: whole(),
        saves_for: None,
    }
}

/// What a seller initiates without a challenge, under a key and a reference of one name.
pub(super) fn direct(name: &str) -> PaymentOrder {
    PaymentOrder {
        terms: Some(OrderTerms {
            key: name.to_owned(),
            phone: None,
            fingerprint: None,
            returns: Returns::default(),
            billing: Some(BillingDetails {
                country: Country::parse("DE"),
                zip: Some("10115".to_owned()),
                ..BillingDetails::default()
            }),
            distribution: Vec::new(),
            skip_challenge: true,
        }),
        ..PaymentOrder::new(SELLER, name.to_owned(), whole())
    }
}

pub(super) fn manual(name: &str) -> PaymentOrder {
    PaymentOrder { capture: CaptureMode::Manual, ..direct(name) }
}

pub(super) fn good_card() -> Source {
    Source::Card(Arc::new(card("4242424242424242")))
}

/// A key of the payments surface that is spent on an endpoint here.
pub(super) fn spend(key: &str) -> KeyClaim {
    KeyClaim::testing("/payments/tests", key)
}

pub(super) fn card(number: &str) -> CardData {
    testing::card(number, 12, 2030)
}

pub(super) fn expired_card() -> CardData {
    testing::card("4242424242424242", 12, 2020)
}
