//! `billingDetails`, or the `billingContact` of a wallet, as the bank is told them.

use super::InitiationRefusal;
use crate::domain::country::Country;
use crate::domain::payments::payment::BillingDetails;

/// The longest text of billing details, in characters.
pub(super) const MAX_TEXT: usize = 255;

/// Billing details as they came. Of fields that mean the same the first that is stated counts.
#[derive(Clone, Default)]
pub struct BillingRequest {
    /// `addressLine1`, or `street`.
    pub line1: Option<String>,
    /// `addressLine2`.
    pub line2: Option<String>,
    /// `city`.
    pub city: Option<String>,
    /// `state`.
    pub state: Option<String>,
    /// `zip`, or `postalCode`.
    pub zip: Option<String>,
    /// `countryCode`, or a `country` that is a code.
    pub countries: [Option<String>; 2],
    /// `firstName` and `lastName`.
    pub names: [Option<String>; 2],
    /// `email`.
    pub email: Option<String>,
    /// `phone`.
    pub phone: Option<String>,
    /// `company`.
    pub company: Option<String>,
}

impl BillingRequest {
    /// The details, without what is empty.
    pub(super) fn check(self) -> Result<BillingDetails, InitiationRefusal> {
        let country = country(&self.countries)?;
        let names: Vec<String> =
            self.names.into_iter().flatten().filter(|it| !it.is_empty()).collect();
        Ok(BillingDetails {
            line1: text("billingDetails.addressLine1", self.line1)?,
            line2: text("billingDetails.addressLine2", self.line2)?,
            city: text("billingDetails.city", self.city)?,
            state: text("billingDetails.state", self.state)?,
            zip: text("billingDetails.zip", self.zip)?,
            country,
            name: text("billingDetails.firstName with lastName", Some(names.join(" ")))?,
            email: text("billingDetails.email", self.email)?,
            phone: text("billingDetails.phone", self.phone)?,
            company: text("billingDetails.company", self.company)?,
        })
    }
}

/// `country` may be a name in words beside a `countryCode`.
fn country(stated: &[Option<String>; 2]) -> Result<Option<Country>, InitiationRefusal> {
    let mut stated = stated.iter().flatten().filter(|code| !code.is_empty()).peekable();
    if stated.peek().is_none() {
        return Ok(None);
    }
    let found = stated.find_map(|code| Country::parse(code));
    found.map(Some).ok_or(InitiationRefusal::Country("billingDetails.countryCode"))
}

fn text(field: &'static str, value: Option<String>) -> Result<Option<String>, InitiationRefusal> {
    let value = value.filter(|text| !text.trim().is_empty());
    match value {
        Some(long) if long.chars().count() > MAX_TEXT => Err(InitiationRefusal::TooLong(field)),
        value => Ok(value),
    }
}
