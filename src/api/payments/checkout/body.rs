//! What is asked of a session, and what is answered.

use actors::domain::country::Country;
use actors::domain::money::{Currency, Money};
use actors::domain::payments::amount::AmountRefusal;
use actors::domain::payments::initiation::fields::reference;
use actors::domain::payments::payment::{CaptureMode, Checkout};
use actors::domain::payments::session::{
    SessionDraft, SessionRefusal, session_description, session_locale, session_seller_name,
    session_url,
};
use actors::domain::time::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::api::payments::major::Major;
use crate::api::payments::split::OrderData;

/// A hosted checkout.
#[derive(Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CheckoutBody {
    /// Your reference of the order, 1-128 printable characters, unique among your payments.
    #[schema(required, max_length = 128)]
    external_order_ref: Option<String>,
    #[schema(required)]
    amount: Option<Major>,
    /// Three capitals, ISO 4217. Whether there is such a currency, and whether your terminals take
    /// it, shows at the page alone: it offers no method for one that they do not take.
    #[schema(required, pattern = "^[A-Z]{3}$")]
    currency_code: Option<String>,
    /// ISO 3166-1 alpha-2. Without it the page shows every method that fits the currency.
    country_code: Option<String>,
    #[schema(required)]
    return_urls: Option<ReturnUrls>,
    /// `false`: the amount is held until you capture it.
    auto_settlement: Option<bool>,
    /// What the buyer is told is paid.
    #[schema(max_length = 500)]
    description: Option<String>,
    /// `true`: every card is challenged.
    #[serde(rename = "force3DS")]
    force_3ds: Option<bool>,
    /// A language tag such as `en-GB`: the buyer's pages have its words and write amounts and days
    /// its way, in `en`, `de`, `fr`, `nl`, `es`, `it`, `pt`, `sv`, `da` and `pl`. With another, or
    /// without one, they follow the browser's `Accept-Language`, else they are in English.
    locale: Option<String>,
    /// A picture (PNG, JPEG or WebP, at most 512 KiB), fetched once and served from our address.
    logo_url: Option<String>,
    /// The name that the buyer knows you by; without it, your account's.
    #[schema(max_length = 200)]
    seller_merchant_name: Option<String>,
    /// Who pays: with it the page offers to save the card for this customer.
    pub(super) seller_customer_id: Option<u64>,
    pub(super) order_data: Option<OrderData>,
}

/// Where the buyer goes afterwards: `https` (`http` for demo accounts). `status` and `paymentId`
/// are put into the query.
#[derive(Default, Deserialize, ToSchema)]
pub(super) struct ReturnUrls {
    #[schema(required)]
    success: Option<String>,
    #[schema(required)]
    failure: Option<String>,
}

/// A session.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CheckoutView {
    /// Whoever has it may pay.
    session_id: String,
    /// The page to send the buyer to.
    checkout_url: String,
    expires_at: Timestamp,
}

impl CheckoutBody {
    /// The session that is asked for, from `now` on. Accounts of demo
    /// mode may also name addresses without encryption. The first field at fault is the answer.
    pub(super) fn parse(self, demo: bool, now: Timestamp) -> Result<SessionDraft, SessionRefusal> {
        let code = self.currency_code.filter(|code| !code.is_empty());
        let code = code.ok_or(SessionRefusal::Required("currencyCode"))?;
        let currency = Currency::parse_any(&code).ok_or(SessionRefusal::Currency)?;
        let amount = self.amount.ok_or(AmountRefusal::NotPositive)?;
        let amount = Money { minor: amount.minor(currency)?, currency };
        let reference = reference(self.external_order_ref)?;
        let country = match self.country_code.as_deref().filter(|code| !code.is_empty()) {
            Some(code) => Some(Country::parse(code).ok_or(SessionRefusal::Country)?),
            None => None,
        };
        let urls = self.return_urls.unwrap_or_default();
        let success = required_url("returnUrls.success", urls.success, demo)?;
        let failure = required_url("returnUrls.failure", urls.failure, demo)?;
        let checkout = Checkout {
            description: session_description(self.description)?,
            seller_name: session_seller_name(self.seller_merchant_name)?,
            logo_url: session_url("logoUrl", self.logo_url, demo)?,
            locale: session_locale(self.locale)?,
            force_challenge: self.force_3ds == Some(true),
            ..Checkout::new(success, failure, now)
        };
        let manual = self.auto_settlement == Some(false);
        let capture = if manual { CaptureMode::Manual } else { CaptureMode::Automatic };
        Ok(SessionDraft { reference, amount, country, capture, checkout })
    }
}

fn required_url(
    field: &'static str,
    stated: Option<String>,
    demo: bool,
) -> Result<String, SessionRefusal> {
    session_url(field, stated, demo)?.ok_or(SessionRefusal::Required(field))
}

impl CheckoutView {
    /// A session under its id, of the server that is known as `public_url`.
    pub(super) fn of(checkout: &Checkout, session_id: String, public_url: &str) -> Self {
        Self {
            checkout_url: format!("{public_url}/checkout/{session_id}"),
            session_id,
            expires_at: checkout.expires_at,
        }
    }
}

#[cfg(test)]
mod tests;
