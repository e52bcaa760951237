//! Subscriptions by payment link: made, cancelled, and what was charged for them.

use std::sync::Arc;

use actors::domain::billing::collection::Collection;
use actors::domain::billing::subscription::Frequency;
use actors::domain::email::Email;
use actors::domain::ids::LinkSubscriptionId;
use actors::domain::money::{Currency, Money};
use actors::domain::payments::failure::FailureCode;
use actors::domain::payments::link_subscription::{
    CancelledBy, LinkSubscription, LinkSubscriptionRefusal, LinkSubscriptionStatus,
    NewLinkSubscription,
};
use actors::domain::payments::payment::{Payment, PaymentStatus};
use actors::domain::payments::payment_link::PaymentLinkRefusal;
use actors::domain::refusal::Refusal;
use actors::domain::time::{Date, Timestamp};
use actors::query;
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;
use utoipa::ToSchema;

use crate::api::payments::idempotency_key::{self, Done};
use crate::api::wire::{List, Listed};
use crate::app::App;
use crate::gate::{Request, Route};
use crate::http::{ApiError, ApiResult, Response};

const ENDPOINT: &str = "link-subscriptions";

/// How many payments of a subscription are shown.
const SHOWN: usize = 100;

/// A subscription by payment link.
#[skip_serializing_none]
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct LinkSubscriptionView {
    id: u64,
    status: LinkSubscriptionStatus,
    title: String,
    /// Of one term.
    amount_minor: i64,
    currency: Currency,
    frequency: Frequency,
    trial_days: Option<u32>,
    /// After so many paid terms it is completed.
    installments: Option<u32>,
    /// Before so many paid terms its buyer may not cancel.
    commitment_terms: Option<u32>,
    recipient_email: Option<String>,
    /// The page at which it is signed, and later watched: for its buyer alone.
    url: String,
    started_on: Option<Date>,
    /// The first day after the trial.
    trial_end: Option<Date>,
    terms_paid: u32,
    /// The first day of the next term to be paid.
    next_charge_on: Option<Date>,
    /// When a charge that failed is made again.
    retry_on: Option<Date>,
    /// Why the last charge of the term failed.
    failure_code: Option<u16>,
    card: Option<CardView>,
    cancelled_at: Option<Timestamp>,
    /// `seller` or `buyer`.
    cancelled_by: Option<String>,
    created_at: Timestamp,
    updated_at: Timestamp,
}

/// The card that a subscription is charged to.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = LinkSubscriptionCard)]
struct CardView {
    brand: String,
    last4: String,
    exp_month: u8,
    exp_year: u16,
}

impl Listed for LinkSubscriptionView {
    const LIST: &'static str = "LinkSubscriptionList";
    const ITEMS: &'static str = "linkSubscriptions";
}

/// A payment that was begun for a subscription.
#[skip_serializing_none]
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct LinkSubscriptionPaymentView {
    /// The payment's reference.
    payment_id: String,
    /// Which term it is for, from 1; 0 where it verified the card.
    term: u32,
    status: PaymentStatus,
    amount_minor: i64,
    currency: Currency,
    /// Whether the kept card was charged, with nobody there.
    automatic: bool,
    failure_code: Option<u16>,
    created_at: Timestamp,
}

impl Listed for LinkSubscriptionPaymentView {
    const LIST: &'static str = "LinkSubscriptionPaymentList";
    const ITEMS: &'static str = "payments";
    const CURSOR: Option<&'static str> = None;
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct LinkSubscriptionBody {
    /// What is sold, in one line.
    title: String,
    /// Of one term.
    amount_minor: i64,
    currency: String,
    frequency: Frequency,
    /// 1 to 730: the card is verified, and charged for the first time after them.
    trial_days: Option<u32>,
    /// After so many paid terms it is completed, up to 1,200.
    installments: Option<u32>,
    /// Before so many paid terms its buyer may not cancel; without it, before all instalments are
    /// paid.
    commitment_terms: Option<u32>,
    recipient_email: Option<String>,
}

impl LinkSubscriptionView {
    fn new(app: &App, of: LinkSubscription) -> Self {
        let collection = of.collection.as_ref();
        let failed = collection.filter(|open| open.first_failed_on.is_some());
        let card = of.card.as_ref().map(|kept| &kept.card);
        let token = app.links.of_link_subscription(&of);
        Self {
            id: of.id.0,
            status: of.status,
            url: format!("{}/pay/{token}", app.public_url()),
            amount_minor: of.amount.minor,
            currency: of.amount.currency,
            frequency: of.frequency,
            trial_days: of.trial_days,
            installments: of.installments,
            commitment_terms: of.commitment_terms,
            recipient_email: of.recipient.as_ref().map(|to| to.as_str().to_owned()),
            started_on: of.started_on,
            trial_end: of.trial_end,
            terms_paid: of.terms_paid,
            next_charge_on: of.next_on,
            retry_on: failed.and_then(Collection::due_on),
            failure_code: collection.and_then(|open| open.last_failure).map(FailureCode::code),
            card: card.map(|card| CardView {
                brand: card.brand.name().to_owned(),
                last4: card.last4.clone(),
                exp_month: card.expiry.month,
                exp_year: card.expiry.year,
            }),
            cancelled_at: of.cancelled_at,
            cancelled_by: of.cancelled_by.map(|by| by.name().to_owned()),
            created_at: of.created_at,
            updated_at: of.updated_at,
            title: of.title,
        }
    }
}

impl LinkSubscriptionPaymentView {
    fn new(payment: Payment) -> Self {
        Self {
            term: payment.pays_for.subscription().map_or(0, |(_, term)| term),
            status: payment.status,
            amount_minor: payment.amount.minor,
            currency: payment.amount.currency,
            automatic: payment.saved_charge.is_some(),
            failure_code: payment.failure.map(|failure| failure.code.code()),
            created_at: payment.created_at,
            payment_id: payment.reference,
        }
    }
}

impl LinkSubscriptionBody {
    fn parse(self) -> Result<NewLinkSubscription, LinkSubscriptionRefusal> {
        let currency = Currency::parse_accepted(&self.currency);
        let currency = currency.ok_or(PaymentLinkRefusal::Currency)?;
        let recipient =
            |text: String| Email::parse(text.trim()).ok_or(PaymentLinkRefusal::Recipient);
        Ok(NewLinkSubscription {
            title: self.title,
            amount: Money { minor: self.amount_minor, currency },
            frequency: self.frequency,
            trial_days: self.trial_days,
            installments: self.installments,
            commitment_terms: self.commitment_terms,
            recipient: self.recipient_email.map(recipient).transpose()?,
        })
    }
}

async fn list(app: Arc<App>, request: Request) -> ApiResult {
    let (paging, seller) = (request.paging("beforeId")?, request.seller_id());
    let expected = "pending, trialing, active, past_due, cancelled or completed";
    let status = request.query_as("status", expected, LinkSubscriptionStatus::parse)?;
    let found =
        app.blocking(move |store| query::link_subscriptions(store, seller, status, paging)).await?;
    let view = |one| LinkSubscriptionView::new(&app, one);
    Ok(Response::ok(&List::<LinkSubscriptionView>::of(found, view)).unstored())
}

async fn get(app: Arc<App>, request: Request) -> ApiResult {
    let id = request.id("linkSubscriptionId", LinkSubscriptionId)?;
    let found = query::link_subscription(&app.store, request.seller_id(), id)?;
    answer(&app, found.ok_or_else(ApiError::missing)?)
}

async fn payments(app: Arc<App>, request: Request) -> ApiResult {
    let id = request.id("linkSubscriptionId", LinkSubscriptionId)?;
    let seller = request.seller_id();
    query::link_subscription(&app.store, seller, id)?.ok_or_else(ApiError::missing)?;
    let read = move |store: &_| query::payments_of_subscription(store, seller, id, SHOWN);
    let found = app.blocking(read).await?;
    let views = found.into_iter().map(LinkSubscriptionPaymentView::new).collect();
    Ok(Response::ok(&List::<LinkSubscriptionPaymentView>::whole(views)))
}

async fn create(app: Arc<App>, request: Request) -> ApiResult {
    let body: LinkSubscriptionBody = request.json()?;
    let new = body.parse().map_err(Refusal::from)?;
    let seller = request.seller_id();
    let create = |claim| app.link_subscriptions.create(seller, new, claim);
    let before = match idempotency_key::once(&app, &request, ENDPOINT, create).await? {
        Done::Now(made) => return answer(&app, made),
        Done::Before(id) => query::link_subscription(&app.store, seller, LinkSubscriptionId(id))?,
    };
    let made = before.ok_or_else(ApiError::missing)?;
    Ok(Response::replayed(&LinkSubscriptionView::new(&app, made)).unstored())
}

async fn cancel(app: Arc<App>, request: Request) -> ApiResult {
    let id = request.id("linkSubscriptionId", LinkSubscriptionId)?;
    let of = request.seller_id();
    answer(&app, app.link_subscriptions.cancel(of, id, CancelledBy::Seller).await?)
}

fn answer(app: &App, of: LinkSubscription) -> ApiResult {
    Ok(Response::ok(&LinkSubscriptionView::new(app, of)).unstored())
}

pub(super) fn routes() -> Vec<Route> {
    const STATUS: &str = "`pending`, `trialing`, `active`, `past_due`, `cancelled` or `completed`.";
    vec![
        Route::get("/link-subscriptions", list)
            .summary("The subscriptions by payment link, newest first")
            .query_text("status", STATUS)
            .paged("beforeId")
            .answer::<List<LinkSubscriptionView>>(200, "The subscriptions."),
        Route::get("/link-subscriptions/{linkSubscriptionId}", get)
            .summary("A subscription by payment link")
            .path_id("linkSubscriptionId")
            .answer::<LinkSubscriptionView>(200, "The subscription."),
        Route::get("/link-subscriptions/{linkSubscriptionId}/payments", payments)
            .summary("The newest payments of a subscription by payment link, failed ones too")
            .path_id("linkSubscriptionId")
            .answer::<List<LinkSubscriptionPaymentView>>(200, "The payments."),
        Route::post("/link-subscriptions", create)
            .idempotent()
            .summary("Make a subscription that one buyer signs at its page")
            .body::<LinkSubscriptionBody>()
            .answer::<LinkSubscriptionView>(200, "The subscription."),
        Route::post("/link-subscriptions/{linkSubscriptionId}/cancel", cancel)
            .summary("Cancel a subscription at once; money on its way to it goes back")
            .path_id("linkSubscriptionId")
            .answer::<LinkSubscriptionView>(200, "The subscription."),
    ]
}
