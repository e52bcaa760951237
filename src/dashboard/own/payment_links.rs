//! Payment links: made, changed, cancelled.

use std::sync::Arc;

use actors::domain::email::Email;
use actors::domain::ids::PaymentLinkId;
use actors::domain::money::{Currency, Money};
use actors::domain::payments::payment_link::{
    NewPaymentLink, PaymentLink, PaymentLinkPatch, PaymentLinkRefusal, PaymentLinkStatus,
};
use actors::domain::refusal::Refusal;
use actors::domain::time::Timestamp;
use actors::query;
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;
use utoipa::ToSchema;

use crate::api::payments::idempotency_key::{self, Done};
use crate::api::wire::{List, Listed, stated};
use crate::app::App;
use crate::gate::{Request, Route};
use crate::http::{ApiError, ApiResult, Response};

const ENDPOINT: &str = "payment-links";

/// A payment link.
#[skip_serializing_none]
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct PaymentLinkView {
    id: u64,
    status: PaymentLinkStatus,
    title: String,
    amount_minor: i64,
    currency: Currency,
    single_use: bool,
    /// How many payments it took.
    usage_count: u64,
    expires_at: Option<Timestamp>,
    recipient_email: Option<String>,
    /// The page at which it is paid: for its buyers alone.
    url: String,
    created_at: Timestamp,
    updated_at: Timestamp,
}

impl Listed for PaymentLinkView {
    const LIST: &'static str = "PaymentLinkList";
    const ITEMS: &'static str = "paymentLinks";
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct PaymentLinkBody {
    /// What is sold, in one line.
    title: String,
    amount_minor: i64,
    currency: String,
    /// Whether one payment is all that it is for.
    single_use: bool,
    /// RFC 3339, in the future.
    expires_at: Option<String>,
    /// Whom its address is mailed to.
    recipient_email: Option<String>,
}

/// What is left out stays; `null` takes away.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct PaymentLinkUpdateBody {
    title: Option<String>,
    amount_minor: Option<i64>,
    currency: Option<String>,
    single_use: Option<bool>,
    #[serde(default, deserialize_with = "stated")]
    #[schema(value_type = Option<String>)]
    expires_at: Option<Option<String>>,
    #[serde(default, deserialize_with = "stated")]
    #[schema(value_type = Option<String>)]
    recipient_email: Option<Option<String>>,
}

impl PaymentLinkView {
    fn new(app: &App, link: PaymentLink, now: Timestamp) -> Self {
        Self {
            id: link.id.0,
            status: link.status_at(now),
            url: format!("{}/pay/{}", app.public_url(), app.links.of_payment_link(&link)),
            amount_minor: link.amount.minor,
            currency: link.amount.currency,
            single_use: link.single_use,
            usage_count: link.usage_count,
            expires_at: link.expires_at,
            recipient_email: link.recipient.as_ref().map(|to| to.as_str().to_owned()),
            created_at: link.created_at,
            updated_at: link.updated_at,
            title: link.title,
        }
    }
}

impl PaymentLinkBody {
    fn parse(self) -> Result<NewPaymentLink, PaymentLinkRefusal> {
        Ok(NewPaymentLink {
            title: self.title,
            amount: Money { minor: self.amount_minor, currency: currency(&self.currency)? },
            single_use: self.single_use,
            expires_at: self.expires_at.as_deref().map(instant).transpose()?,
            recipient: self.recipient_email.as_deref().map(recipient).transpose()?,
        })
    }
}

impl PaymentLinkUpdateBody {
    fn parse(self) -> Result<PaymentLinkPatch, PaymentLinkRefusal> {
        let expires_at = self.expires_at.map(|at| at.as_deref().map(instant).transpose());
        let to = self.recipient_email.map(|to| to.as_deref().map(recipient).transpose());
        Ok(PaymentLinkPatch {
            title: self.title,
            amount_minor: self.amount_minor,
            currency: self.currency.as_deref().map(currency).transpose()?,
            single_use: self.single_use,
            expires_at: expires_at.transpose()?,
            recipient: to.transpose()?,
        })
    }
}

fn currency(code: &str) -> Result<Currency, PaymentLinkRefusal> {
    Currency::parse_accepted(code).ok_or(PaymentLinkRefusal::Currency)
}

fn instant(text: &str) -> Result<Timestamp, PaymentLinkRefusal> {
    Timestamp::parse(text).ok_or(PaymentLinkRefusal::ExpiresAt)
}

fn recipient(text: &str) -> Result<Email, PaymentLinkRefusal> {
    Email::parse(text.trim()).ok_or(PaymentLinkRefusal::Recipient)
}

async fn list(app: Arc<App>, request: Request) -> ApiResult {
    let (paging, seller) = (request.paging("beforeId")?, request.seller_id());
    let expected = "active, paid, expired or cancelled";
    let status = request.query_as("status", expected, PaymentLinkStatus::parse)?;
    let found =
        app.blocking(move |store| query::payment_links(store, seller, status, paging)).await?;
    let view = |link| PaymentLinkView::new(&app, link, request.now);
    Ok(Response::ok(&List::<PaymentLinkView>::of(found, view)).unstored())
}

async fn get(app: Arc<App>, request: Request) -> ApiResult {
    let id = request.id("paymentLinkId", PaymentLinkId)?;
    let found = query::payment_link(&app.store, request.seller_id(), id)?;
    answer(&app, &request, found.ok_or_else(ApiError::missing)?)
}

async fn create(app: Arc<App>, request: Request) -> ApiResult {
    let body: PaymentLinkBody = request.json()?;
    let new = body.parse().map_err(Refusal::from)?;
    let seller = request.seller_id();
    let create = |claim| app.sellers.create_payment_link(seller, new, claim);
    let before = match idempotency_key::once(&app, &request, ENDPOINT, create).await? {
        Done::Now(made) => return answer(&app, &request, made),
        Done::Before(link) => query::payment_link(&app.store, seller, PaymentLinkId(link))?,
    };
    let made = before.ok_or_else(ApiError::missing)?;
    Ok(Response::replayed(&PaymentLinkView::new(&app, made, request.now)).unstored())
}

async fn update(app: Arc<App>, request: Request) -> ApiResult {
    let id = request.id("paymentLinkId", PaymentLinkId)?;
    let body: PaymentLinkUpdateBody = request.json()?;
    let patch = body.parse().map_err(Refusal::from)?;
    let updated = app.sellers.update_payment_link(request.seller_id(), id, patch).await?;
    answer(&app, &request, updated)
}

async fn cancel(app: Arc<App>, request: Request) -> ApiResult {
    let id = request.id("paymentLinkId", PaymentLinkId)?;
    let cancelled = app.sellers.cancel_payment_link(request.seller_id(), id).await?;
    answer(&app, &request, cancelled)
}

fn answer(app: &App, request: &Request, link: PaymentLink) -> ApiResult {
    Ok(Response::ok(&PaymentLinkView::new(app, link, request.now)).unstored())
}

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::get("/payment-links", list)
            .summary("The payment links that you made, newest first")
            .query_text("status", "`active`, `paid`, `expired` or `cancelled`.")
            .paged("beforeId")
            .answer::<List<PaymentLinkView>>(200, "The links."),
        Route::get("/payment-links/{paymentLinkId}", get)
            .summary("A payment link")
            .path_id("paymentLinkId")
            .answer::<PaymentLinkView>(200, "The link."),
        Route::post("/payment-links", create)
            .idempotent()
            .summary("Make a payment link")
            .body::<PaymentLinkBody>()
            .answer::<PaymentLinkView>(200, "The link."),
        Route::post("/payment-links/{paymentLinkId}", update)
            .summary("Change a payment link that is active")
            .path_id("paymentLinkId")
            .body::<PaymentLinkUpdateBody>()
            .answer::<PaymentLinkView>(200, "The link."),
        Route::post("/payment-links/{paymentLinkId}/cancel", cancel)
            .summary("Cancel a payment link; money on its way to it goes back")
            .path_id("paymentLinkId")
            .answer::<PaymentLinkView>(200, "The link."),
    ]
}
