//! Promo codes: made, and how often they were redeemed.

use std::sync::Arc;

use actors::domain::ids::{PaymentLinkId, PromoCodeId};
use actors::domain::money::{Currency, Money};
use actors::domain::payments::promo_code::{
    NewPromoCode, Off, PromoCode, PromoRefusal, PromoStatus,
};
use actors::domain::refusal::Refusal;
use actors::domain::time::Timestamp;
use actors::query;
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;
use utoipa::ToSchema;

use crate::api::payments::idempotency_key::{self, Done};
use crate::api::wire::{List, Listed};
use crate::app::App;
use crate::gate::{Request, Route};
use crate::http::{ApiError, ApiResult, Response};

const ENDPOINT: &str = "promo-codes";

/// A promo code.
#[skip_serializing_none]
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct PromoCodeView {
    id: u64,
    code: String,
    /// `active`, `expired`, or `used_up`: redeemed, or reserved by payments that are under way, as
    /// often as may be.
    status: PromoStatus,
    percent_bps: Option<u32>,
    amount_off_minor: Option<i64>,
    currency: Option<Currency>,
    max_redemptions: Option<u64>,
    redemptions: u64,
    /// Of payments that are under way.
    reserved: u64,
    expires_at: Option<Timestamp>,
    /// The links that take it; all where there are none.
    payment_link_ids: Vec<u64>,
    created_at: Timestamp,
}

impl Listed for PromoCodeView {
    const LIST: &'static str = "PromoCodeList";
    const ITEMS: &'static str = "promoCodes";
}

/// Either a part or an amount is taken off.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct PromoCodeBody {
    /// 3 to 40 letters, digits, dashes or underscores; capitals make no difference.
    code: String,
    /// From 1 to 9999; the discount is rounded half up.
    percent_bps: Option<u32>,
    amount_off_minor: Option<i64>,
    /// Goes with `amountOffMinor`: prices in other currencies do not take the code.
    currency: Option<String>,
    max_redemptions: Option<u64>,
    /// RFC 3339, in the future.
    expires_at: Option<String>,
    /// The links that take it, at most 100; all when left out.
    payment_link_ids: Option<Vec<u64>>,
}

impl PromoCodeView {
    fn new(code: PromoCode, now: Timestamp) -> Self {
        let (percent_bps, off) = match code.off {
            Off::Part(bps) => (Some(bps), None),
            Off::Amount(off) => (None, Some(off)),
        };
        Self {
            id: code.id.0,
            status: code.status(now),
            code: code.code,
            percent_bps,
            amount_off_minor: off.map(|off| off.minor),
            currency: off.map(|off| off.currency),
            max_redemptions: code.most,
            redemptions: code.redeemed,
            reserved: code.reserved,
            expires_at: code.expires_at,
            payment_link_ids: code.links.iter().map(|link| link.0).collect(),
            created_at: code.created_at,
        }
    }
}

impl PromoCodeBody {
    fn parse(self) -> Result<NewPromoCode, PromoRefusal> {
        let off = match (self.percent_bps, self.amount_off_minor, &self.currency) {
            (Some(bps), None, None) => Off::Part(bps),
            (Some(_), None, Some(_)) => return Err(PromoRefusal::Currency),
            (None, Some(minor), code) => {
                let code = code.as_deref().and_then(Currency::parse_accepted);
                Off::Amount(Money { minor, currency: code.ok_or(PromoRefusal::Currency)? })
            }
            _ => return Err(PromoRefusal::OneOfTwo),
        };
        let instant = |text: &str| Timestamp::parse(text).ok_or(PromoRefusal::ExpiresAt);
        let links = self.payment_link_ids;
        Ok(NewPromoCode {
            code: self.code,
            off,
            most: self.max_redemptions,
            expires_at: self.expires_at.as_deref().map(instant).transpose()?,
            links: links.map(|ids| ids.into_iter().map(PaymentLinkId).collect()),
        })
    }
}

async fn list(app: Arc<App>, request: Request) -> ApiResult {
    let (paging, seller, now) = (request.paging("beforeId")?, request.seller_id(), request.now);
    let status = request.query_as("status", "active, expired or used_up", PromoStatus::parse)?;
    let found =
        app.blocking(move |store| query::promo_codes(store, seller, (status, now), paging)).await?;
    let view = |code| PromoCodeView::new(code, request.now);
    Ok(Response::ok(&List::<PromoCodeView>::of(found, view)))
}

async fn get(app: Arc<App>, request: Request) -> ApiResult {
    let id = request.id("promoCodeId", PromoCodeId)?;
    let found = query::promo_code(&app.store, request.seller_id(), id)?;
    let found = found.ok_or_else(ApiError::missing)?;
    Ok(Response::ok(&PromoCodeView::new(found, request.now)))
}

async fn create(app: Arc<App>, request: Request) -> ApiResult {
    let body: PromoCodeBody = request.json()?;
    let new = body.parse().map_err(Refusal::from)?;
    let seller = request.seller_id();
    let create = |claim| app.sellers.create_promo_code(seller, new, claim);
    let before = match idempotency_key::once(&app, &request, ENDPOINT, create).await? {
        Done::Now(made) => return Ok(Response::ok(&PromoCodeView::new(made, request.now))),
        Done::Before(code) => query::promo_code(&app.store, seller, PromoCodeId(code))?,
    };
    let made = before.ok_or_else(ApiError::missing)?;
    Ok(Response::replayed(&PromoCodeView::new(made, request.now)))
}

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::get("/promo-codes", list)
            .summary("The promo codes, newest first")
            .query_text("status", "`active`, `expired` or `used_up`.")
            .paged("beforeId")
            .answer::<List<PromoCodeView>>(200, "The codes."),
        Route::get("/promo-codes/{promoCodeId}", get)
            .summary("A promo code")
            .path_id("promoCodeId")
            .answer::<PromoCodeView>(200, "The code."),
        Route::post("/promo-codes", create)
            .idempotent()
            .summary("Make a promo code")
            .body::<PromoCodeBody>()
            .answer::<PromoCodeView>(200, "The code."),
    ]
}
