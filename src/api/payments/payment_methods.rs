//! What a seller's buyers can pay with.

use std::sync::Arc;

use actors::domain::money::Currency;
use actors::domain::payments::method::Method;
use actors::domain::payments::terminal::{Offer, Rail, offers};
use serde::Serialize;
use utoipa::ToSchema;

use crate::app::App;
use crate::gate::{Request, Route};
use crate::http::{ApiError, ApiResult, Response};

/// The rails and methods that the seller's terminals take.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PaymentMethods {
    /// `card`, `apm`.
    allowed_payment_rails: Vec<Rail>,
    allowed_payment_methods: Vec<PaymentMethodView>,
}

/// A method that buyers can pay with in one currency.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PaymentMethodView {
    payment_method: Method,
    rail: Rail,
    currency: Currency,
    /// Where the buyers are, ISO 3166-1 alpha-2; empty is everywhere.
    countries: Vec<String>,
}

pub async fn list(app: Arc<App>, request: Request) -> ApiResult {
    let seller = app.directory.seller(request.seller_id())?.ok_or_else(ApiError::missing)?;
    Ok(Response::ok(&PaymentMethods::new(&offers(&seller.terminals, seller.seller.mode))))
}

impl PaymentMethods {
    fn new(offers: &[Offer]) -> Self {
        let mut rails: Vec<_> = offers.iter().map(|offer| offer.rail).collect();
        rails.sort_unstable();
        rails.dedup();
        Self {
            allowed_payment_rails: rails,
            allowed_payment_methods: offers.iter().map(PaymentMethodView::from).collect(),
        }
    }
}

impl From<&Offer> for PaymentMethodView {
    fn from(offer: &Offer) -> Self {
        Self {
            payment_method: offer.method,
            rail: offer.rail,
            currency: offer.currency,
            countries: offer.countries.iter().map(ToString::to_string).collect(),
        }
    }
}

pub fn routes() -> Vec<Route> {
    vec![
        Route::get("/payment-methods", list)
            .named("listPaymentMethods")
            .summary("List what buyers can pay with")
            .describe(
                "As your terminals allow in your account's mode: a row for each method and \
                 currency. Local methods are there only for the currencies and countries in which \
                 they are known.",
            )
            .answer::<PaymentMethods>(200, "The rails and methods."),
    ]
}
