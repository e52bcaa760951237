//! `/pay/{token}`: the page of an invoice's payment link. It shows how the invoice stands, and
//! takes a card while there is something to pay. The links that sellers make have theirs under the
//! same address ([`link`]), and so have subscriptions ([`subscription`]).

mod bill;
pub mod form;
mod link;
mod state;
mod subscription;

use std::sync::Arc;

use actors::domain::payments::card::{CardData, CardProblem};
use actors::domain::refusal::{Refusal, RefusalKind};
use actors::kernel::AskError;
use actors::payment::InvoiceOrder;
use hyper::StatusCode;

use self::form::{PayForm, Saving};
use self::state::{Loaded, Standing};
use super::context::{
    Attempt, PageContext, for_people, instead, not_now, page, refused as refusal_page, wants_json,
};
use super::fields::{Fields, Typed};
use super::forms::CardForm;
use super::language::Words;
use super::outcome::Outcome;
use crate::gate::{Request, Route};
use crate::http::{ApiError, ApiResult, blocking};

/// After an attempt, `payment` in the query names the one whose failure is told.
async fn show(cx: Arc<PageContext>, request: Arc<Request>) -> ApiResult {
    let (cx, request) = (&cx, &*request);
    let Some(loaded) = load(cx, request).await? else { return link::show(cx, request).await };
    match loaded.outcome(cx, request.now) {
        Some(outcome) => page(StatusCode::OK, &outcome),
        None => page(StatusCode::OK, &card_form(cx, request, &loaded)),
    }
}

/// Makes an attempt, then `303`, or `200` in JSON. `400` with a message beside each wrong field;
/// `409` when there is nothing to pay or an attempt is under way; `500` when nobody knows how
/// it ended.
async fn submit(cx: Arc<PageContext>, request: Arc<Request>) -> ApiResult {
    let (cx, request) = (&cx, &*request);
    let Some(loaded) = load(cx, request).await? else { return link::submit(cx, request).await };
    let Ok(fields) = Fields::of(request) else {
        return instead(
            request,
            ApiError::invalid("invalid request body"),
            &Outcome::unreadable(loaded.t),
        );
    };
    match fields.card().check() {
        Ok(card) => attempt(cx, request, &loaded, card, fields.is_set("saveCard")).await,
        Err(problems) => wrong_fields(cx, request, &loaded, problems, fields.typed()),
    }
}

async fn attempt(
    cx: &Arc<PageContext>,
    request: &Request,
    loaded: &Loaded,
    card: CardData,
    saves_card: bool,
) -> ApiResult {
    if let Some(refused) = loaded.refused(cx, request) {
        return refused;
    }
    let order = InvoiceOrder {
        seller: loaded.target.seller,
        contract: loaded.target.contract,
        invoice: loaded.target.invoice,
        number: loaded.number(),
        amount: loaded.outstanding(),
        saves_for: saves_card.then_some(loaded.invoice.customer),
    };
    match cx.app.payments.pay_invoice(&order, card).await {
        Ok(payment) => {
            let own = format!("{}?payment={}", loaded.path(), payment.reference);
            // A form may lead to this origin alone; the page then leads on to a bank elsewhere.
            let bank = cx.action(&payment, request.now).filter(|to| to.starts_with('/'));
            let next = bank.unwrap_or(own);
            Ok(cx.attempted(request, &payment, &next))
        }
        Err(AskError::Refused(refusal)) => refused(cx, request, refusal).await,
        Err(error) => unanswered(request, loaded, error),
    }
}

/// The attempt was overtaken by another: the page shows how the invoice stands now.
async fn refused(cx: &Arc<PageContext>, request: &Request, refusal: Refusal) -> ApiResult {
    if refusal.kind != RefusalKind::Conflict {
        return Err(refusal.into());
    }
    let Some(loaded) = load(cx, request).await? else { return unknown(request) };
    match loaded.refused(cx, request) {
        Some(refused) => refused,
        None if wants_json(request) => Err(refusal.into()),
        None => page(StatusCode::CONFLICT, &card_form(cx, request, &loaded)),
    }
}

fn unanswered(request: &Request, loaded: &Loaded, error: AskError) -> ApiResult {
    let outcome = Outcome::out_of_order(loaded.t, Some(loaded.path()));
    instead(request, error.into(), &outcome.of(loaded.seller.clone(), loaded.demo))
}

fn wrong_fields(
    cx: &PageContext,
    request: &Request,
    loaded: &Loaded,
    problems: Vec<CardProblem>,
    typed: Typed,
) -> ApiResult {
    if let Some(refused) = loaded.refused(cx, request) {
        return refused;
    }
    if wants_json(request) {
        let first = problems.first().map_or_else(String::new, ToString::to_string);
        return Err(ApiError::invalid(first));
    }
    let form = PayForm { problems, typed, failure: None, ..card_form(cx, request, loaded) };
    page(StatusCode::BAD_REQUEST, &form)
}

impl Loaded {
    /// Why no attempt can be made now; `None` while a card is taken.
    fn refused(&self, cx: &PageContext, request: &Request) -> Option<ApiResult> {
        let outcome = self.outcome(cx, request.now)?;
        let rests_until = match self.standing {
            Standing::Resting { until, .. } => Some(until),
            _ => None,
        };
        let error = not_now(self.standing.words(), rests_until, request.now);
        Some(instead(request, error, &outcome))
    }
}

fn card_form(cx: &PageContext, request: &Request, loaded: &Loaded) -> PayForm {
    let waiting = match &loaded.standing {
        Standing::Payable { waiting } => waiting.as_ref(),
        _ => None,
    };
    let (seller, bill) = (loaded.seller.clone(), bill::view(loaded));
    PayForm {
        typed: loaded.known(),
        failure: loaded.failure,
        action_url: waiting.and_then(|payment| cx.action(payment, request.now)),
        saves: Some(Saving::Offered),
        ..PayForm::plain(loaded.t, seller, bill, loaded.demo, loaded.path())
    }
}

fn unknown(request: &Request) -> ApiResult {
    instead(request, ApiError::missing(), &Outcome::unknown_link(Words::of_browser(request)))
}

/// Reads all that the page shows; `None` for a token that was never given out.
async fn load(cx: &Arc<PageContext>, request: &Request) -> Result<Option<Loaded>, ApiError> {
    let Ok(token) = request.text_param("token") else { return Ok(None) };
    let token = token.into_owned();
    let attempt = request.query_text("payment").ok().flatten().map(std::borrow::Cow::into_owned);
    let (cx, t, now) = (Arc::clone(cx), Words::of_browser(request), request.now);
    blocking(move || Loaded::read(&cx, t, token, attempt.as_deref(), now)).await
}

pub fn routes() -> Vec<Route> {
    vec![
        Route::get("/pay/{token}", for_people(show))
            .refuses_with(refusal_page)
            .summary("The page of a payment link")
            .path_text("token", "Token of the payment link.")
            .query_text("payment", "Reference of an attempt whose failure is told.")
            .query_text("promoCode", "At a link that is no invoice's: the price with this code.")
            .answer_as(200, "text/html", "The page.")
            .refuses_as(404, "text/html", "No such link."),
        Route::post("/pay/{token}", for_people(submit))
            .refuses_with(refusal_page)
            .summary("Pays by card at a payment link")
            .path_text("token", "Token of the payment link.")
            .form::<CardForm>()
            .answer::<Attempt>(200, "How the attempt ended, for `Accept: application/json`.")
            .answer_empty(303, "The attempt was made.")
            .refuses_as(400, "text/html", "A field is wrong; the page says which.")
            .refuses_as(404, "text/html", "No such link.")
            .refuses_as(
                409,
                "text/html",
                "Paid, closed, or another attempt is under way; or the seller's account is not \
                 open.",
            )
            .refuses_as(
                429,
                "text/html",
                "Ten cards were declined here within an hour: no other is taken, good ones too, \
                 until `Retry-After` is over.",
            ),
    ]
}
