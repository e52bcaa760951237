//! `/scheme/{token}`: the simulated bank, scheme or app of demo mode, where a buyer confirms a
//! payment.

pub mod page;

use std::sync::Arc;

use actors::domain::payments::payment::{BuyerAnswer, Payment};
use actors::domain::payments::terminal::Connector;
use actors::domain::refusal::RefusalKind;
use actors::room::AskError;
use hyper::StatusCode;

use self::page::SchemePage;
use super::desk::Attempt;
use super::desk::{PageDesk, for_people, instead, page as answer_page, reading, wants_json};
use super::fields::Fields;
use super::forms::SchemeForm;
use super::outcome::Outcome;
use super::token::Purpose;
use crate::app::App;
use crate::gate::Route;
use crate::http::Answer;
use crate::http::error::Problem;
use crate::http::request::Call;
use crate::http::response::Reply;

/// As other pages, but for the form: browsers hold the seller's address, which the step back leads
/// on to, against `form-action` too.
const SCHEME_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
     img-src 'self' data:; form-action 'self' https: http:; base-uri 'none'; \
     frame-ancestors 'none'";

/// `GET /scheme/{token}`: `200` with the question, `303` back once it is answered, `404` for a
/// token that is not ours or is over.
///
/// # Errors
/// `500` when rows cannot be read.
pub async fn show(app: Arc<App>, call: Call) -> Answer {
    let answer = shown(&app, &call).await;
    for_people(&call, answer)
}

async fn shown(app: &Arc<App>, call: &Call) -> Answer {
    let desk = &PageDesk::of(app);
    let Some(payment) = load(desk, call).await? else { return invalid(call) };
    if !payment.requires_action() {
        return Ok(Reply::see_other(&desk.return_path(&payment, call.now)).unstored());
    }
    ask(desk, call, &payment, StatusCode::OK).await
}

/// `POST /scheme/{token}` with `action`: takes the buyer's answer, then `303`, or `200` in JSON.
/// `400` without one of the three answers; `409` when the question was answered before.
///
/// # Errors
/// The same as JSON for those who ask for it; `500` when nobody knows how it ended.
pub async fn submit(app: Arc<App>, call: Call) -> Answer {
    let answer = submitted(&app, &call).await;
    for_people(&call, answer)
}

async fn submitted(app: &Arc<App>, call: &Call) -> Answer {
    let desk = &PageDesk::of(app);
    let Some(payment) = load(desk, call).await? else { return invalid(call) };
    let content_type = call.header("content-type").unwrap_or_default();
    let fields = Fields::parse(content_type, &call.body).unwrap_or_default();
    let Some(answer) = BuyerAnswer::parse(fields.text("action")) else {
        return unclear(desk, call, &payment).await;
    };
    let next = desk.return_path(&payment, call.now);
    match desk.payments.buyer_answered(payment.seller, payment.id, answer).await {
        Ok(payment) => Ok(desk.attempted(call, &payment, &next)),
        Err(AskError::Refused(refusal))
            if refusal.kind == RefusalKind::Conflict && !wants_json(call) =>
        {
            let status = super::returning::status_page(desk, call, payment.seller, payment.id);
            answer_page(StatusCode::CONFLICT, status.await?.render())
        }
        Err(AskError::Refused(refusal)) => Err(refusal.into()),
        Err(error) => instead(call, error.into(), &Outcome::out_of_order(Some(next))),
    }
}

async fn unclear(desk: &Arc<PageDesk>, call: &Call, payment: &Payment) -> Answer {
    if wants_json(call) {
        return Err(Problem::invalid("action must be approve, decline or cancel"));
    }
    ask(desk, call, payment, StatusCode::BAD_REQUEST).await
}

async fn ask(desk: &Arc<PageDesk>, call: &Call, payment: &Payment, status: StatusCode) -> Answer {
    let (reader, seller) = (Arc::clone(desk), payment.seller);
    let (seller, _) = reading(move || reader.seller(seller)).await?;
    let question = SchemePage {
        seller,
        amount: payment.amount,
        method: payment.method,
        card: payment.card.clone(),
        instructions: payment.instructions.clone(),
        form_url: call.uri.path().to_owned(),
        unanswered: status != StatusCode::OK,
    };
    Ok(answer_page(status, question.render())?.policy(SCHEME_POLICY))
}

/// The payment that the token names.
async fn load(desk: &Arc<PageDesk>, call: &Call) -> Result<Option<Payment>, Problem> {
    let Ok(token) = call.text_param("token") else { return Ok(None) };
    let Some(named) = desk.key.open(Purpose::Scheme, &token, call.now) else { return Ok(None) };
    let desk = Arc::clone(desk);
    let payment = reading(move || desk.payments.get(named.seller, named.payment)).await?;
    // A live payment is confirmed at its provider's, and nowhere else.
    Ok(payment.filter(|payment| payment.connector == Some(Connector::Simulator)))
}

fn invalid(call: &Call) -> Answer {
    instead(call, Problem::missing(), &Outcome::invalid_link())
}

pub fn routes() -> Vec<Route> {
    vec![
        Route::get("/scheme/{token}", show)
            .summary("The simulated bank of demo mode")
            .path_text("token", "Token of the payment's confirmation.")
            .answer_as(200, "text/html", "The page.")
            .answer_empty(303, "The question was answered before.")
            .refuses_as(404, "text/html", "Not a token of ours, or over."),
        Route::post("/scheme/{token}", submit)
            .summary("Answers the simulated bank")
            .path_text("token", "Token of the payment's confirmation.")
            .form::<SchemeForm>()
            .answer::<Attempt>(200, "How the payment stands, for `Accept: application/json`.")
            .answer_empty(303, "The answer was taken.")
            .refuses_as(400, "text/html", "No such answer.")
            .refuses_as(404, "text/html", "Not a token of ours, or over.")
            .refuses_as(409, "text/html", "The question was answered before."),
    ]
}
