//! What is asked of a session, and what is answered.

use actors::domain::payments::payment::Checkout;
use actors::domain::payments::session::SessionRequest;
use actors::domain::time::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::api::payments::major::Major;
use crate::api::payments::split::OrderData;

/// A hosted checkout.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CheckoutBody {
    /// Your reference of the order, 1-128 printable characters, unique among your payments.
    #[schema(required, max_length = 128)]
    external_order_ref: Option<String>,
    #[schema(required)]
    amount: Option<Major>,
    /// ISO 4217. Whether your terminals take it shows at the page alone.
    #[schema(required)]
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
    /// A language tag such as `en-GB`; pages are in English.
    locale: Option<String>,
    /// A picture (PNG, JPEG or WebP, at most 512 KiB), fetched once and served from our address.
    logo_url: Option<String>,
    /// The name that the buyer knows you by; without it, your account's.
    #[schema(max_length = 200)]
    seller_merchant_name: Option<String>,
    order_data: Option<OrderData>,
}

/// Where the buyer goes afterwards: `https` (`http` for demo accounts). `status` and `paymentId`
/// are put into the query.
#[derive(Deserialize, ToSchema)]
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
    #[schema(value_type = String, format = DateTime)]
    expires_at: Timestamp,
}

impl CheckoutBody {
    /// The request in the rules' words, and how the payment is to be shared.
    pub(super) fn request(self) -> (SessionRequest, Option<OrderData>) {
        let (success, failure) =
            self.return_urls.map_or((None, None), |urls| (urls.success, urls.failure));
        let request = SessionRequest {
            reference: self.external_order_ref,
            amount: self.amount.map(|amount| amount.text().to_owned()),
            currency: self.currency_code,
            country: self.country_code,
            success,
            failure,
            auto_settlement: self.auto_settlement,
            description: self.description,
            force_challenge: self.force_3ds,
            locale: self.locale,
            logo: self.logo_url,
            seller_name: self.seller_merchant_name,
        };
        (request, self.order_data)
    }
}

impl CheckoutView {
    /// A session of the server that is known as `public_url`.
    pub(super) fn of(checkout: &Checkout, public_url: &str) -> Self {
        Self {
            session_id: checkout.session.clone(),
            checkout_url: format!("{public_url}/checkout/{}", checkout.session),
            expires_at: checkout.expires_at,
        }
    }
}
