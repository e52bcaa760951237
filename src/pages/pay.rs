//! `/pay/{token}`: the page of an invoice's payment link. It shows how the invoice stands, and
//! takes a card while there is something to pay.

mod bill;
pub mod form;
mod state;

use std::sync::Arc;

use actors::domain::payments::card::{CardData, CardProblem};
use actors::domain::refusal::{Refusal, RefusalKind};
use actors::payment::InvoiceOrder;
use actors::room::AskError;
use hyper::StatusCode;

use self::form::PayForm;
use self::state::{Loaded, Standing};
use super::desk::Attempt;
use super::desk::{PageDesk, for_people, instead, page, reading, wants_json};
use super::fields::{Fields, Typed};
use super::forms::CardForm;
use super::outcome::Outcome;
use crate::app::App;
use crate::gate::Route;
use crate::http::Answer;
use crate::http::error::Problem;
use crate::http::request::Call;

/// `GET /pay/{token}`: `200` with the page, `404` for a token that was never given out. After
/// an attempt, `payment` in the query names the one whose failure is told.
///
/// # Errors
/// `500` when rows cannot be read.
pub async fn show(app: Arc<App>, call: Call) -> Answer {
    let answer = shown(&app, &call).await;
    for_people(&call, answer)
}

async fn shown(app: &Arc<App>, call: &Call) -> Answer {
    let desk = &PageDesk::of(app);
    let Some(loaded) = load(desk, call).await? else { return unknown(call) };
    match loaded.outcome() {
        Some(outcome) => page(StatusCode::OK, outcome.render()),
        None => page(StatusCode::OK, card_form(desk, call, &loaded).render()),
    }
}

/// `POST /pay/{token}` with a card: makes an attempt, then `303`, or `200` in JSON. `400` with
/// the page and a message beside each wrong field; `409` when there is nothing to pay, or an
/// attempt is under way.
///
/// # Errors
/// The same as JSON for those who ask for it; `500` when nobody knows how the attempt ended.
pub async fn submit(app: Arc<App>, call: Call) -> Answer {
    let answer = submitted(&app, &call).await;
    for_people(&call, answer)
}

async fn submitted(app: &Arc<App>, call: &Call) -> Answer {
    let desk = &PageDesk::of(app);
    let Some(loaded) = load(desk, call).await? else { return unknown(call) };
    let content_type = call.header("content-type").unwrap_or_default();
    let Ok(fields) = Fields::parse(content_type, &call.body) else {
        return instead(call, Problem::invalid("invalid request body"), &Outcome::unreadable());
    };
    match fields.card().check() {
        Ok(card) => attempt(desk, call, &loaded, card).await,
        Err(problems) => wrong_fields(desk, call, &loaded, problems, fields.typed()),
    }
}

async fn attempt(desk: &Arc<PageDesk>, call: &Call, loaded: &Loaded, card: CardData) -> Answer {
    if let Some(outcome) = loaded.outcome() {
        return instead(call, Problem::conflict(loaded.standing.words()), &outcome);
    }
    let order = InvoiceOrder {
        seller: loaded.target.seller,
        contract: loaded.target.contract,
        invoice: loaded.target.invoice,
        number: loaded.number(),
        amount: loaded.outstanding(),
    };
    match desk.payments.pay_invoice(&order, card).await {
        Ok(payment) => {
            let own = format!("{}?payment={}", loaded.path(), payment.reference);
            // A form may lead to this origin alone; the page then leads on to a bank elsewhere.
            let bank = desk.action(&payment, call.now).filter(|to| to.starts_with('/'));
            let next = bank.unwrap_or(own);
            Ok(desk.attempted(call, &payment, &next))
        }
        Err(AskError::Refused(refusal)) => refused(desk, call, refusal).await,
        Err(error) => unanswered(call, loaded, error),
    }
}

/// The attempt was overtaken by another: the page shows how the invoice stands now.
async fn refused(desk: &Arc<PageDesk>, call: &Call, refusal: Refusal) -> Answer {
    if refusal.kind != RefusalKind::Conflict || wants_json(call) {
        return Err(refusal.into());
    }
    let Some(loaded) = load(desk, call).await? else { return unknown(call) };
    match loaded.outcome() {
        Some(outcome) => page(StatusCode::CONFLICT, outcome.render()),
        None => page(StatusCode::CONFLICT, card_form(desk, call, &loaded).render()),
    }
}

fn unanswered(call: &Call, loaded: &Loaded, error: AskError) -> Answer {
    let outcome = Outcome::out_of_order(Some(loaded.path())).of(loaded.seller.clone(), loaded.demo);
    instead(call, error.into(), &outcome)
}

fn wrong_fields(
    desk: &PageDesk,
    call: &Call,
    loaded: &Loaded,
    problems: Vec<CardProblem>,
    typed: Typed,
) -> Answer {
    if wants_json(call) {
        let first = problems.first().map_or_else(String::new, ToString::to_string);
        return Err(Problem::invalid(first));
    }
    match loaded.outcome() {
        Some(outcome) => page(StatusCode::CONFLICT, outcome.render()),
        None => {
            let form = PayForm { problems, typed, failure: None, ..card_form(desk, call, loaded) };
            page(StatusCode::BAD_REQUEST, form.render())
        }
    }
}

fn card_form(desk: &PageDesk, call: &Call, loaded: &Loaded) -> PayForm {
    let waiting = match &loaded.standing {
        Standing::Payable { waiting } => waiting.as_ref(),
        _ => None,
    };
    PayForm {
        seller: loaded.seller.clone(),
        bill: bill::view(loaded),
        demo: loaded.demo,
        form_url: loaded.path(),
        typed: loaded.known(),
        problems: Vec::new(),
        failure: loaded.failure,
        action_url: waiting.and_then(|payment| desk.action(payment, call.now)),
    }
}

fn unknown(call: &Call) -> Answer {
    instead(call, Problem::missing(), &Outcome::unknown_link())
}

/// Reads all that the page shows; `None` for a token that was never given out.
async fn load(desk: &Arc<PageDesk>, call: &Call) -> Result<Option<Loaded>, Problem> {
    let Ok(token) = call.text_param("token") else { return Ok(None) };
    let token = token.into_owned();
    let attempt = call.query_text("payment").ok().flatten().map(std::borrow::Cow::into_owned);
    let desk = Arc::clone(desk);
    reading(move || Loaded::read(&desk, token, attempt.as_deref())).await
}

pub fn routes() -> Vec<Route> {
    vec![
        Route::get("/pay/{token}", show)
            .summary("The payment page of an invoice")
            .path_text("token", "Token of the payment link.")
            .query_text("payment", "Reference of an attempt whose failure is told.")
            .answer_as(200, "text/html", "The page.")
            .refuses_as(404, "text/html", "No such link."),
        Route::post("/pay/{token}", submit)
            .summary("Pays an invoice by card")
            .path_text("token", "Token of the payment link.")
            .form::<CardForm>()
            .answer::<Attempt>(200, "How the attempt ended, for `Accept: application/json`.")
            .answer_empty(303, "The attempt was made.")
            .refuses_as(400, "text/html", "A field is wrong; the page says which.")
            .refuses_as(404, "text/html", "No such link.")
            .refuses_as(409, "text/html", "Paid, closed, or another attempt is under way."),
    ]
}
