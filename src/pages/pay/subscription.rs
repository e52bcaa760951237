//! The page of a subscription by payment link: its terms and a card form while it asks for a card,
//! else how it stands; with either a way to cancel it once its buyer may.

mod state;

use std::sync::Arc;

use actors::domain::billing::collection::Collection;
use actors::domain::money::Money;
use actors::domain::payments::card::{CardData, CardProblem};
use actors::domain::payments::link_subscription::{
    Asked, CancelledBy, LinkSubscriptionRefusal, LinkSubscriptionStatus, VERIFICATION,
};
use actors::domain::refusal::{Refusal, RefusalKind};
use actors::kernel::AskError;
use askama::Template;
use hyper::StatusCode;

use self::state::{Signed, Standing};
use super::form::{PayForm, Saving};
use super::unknown;
use crate::gate::Request;
use crate::http::{ApiError, ApiResult, blocking};
use crate::pages::bill::{BillSums, BillView, LineView, SellerView};
use crate::pages::context::{PageContext, instead, not_now, page, wants_json};
use crate::pages::fields::Fields;
use crate::pages::language::{Words, fill};
use crate::pages::outcome::Outcome;

/// How a subscription stands that asks for no card.
#[derive(Template)]
#[template(path = "subscription.html", config = "src/pages/askama.toml")]
struct StandingPage {
    t: &'static Words,
    seller: SellerView,
    demo: bool,
    title: String,
    price: String,
    state: &'static str,
    next: Option<String>,
    /// That the charge is made again, after one that failed.
    failed: Option<&'static str>,
    card: Option<String>,
    form_url: String,
    may_cancel: bool,
    /// Why not yet.
    bound: Option<String>,
}

pub(super) async fn show(cx: &Arc<PageContext>, request: &Request) -> ApiResult {
    let Some(signed) = load(cx, request).await? else { return unknown(request) };
    shown(cx, request, &signed, StatusCode::OK)
}

fn shown(cx: &PageContext, request: &Request, signed: &Signed, status: StatusCode) -> ApiResult {
    if let Some(outcome) = signed.outcome(cx, request.now) {
        return page(status, &outcome);
    }
    match &signed.standing {
        Standing::Asks { asked, .. } => page(status, &card_form(cx, request, signed, *asked)),
        _ => page(status, &standing(signed)),
    }
}

/// Takes the card that is asked for, or cancels. As at a link, and `400` also where its buyer does
/// not agree that the card is kept.
pub(super) async fn submit(cx: &Arc<PageContext>, request: &Request) -> ApiResult {
    let Some(signed) = load(cx, request).await? else { return unknown(request) };
    let Ok(fields) = Fields::of(request) else {
        let unreadable = ApiError::invalid("invalid request body");
        return instead(request, unreadable, &Outcome::unreadable(signed.t));
    };
    if fields.text("action") == "cancel" {
        return cancel(cx, request, &signed).await;
    }
    let Standing::Asks { asked, .. } = signed.standing else {
        return refused(cx, request, &signed);
    };
    let agrees = fields.is_set("saveCard");
    let card = match fields.card().check() {
        Ok(card) if agrees => card,
        checked => {
            let problems = checked.err().unwrap_or_default();
            let form = card_form(cx, request, &signed, asked);
            let saves = Some(Saving::Needed { missing: !agrees });
            let form = PayForm { problems, typed: fields.typed(), failure: None, saves, ..form };
            return wrong(request, form);
        }
    };
    let seen = fields.text("amountMinor");
    if !seen.is_empty() && seen.parse() != Ok(asked.amount.minor) {
        return overtaken(cx, request, LinkSubscriptionRefusal::Changed.into()).await;
    }
    attempt(cx, request, &signed, asked, card).await
}

async fn attempt(
    cx: &Arc<PageContext>,
    request: &Request,
    signed: &Signed,
    asked: Asked,
    card: CardData,
) -> ApiResult {
    let of = &signed.subscription;
    match cx.app.payments.pay_subscription(of.seller, of.id, asked, card).await {
        Ok(payment) => {
            // A form may lead to this origin alone; the page then leads on to a bank elsewhere.
            let bank = cx.action(&payment, request.now).filter(|to| to.starts_with('/'));
            // It may fail yet, while the page waits for it.
            let own = format!("{}?payment={}", signed.path(), payment.reference);
            Ok(cx.attempted(request, &payment, &bank.unwrap_or(own)))
        }
        Err(AskError::Refused(refusal)) => overtaken(cx, request, refusal).await,
        Err(error) => {
            let outcome = Outcome::out_of_order(signed.t, Some(signed.path()));
            instead(request, error.into(), &outcome.of(signed.seller.clone(), signed.demo))
        }
    }
}

async fn cancel(cx: &Arc<PageContext>, request: &Request, signed: &Signed) -> ApiResult {
    if matches!(signed.standing, Standing::Shut) {
        return refused(cx, request, signed);
    }
    let of = &signed.subscription;
    match cx.app.link_subscriptions.cancel(of.seller, of.id, CancelledBy::Buyer).await {
        Ok(now) => Ok(cx.cancelled(request, &now, &signed.path())),
        Err(AskError::Refused(refusal)) => overtaken(cx, request, refusal).await,
        Err(error) => {
            let outcome = Outcome::out_of_order(signed.t, Some(signed.path()));
            instead(request, error.into(), &outcome.of(signed.seller.clone(), signed.demo))
        }
    }
}

/// What was asked for does not fit any more: the page shows how the subscription stands now.
async fn overtaken(cx: &Arc<PageContext>, request: &Request, refusal: Refusal) -> ApiResult {
    if wants_json(request) || refusal.kind != RefusalKind::Conflict {
        return Err(refusal.into());
    }
    let Some(now) = load(cx, request).await? else { return unknown(request) };
    shown(cx, request, &now, StatusCode::CONFLICT)
}

/// No card is taken now.
fn refused(cx: &PageContext, request: &Request, signed: &Signed) -> ApiResult {
    let rests_until = match signed.standing {
        Standing::Resting { until, .. } => Some(until),
        _ => None,
    };
    let error = not_now(signed.words(), rests_until, request.now);
    match signed.outcome(cx, request.now) {
        Some(outcome) => instead(request, error, &outcome),
        None if wants_json(request) => Err(error),
        None => page(StatusCode::CONFLICT, &standing(signed)),
    }
}

fn wrong(request: &Request, form: PayForm) -> ApiResult {
    if wants_json(request) {
        let first = form.problems.first().map(CardProblem::to_string);
        return Err(ApiError::invalid(first.unwrap_or_else(|| "saveCard must be true".to_owned())));
    }
    page(StatusCode::BAD_REQUEST, &form)
}

fn card_form(cx: &PageContext, request: &Request, signed: &Signed, asked: Asked) -> PayForm {
    let t = signed.t;
    let waiting = match &signed.standing {
        Standing::Asks { waiting, .. } => waiting.as_deref(),
        _ => None,
    };
    let verifies = asked.term == VERIFICATION;
    let overdue = signed.subscription.started_on.is_some();
    let (seller, bill) = (signed.seller.clone(), bill(signed, asked));
    PayForm {
        failure: signed.failure,
        action_url: waiting.and_then(|payment| cx.action(payment, request.now)),
        saves: Some(Saving::Needed { missing: false }),
        changed: overdue.then_some(t.term_overdue),
        terms: terms(signed, request),
        begins: verifies.then_some(t.subscribe),
        seen: vec![("amountMinor", asked.amount.minor.to_string())],
        may_cancel: signed.subscription.may_be_left(),
        ..PayForm::plain(t, seller, bill, signed.demo, signed.path())
    }
}

fn bill(signed: &Signed, asked: Asked) -> BillView {
    let none = Money { minor: 0, ..asked.amount };
    let of = &signed.subscription;
    let line = LineView::new(signed.t, &of.title, "1", None, of.amount);
    let sums = BillSums {
        subtotal: asked.amount,
        discount: none,
        tax: none,
        credit: none,
        settled: none,
        outstanding: asked.amount,
    };
    BillView::new(signed.t, "", None, vec![line], sums)
}

/// What its buyer agrees to.
fn terms(signed: &Signed, request: &Request) -> Vec<String> {
    let (t, of) = (signed.t, &signed.subscription);
    let mut terms = vec![t.money_a_term(of.amount, of.frequency)];
    if let Some(days) = of.trial_days.filter(|_| of.started_on.is_none()) {
        let first = request.now.date().plus_days(i64::from(days));
        terms.push(t.free_days(days));
        terms.push(fill(t.first_charge_on, &[("day", &t.date(first))]));
    }
    terms.extend(of.installments.map(|all| t.in_instalments(all)));
    terms.extend(of.commitment_terms.map(|least| t.at_least_terms(least)));
    terms
}

fn standing(signed: &Signed) -> StandingPage {
    let (t, of) = (signed.t, &signed.subscription);
    let may_cancel = of.may_be_left();
    let failed = of.collection.as_ref().filter(|open| open.first_failed_on.is_some());
    let retry = failed.and_then(Collection::due_on);
    StandingPage {
        t,
        seller: signed.seller.clone(),
        demo: signed.demo,
        title: of.title.clone(),
        price: t.money_a_term(of.amount, of.frequency),
        state: if of.status == LinkSubscriptionStatus::Trialing {
            t.state_trial
        } else {
            t.state_active
        },
        next: retry.or(of.next_on).map(|day| t.date(day)),
        failed: retry.is_some().then_some(t.charge_failed),
        card: of.card.as_ref().map(|kept| t.card(&kept.card)),
        form_url: signed.path(),
        may_cancel,
        bound: (!may_cancel).then(|| t.cannot_cancel_yet(of.commitment())),
    }
}

/// Reads all that the page shows; `None` for a token that was never given out.
async fn load(cx: &Arc<PageContext>, request: &Request) -> Result<Option<Signed>, ApiError> {
    let Ok(token) = request.text_param("token") else { return Ok(None) };
    let token = token.into_owned();
    let attempt = request.query_text("payment").ok().flatten().map(std::borrow::Cow::into_owned);
    let (cx, t, now) = (Arc::clone(cx), Words::of_browser(request), request.now);
    blocking(move || Signed::read(&cx, t, token, attempt.as_deref(), now)).await
}
