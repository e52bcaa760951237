//! A repeated idempotency key: whether the request under it is the one that came first.

use std::fmt;

use super::{OrderTerms, Payment};
use crate::domain::country::Country;
use crate::domain::money::{Currency, Money, major_units};
use crate::domain::payments::method::Method;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Intent {
    pub amount: Money,
    pub country: Option<Country>,
    pub reference: String,
    pub method: Method,
    pub phone: Option<String>,
    pub fingerprint: Option<Vec<u8>>,
}

/// The first field in which two requests under one key differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IntentDiffers {
    pub field: &'static str,
    /// Its values in the first and in this request; a card's are not told.
    pub values: Option<(String, String)>,
}

impl Payment {
    /// Compares a request under the payment's key with the one that made it.
    pub fn check_intent(&self, again: &Intent) -> Result<(), IntentDiffers> {
        let order = self.order.as_ref();
        let phone = order.and_then(|order| order.phone.as_deref());
        let fingerprint = order.and_then(|order: &OrderTerms| order.fingerprint.as_ref());
        let country = |country: Option<Country>| country.map(|known| known.to_string());
        let text = |text: Option<&str>| text.unwrap_or_default().to_owned();
        let currency = |currency: Currency| currency.code().to_owned();
        let fields = [
            ("amount", major(self.amount), major(again.amount)),
            ("currencyCode", currency(self.amount.currency), currency(again.amount.currency)),
            (
                "countryCode",
                country(self.country).unwrap_or_default(),
                country(again.country).unwrap_or_default(),
            ),
            ("externalOrderRef", self.reference.clone(), again.reference.clone()),
            (
                "paymentType",
                self.method.rail().name().to_owned(),
                again.method.rail().name().to_owned(),
            ),
            ("paymentMethod", self.method.name().to_owned(), again.method.name().to_owned()),
            ("apmData.phone", text(phone), text(again.phone.as_deref())),
        ];
        for (field, first, now) in fields {
            if first != now {
                return Err(IntentDiffers { field, values: Some((first, now)) });
            }
        }
        if fingerprint != again.fingerprint.as_ref() {
            return Err(IntentDiffers { field: "cardData", values: None });
        }
        Ok(())
    }
}

impl fmt::Display for IntentDiffers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Idempotency-Key reused with a different {}", self.field)?;
        match &self.values {
            Some((first, now)) => write!(f, ": original={first}, request={now}"),
            None => Ok(()),
        }
    }
}

fn major(amount: Money) -> String {
    major_units(amount.minor, amount.currency).normalize().to_string()
}
