//! The page of a payment link that a seller made: what is sold, for how much, with a promo code for
//! how much less.

mod state;

use std::sync::Arc;

use actors::domain::payments::card::{CardData, CardProblem, Expiry};
use actors::domain::payments::payment::Payment;
use actors::domain::payments::payment_link::{PaymentLinkOrder, PaymentLinkRefusal};
use actors::domain::payments::promo_code::PromoRefusal;
use actors::domain::refusal::{Refusal, RefusalKind};
use actors::kernel::AskError;
use data_encoding::HEXLOWER;
use hyper::StatusCode;
use zeroize::Zeroizing;

use self::state::{Offer, Standing};
use super::form::{PayForm, PromoView};
use super::{subscription, unknown};
use crate::gate::Request;
use crate::http::{ApiError, ApiResult, blocking};
use crate::pages::bill::{BillSums, BillView, LineView};
use crate::pages::context::{PageContext, instead, not_now, page, wants_json};
use crate::pages::fields::{Fields, Typed};
use crate::pages::language::Words;
use crate::pages::outcome::Outcome;

/// Names a form that was shown, so that a browser which sends it twice pays once.
const ATTEMPT: &str = "attempt";

pub(super) async fn show(cx: &Arc<PageContext>, request: &Request) -> ApiResult {
    let typed = request.query_text("promoCode").ok().flatten().unwrap_or_default().into_owned();
    let Some(offer) = load(cx, request, typed).await? else {
        return subscription::show(cx, request).await;
    };
    match offer.outcome(cx, request.now) {
        Some(outcome) => page(StatusCode::OK, &outcome),
        None => page(StatusCode::OK, &card_form(cx, request, &offer)),
    }
}

/// As for an invoice, with `400` for a promo code that is not good, and `409` when the price is not
/// the one that the buyer saw.
pub(super) async fn submit(cx: &Arc<PageContext>, request: &Request) -> ApiResult {
    let fields = Fields::of(request);
    let typed =
        fields.as_ref().map_or_else(|_| String::new(), |it| it.text("promoCode").to_owned());
    let Some(offer) = load(cx, request, typed).await? else {
        return subscription::submit(cx, request).await;
    };
    let Ok(fields) = fields else {
        let unreadable = ApiError::invalid("invalid request body");
        return instead(request, unreadable, &Outcome::unreadable(offer.t));
    };
    if let Some(refused) = offer.refused(cx, request) {
        return refused;
    }
    if let Some(refusal) = offer.promo_refusal() {
        return not_good(cx, request, &offer, refusal, fields.typed());
    }
    let card = match fields.card().check() {
        Ok(card) => card,
        Err(problems) => return wrong_fields(cx, request, &offer, problems, fields.typed()),
    };
    let seen = fields.text("amountMinor");
    if !seen.is_empty() && seen.parse() != Ok(offer.price().minor) {
        return changed(cx, request, &offer);
    }
    let attempt = attempt_of(cx, fields.text(ATTEMPT), &card);
    pay(cx, request, &offer, card, attempt).await
}

async fn pay(
    cx: &Arc<PageContext>,
    request: &Request,
    offer: &Offer,
    card: CardData,
    attempt: Option<String>,
) -> ApiResult {
    let order = PaymentLinkOrder {
        seller: offer.link.seller,
        link: offer.link.id,
        amount: offer.price(),
        alone: offer.link.single_use,
        promo: offer.promo_id(),
        attempt,
    };
    match cx.app.sellers.pay_link(&cx.app.payments, order, card).await {
        Ok(payment) => Ok(cx.attempted(request, &payment, &next(cx, request, offer, &payment))),
        Err(AskError::Refused(refusal)) => refused(cx, request, offer, refusal).await,
        Err(error) => {
            let outcome = Outcome::out_of_order(offer.t, Some(offer.path()));
            instead(request, error.into(), &outcome.of(offer.seller.clone(), offer.demo))
        }
    }
}

/// What stands for the sending of a form with a card; none where the form has no name.
fn attempt_of(cx: &PageContext, form: &str, card: &CardData) -> Option<String> {
    let Expiry { year, month } = card.expiry;
    let said = Zeroizing::new(format!("{form} {} {year} {month}", card.number()));
    let mark = || cx.app.page_key.mark("attempts at paying a link", said.as_bytes());
    (!form.is_empty()).then(|| HEXLOWER.encode(&mark()))
}

/// A failed attempt leads back to the form, every other to the page of its payment, whose address
/// others who have the link do not know.
fn next(cx: &PageContext, request: &Request, offer: &Offer, payment: &Payment) -> String {
    if payment.status.is_lost() {
        let promo = match &offer.promo {
            Some(promo) => format!("&promoCode={}", promo.typed),
            None => String::new(),
        };
        return format!("{}?payment={}{promo}", offer.path(), payment.reference);
    }
    // A form may lead to this origin alone; the page then leads on to a bank elsewhere.
    let bank = cx.action(payment, request.now).filter(|to| to.starts_with('/'));
    bank.unwrap_or_else(|| cx.return_path(payment, request.now))
}

/// The attempt was overtaken: the page shows how the link stands now.
async fn refused(
    cx: &Arc<PageContext>,
    request: &Request,
    offer: &Offer,
    refusal: Refusal,
) -> ApiResult {
    let typed = offer.promo.as_ref().map(|promo| promo.typed.clone()).unwrap_or_default();
    let Some(mut now) = load(cx, request, typed).await? else { return unknown(request) };
    if refusal == PromoRefusal::UsedUp.into() {
        now.promo_is_used_up();
    }
    if let Some(refused) = now.refused(cx, request) {
        return refused;
    }
    if wants_json(request) {
        return Err(refusal.into());
    }
    let status = match refusal.kind {
        RefusalKind::Conflict => StatusCode::CONFLICT,
        RefusalKind::Invalid => StatusCode::BAD_REQUEST,
        _ => return Err(refusal.into()),
    };
    let mut form = card_form(cx, request, &now);
    if refusal == PaymentLinkRefusal::AmountChanged.into() {
        form.changed = Some(now.t.amount_changed);
    }
    page(status, &form)
}

fn changed(cx: &PageContext, request: &Request, offer: &Offer) -> ApiResult {
    if wants_json(request) {
        return Err(Refusal::from(PaymentLinkRefusal::AmountChanged).into());
    }
    let form = card_form(cx, request, offer);
    page(StatusCode::CONFLICT, &PayForm { changed: Some(offer.t.amount_changed), ..form })
}

fn not_good(
    cx: &PageContext,
    request: &Request,
    offer: &Offer,
    refusal: PromoRefusal,
    typed: Typed,
) -> ApiResult {
    if wants_json(request) {
        return Err(Refusal::from(refusal).into());
    }
    let form = PayForm { typed, failure: None, ..card_form(cx, request, offer) };
    page(StatusCode::BAD_REQUEST, &form)
}

fn wrong_fields(
    cx: &PageContext,
    request: &Request,
    offer: &Offer,
    problems: Vec<CardProblem>,
    typed: Typed,
) -> ApiResult {
    if wants_json(request) {
        let first = problems.first().map_or_else(String::new, ToString::to_string);
        return Err(ApiError::invalid(first));
    }
    let form = PayForm { problems, typed, failure: None, ..card_form(cx, request, offer) };
    page(StatusCode::BAD_REQUEST, &form)
}

impl Offer {
    /// Why no attempt can be made now; `None` while a card is taken.
    fn refused(&self, cx: &PageContext, request: &Request) -> Option<ApiResult> {
        let outcome = self.outcome(cx, request.now)?;
        let rests_until = match self.standing {
            Standing::Resting { until, .. } => Some(until),
            _ => None,
        };
        Some(instead(request, not_now(self.words(), rests_until, request.now), &outcome))
    }
}

fn card_form(cx: &PageContext, request: &Request, offer: &Offer) -> PayForm {
    let waiting = match &offer.standing {
        Standing::Payable { waiting } => waiting.as_ref(),
        _ => None,
    };
    let promo = offer.promo.as_ref();
    let mut seen =
        vec![("amountMinor", offer.price().minor.to_string()), (ATTEMPT, request.id.to_string())];
    // A code that is not good is not sent along: what is shown is charged.
    seen.extend(
        promo.filter(|_| offer.promo_id().is_some()).map(|it| ("promoCode", it.typed.clone())),
    );
    let (seller, bill) = (offer.seller.clone(), bill(offer));
    PayForm {
        failure: offer.failure,
        action_url: waiting.and_then(|payment| cx.action(payment, request.now)),
        promo: Some(PromoView {
            typed: promo.map(|promo| promo.typed.clone()).unwrap_or_default(),
            problem: offer.promo_problem(),
        }),
        seen,
        ..PayForm::plain(offer.t, seller, bill, offer.demo, offer.path())
    }
}

fn bill(offer: &Offer) -> BillView {
    let (price, none) = (offer.link.amount, offer.money(0));
    let line = LineView::new(offer.t, &offer.link.title, "1", None, price);
    let sums = BillSums {
        subtotal: price,
        discount: offer.discount(),
        tax: none,
        credit: none,
        settled: none,
        outstanding: offer.price(),
    };
    BillView::new(offer.t, "", None, vec![line], sums)
}

/// Reads all that the page shows; `None` for a token that was never given out.
async fn load(
    cx: &Arc<PageContext>,
    request: &Request,
    typed: String,
) -> Result<Option<Offer>, ApiError> {
    let Ok(token) = request.text_param("token") else { return Ok(None) };
    let token = token.into_owned();
    let attempt = request.query_text("payment").ok().flatten().map(std::borrow::Cow::into_owned);
    let (cx, t, now) = (Arc::clone(cx), Words::of_browser(request), request.now);
    blocking(move || Offer::read(&cx, t, (token, typed), attempt.as_deref(), now)).await
}
