//! What a seller asks for when it initiates a payment, and what is checked before there is one.
//!
//! [`Initiation`] is what passed; [`fields`] and [`ReturnRules`] are the checks, which the request
//! calls in the order in which refusals are answered.

pub mod fields;
#[cfg(test)]
mod tests;

use self::fields::MAX_TEXT;
use super::amount::AmountRefusal;
use super::card::CardProblem;
use super::failure::FailureCode;
use super::method::Method;
use super::payment::{BillingDetails, CaptureMode, ForcedRefund, Intent, OrderTerms, Returns};
use super::source::Source;
use super::split::PlanShare;
use super::terminal::Rail;
use crate::domain::country::Country;
use crate::domain::money::{Currency, Money};
use crate::domain::platform::seller::ReturnLink;
use crate::domain::platform::webhook::url::{UrlRefusal, WebhookUrl};
use crate::domain::refusal::{RefusalKind, Refuse};

const RELS: [&str; 4] = ["default", "on_completed", "on_failed", "on_cancelled"];

#[derive(Debug)]
pub struct Initiation {
    pub reference: String,
    /// How much; above 0.
    pub amount: Money,
    pub method: Method,
    pub country: Option<Country>,
    pub source: Source,
    /// `apmData.phone`, E.164.
    pub phone: Option<String>,
    pub returns: Returns,
    pub capture: CaptureMode,
    pub billing: Option<BillingDetails>,
    pub skip_challenge: bool,
}

impl Initiation {
    /// What a replay is compared by; `hash_key` is the server's key for cards and tokens.
    pub fn intent(&self, hash_key: &[u8]) -> Intent {
        Intent {
            amount: self.amount,
            country: self.country,
            reference: self.reference.clone(),
            method: self.method,
            phone: self.phone.clone(),
            fingerprint: self.source.fingerprint(hash_key),
        }
    }

    pub fn terms(&self, key: &str, hash_key: &[u8], distribution: Vec<PlanShare>) -> OrderTerms {
        OrderTerms {
            key: key.to_owned(),
            phone: self.phone.clone(),
            fingerprint: self.source.fingerprint(hash_key),
            returns: self.returns.clone(),
            billing: self.billing.clone(),
            distribution,
            skip_challenge: self.skip_challenge,
        }
    }
}

/// Why a payment is not begun; each text names the field.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InitiationRefusal {
    #[error("{0} is required")]
    Required(&'static str),
    #[error("currencyCode must be one of EUR, USD, GBP, DKK, NOK, SEK")]
    Currency,
    #[error(transparent)]
    Amount(#[from] AmountRefusal),
    #[error("externalOrderRef must have 1 to 128 printable characters and be neither . nor ..")]
    Reference,
    #[error("paymentType must be card or apm")]
    Type,
    #[error("paymentMethod {method} is not supported for paymentType {rail}")]
    Method { method: String, rail: Rail },
    #[error("{0} must be an ISO 3166-1 alpha-2 country code")]
    Country(&'static str),
    #[error(
        "paymentMethod {method} is not supported for currency {currency} and country {country}"
    )]
    Market { method: String, currency: Currency, country: String },
    #[error(transparent)]
    Card(CardProblem),
    #[error("walletData.paymentToken.decryptedData must be an object or a text")]
    WalletData,
    #[error("apmData.phone must be + and 8 to 15 digits")]
    Phone,
    #[error("valid returnLinks are required")]
    ReturnLinks,
    #[error("returnUrl {0}")]
    ReturnUrl(UrlRefusal),
    #[error("returnUrl cannot be used until allowed return hosts are configured")]
    ReturnHost,
    #[error("captureMode must be automatic or manual")]
    CaptureMode,
    #[error("manual capture needs captureMode manual and autoSettlement false")]
    CaptureUnclear,
    #[error("captureMode manual is not supported for paymentMethod {0}")]
    CaptureMethod(Method),
    #[error("{0} must have at most {MAX_TEXT} characters")]
    TooLong(&'static str),
}

impl Refuse for InitiationRefusal {
    fn kind(&self) -> RefusalKind {
        RefusalKind::Invalid
    }
}

/// Where the buyer may go after the bank.
#[derive(Clone, Copy, Debug)]
pub struct ReturnRules<'a> {
    /// Whether `http` is let through.
    pub demo: bool,
    /// The hosts that a `returnUrl` may have.
    pub hosts: &'a [String],
    /// The links of payments that name none.
    pub defaults: &'a [ReturnLink],
    /// Whether the seller's settings of today are asked; not of a replay.
    pub is_new: bool,
}

impl ReturnRules<'_> {
    pub fn check_url(&self, url: Option<String>) -> Result<Option<String>, InitiationRefusal> {
        let Some(url) = url.filter(|url| !url.is_empty()) else { return Ok(None) };
        let parsed = WebhookUrl::parse(&url, self.demo).map_err(InitiationRefusal::ReturnUrl)?;
        let host = parsed.parts().host;
        let is_allowed = |allowed: &String| allowed.eq_ignore_ascii_case(&host);
        if self.is_new && !self.hosts.iter().any(is_allowed) {
            return Err(InitiationRefusal::ReturnHost);
        }
        Ok(Some(url))
    }

    /// One of `returnLinks`; a `method` that is absent counts as `GET`.
    pub fn check_link(
        &self,
        rel: Option<String>,
        href: Option<String>,
        method: Option<&str>,
    ) -> Result<ReturnLink, InitiationRefusal> {
        let (Some(rel), Some(href)) = (rel, href) else {
            return Err(InitiationRefusal::ReturnLinks);
        };
        let known = RELS.contains(&rel.as_str()) && method.is_none_or(|method| method == "GET");
        if !known || WebhookUrl::parse(&href, self.demo).is_err() {
            return Err(InitiationRefusal::ReturnLinks);
        }
        Ok(ReturnLink { rel, href })
    }

    /// Where the buyer goes. A `returnUrl` alone is its own default link. Links are demanded
    /// when any were sent, and where the buyer is `away` at the scheme's page for certain; two
    /// links for the same are refused.
    pub fn returns(
        &self,
        url: Option<String>,
        links: Option<Vec<ReturnLink>>,
        away: bool,
    ) -> Result<Returns, InitiationRefusal> {
        let demanded = away || links.is_some();
        let mut links = links.unwrap_or_default();
        let twice =
            |(at, link): (usize, &ReturnLink)| links[..at].iter().any(|it| it.rel == link.rel);
        if links.iter().enumerate().any(twice) {
            return Err(InitiationRefusal::ReturnLinks);
        }
        if links.is_empty() {
            links = match &url {
                Some(url) => vec![ReturnLink { rel: "default".to_owned(), href: url.clone() }],
                None => self.defaults.to_vec(),
            };
        }
        if self.is_new && demanded && links.is_empty() {
            return Err(InitiationRefusal::ReturnLinks);
        }
        Ok(Returns { url, links })
    }
}

/// Why the header `Simulator` of a demo account is not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SimulatorRefusal {
    #[error("Simulator must be force_failure=<code> with a known failure code")]
    Payment,
    #[error("Simulator must be force_failure=2004 or force_refund=cancelled")]
    Refund,
}

impl Refuse for SimulatorRefusal {
    fn kind(&self) -> RefusalKind {
        RefusalKind::Invalid
    }
}

/// The code that the header forces on a payment: `force_failure=` and a known code.
pub fn forced_failure(value: &str) -> Result<FailureCode, SimulatorRefusal> {
    code(value).ok_or(SimulatorRefusal::Payment)
}

/// What the header's `value` forces on a refund.
pub fn forced_refund(value: &str) -> Result<ForcedRefund, SimulatorRefusal> {
    match (value.trim(), code(value)) {
        ("force_refund=cancelled", _) => Ok(ForcedRefund::Cancelled),
        (_, Some(early @ FailureCode::RefundTooEarly)) => Ok(ForcedRefund::Fails(early)),
        _ => Err(SimulatorRefusal::Refund),
    }
}

fn code(value: &str) -> Option<FailureCode> {
    let digits = value.trim().strip_prefix("force_failure=")?;
    let plain = digits.len() == 4 && digits.bytes().all(|byte| byte.is_ascii_digit());
    FailureCode::parse(plain.then(|| digits.parse().ok())??)
}
