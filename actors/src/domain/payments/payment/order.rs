use super::Payment;
use crate::domain::country::Country;
use crate::domain::payments::method::Method;
use crate::domain::payments::split::PlanShare;
use crate::domain::platform::seller::ReturnLink;

/// The seller's own terms of a payment, as far as they are needed later.
#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct OrderTerms {
    /// The `Idempotency-Key` of the request.
    #[n(0)]
    pub key: String,
    /// Whom an app is to ask (`apmData.phone`), E.164.
    #[n(1)]
    pub phone: Option<String>,
    /// What tells the card or wallet token from others; see
    /// [`Source::fingerprint`](crate::domain::payments::source::Source::fingerprint).
    #[n(2)]
    pub fingerprint: Option<Vec<u8>>,
    #[n(3)]
    pub returns: Returns,
    #[n(4)]
    pub billing: Option<BillingDetails>,
    #[n(5)]
    pub distribution: Vec<PlanShare>,
    #[n(6)]
    pub skip_challenge: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct Returns {
    #[n(0)]
    pub url: Option<String>,
    /// `returnLinks`; they go before the URL.
    #[n(1)]
    pub links: Vec<ReturnLink>,
}

/// `billingDetails`: what the bank compares with what it holds. All of it is the buyer's.
#[derive(Clone, Default, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct BillingDetails {
    #[n(0)]
    pub line1: Option<String>,
    #[n(1)]
    pub line2: Option<String>,
    #[n(2)]
    pub city: Option<String>,
    #[n(3)]
    pub state: Option<String>,
    /// `zip`, or `postalCode`.
    #[n(4)]
    pub zip: Option<String>,
    /// `country`, or `countryCode`.
    #[n(5)]
    pub country: Option<Country>,
    #[n(6)]
    pub name: Option<String>,
    #[n(7)]
    pub email: Option<String>,
    #[n(8)]
    pub phone: Option<String>,
    #[n(9)]
    pub company: Option<String>,
}

impl std::fmt::Debug for BillingDetails {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("BillingDetails").field("country", &self.country).finish_non_exhaustive()
    }
}

impl OrderTerms {
    /// Whether country or zip is missing. Card processors demand them of a seller's own form; pages
    /// offer them as options.
    pub fn lacks_address(&self) -> bool {
        let complete =
            |billing: &BillingDetails| billing.country.is_some() && billing.zip.is_some();
        !self.billing.as_ref().is_some_and(complete)
    }
}

impl Payment {
    pub fn lacks_address(&self) -> bool {
        self.method == Method::Card && self.order.as_ref().is_some_and(OrderTerms::lacks_address)
    }
}
