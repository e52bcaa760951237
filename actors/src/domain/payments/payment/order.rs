//! What a payment was asked for: what it pays for, the seller's own terms, and by what a request
//! under a repeated idempotency key is told from the one that came first.

use std::fmt;

use super::Payment;
use crate::domain::country::Country;
use crate::domain::ids::{ContractId, InvoiceId, LinkSubscriptionId, PaymentLinkId, PromoCodeId};
use crate::domain::money::{Currency, Money, major_units};
use crate::domain::payments::method::Method;
use crate::domain::payments::split::PlanShare;
use crate::domain::platform::seller::ReturnLink;

#[derive(Clone, Copy, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub enum PaysFor {
    #[n(0)]
    Invoice {
        #[n(0)]
        contract: ContractId,
        #[n(1)]
        invoice: InvoiceId,
    },
    /// The seller's own order; Accrue knows its reference alone.
    #[n(1)]
    Order,
    #[n(2)]
    Link {
        #[n(0)]
        link: PaymentLinkId,
        /// Whether no other payment of the link may be open.
        #[n(1)]
        alone: bool,
        /// The promo code of which it took a redemption.
        #[n(2)]
        promo: Option<PromoCodeId>,
    },
    #[n(3)]
    Subscription {
        #[n(0)]
        subscription: LinkSubscriptionId,
        /// From 1; [`VERIFICATION`](crate::domain::payments::link_subscription::VERIFICATION)
        /// where the card is only verified.
        #[n(1)]
        term: u32,
    },
}

impl PaysFor {
    pub fn invoice(self) -> Option<(ContractId, InvoiceId)> {
        match self {
            Self::Invoice { contract, invoice } => Some((contract, invoice)),
            Self::Order | Self::Link { .. } | Self::Subscription { .. } => None,
        }
    }

    pub fn link(self) -> Option<PaymentLinkId> {
        match self {
            Self::Link { link, .. } => Some(link),
            Self::Invoice { .. } | Self::Order | Self::Subscription { .. } => None,
        }
    }

    /// The link of which no other payment may be open beside it.
    pub fn link_alone(self) -> Option<PaymentLinkId> {
        match self {
            Self::Link { link, alone: true, .. } => Some(link),
            _ => None,
        }
    }

    /// The subscription by payment link, and which of its terms.
    pub fn subscription(self) -> Option<(LinkSubscriptionId, u32)> {
        match self {
            Self::Subscription { subscription, term } => Some((subscription, term)),
            _ => None,
        }
    }
}

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

impl fmt::Debug for BillingDetails {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
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

/// What a request under a key asks for, as far as a repeated one is compared by it.
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
    pub fn lacks_address(&self) -> bool {
        self.method == Method::Card && self.order.as_ref().is_some_and(OrderTerms::lacks_address)
    }

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
