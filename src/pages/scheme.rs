//! `/scheme/{token}`: the simulated bank, scheme or app of demo mode, where a buyer confirms a
//! payment.

pub mod page;

use std::sync::Arc;

use actors::domain::payments::payment::{BuyerAnswer, Payment};
use actors::domain::payments::terminal::Connector;
use actors::domain::refusal::RefusalKind;
use actors::kernel::AskError;
use hyper::StatusCode;

use self::page::SchemePage;
use super::bill::SellerView;
use super::context::{
    Attempt, PageContext, for_people, instead, page as answer_page, refused, wants_json,
};
use super::fields::Fields;
use super::forms::SchemeForm;
use super::language::Words;
use super::outcome::Outcome;
use crate::gate::{Request, Route};
use crate::http::{ApiError, ApiResult, Response, blocking};
use crate::signed_link::Purpose;

/// As other pages, but for the form: browsers hold the seller's address, which the step back leads
/// on to, against `form-action` too.
const SCHEME_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
     img-src 'self' data:; form-action 'self' https: http:; base-uri 'none'; \
     frame-ancestors 'none'";

async fn show(cx: Arc<PageContext>, request: Arc<Request>) -> ApiResult {
    let (cx, request) = (&cx, &*request);
    let Some(payment) = load(cx, request).await? else { return invalid(request) };
    if !payment.requires_action() {
        return Ok(Response::see_other(&cx.return_path(&payment, request.now)).unstored());
    }
    ask(cx, request, &payment, StatusCode::OK).await
}

/// Takes the buyer's answer, then `303`, or `200` in JSON. `400` without one of the three answers;
/// `409` when the question was answered before; `500` when nobody knows how it ended.
async fn submit(cx: Arc<PageContext>, request: Arc<Request>) -> ApiResult {
    let (cx, request) = (&cx, &*request);
    let Some(payment) = load(cx, request).await? else { return invalid(request) };
    let fields = Fields::of(request).unwrap_or_default();
    let Some(answer) = BuyerAnswer::parse(fields.text("action")) else {
        return unclear(cx, request, &payment).await;
    };
    // Of a closed page a buyer may still get out.
    if answer == BuyerAnswer::Approve && cx.is_closed(payment.seller, request.now)? {
        return instead(
            request,
            ApiError::conflict("the page is closed"),
            &Outcome::page_closed(words(request, &payment)),
        );
    }
    let next = cx.return_path(&payment, request.now);
    match cx.app.payments.buyer_answered(payment.seller, payment.id, answer).await {
        Ok(payment) => Ok(cx.attempted(request, &payment, &next)),
        Err(AskError::Refused(refusal))
            if refusal.kind == RefusalKind::Conflict && !wants_json(request) =>
        {
            let status = super::returning::status_page(cx, request, payment.seller, payment.id);
            answer_page(StatusCode::CONFLICT, &status.await?)
        }
        Err(AskError::Refused(refusal)) => Err(refusal.into()),
        Err(error) => instead(
            request,
            error.into(),
            &Outcome::out_of_order(words(request, &payment), Some(next)),
        ),
    }
}

async fn unclear(cx: &Arc<PageContext>, request: &Request, payment: &Payment) -> ApiResult {
    if wants_json(request) {
        return Err(ApiError::invalid("action must be approve, decline or cancel"));
    }
    ask(cx, request, payment, StatusCode::BAD_REQUEST).await
}

async fn ask(
    cx: &Arc<PageContext>,
    request: &Request,
    payment: &Payment,
    status: StatusCode,
) -> ApiResult {
    let (reader, t, seller) = (Arc::clone(cx), words(request, payment), payment.seller);
    let (seller, _) = blocking(move || reader.seller(t, seller)).await?;
    let shop = payment.checkout.as_ref().and_then(|checkout| checkout.seller_name.as_deref());
    let seller = shop.map_or(seller, |name| SellerView::new(t, name));
    let form_url = request.uri.path().to_owned();
    let is_closed = cx.is_closed(payment.seller, request.now)?;
    let unanswered = status != StatusCode::OK;
    let mut question = SchemePage::new(t, payment, seller, form_url, unanswered);
    question.is_closed = is_closed;
    Ok(answer_page(status, &question)?.policy(SCHEME_POLICY))
}

async fn load(cx: &Arc<PageContext>, request: &Request) -> Result<Option<Payment>, ApiError> {
    let Ok(token) = request.text_param("token") else { return Ok(None) };
    let Some(named) = cx.app.page_key.open(Purpose::Scheme, &token, request.now) else {
        return Ok(None);
    };
    let cx = Arc::clone(cx);
    let payment = blocking(move || cx.app.payments.get(named.seller, named.payment)).await?;
    // A live payment is confirmed at its provider's, and nowhere else.
    Ok(payment.filter(|payment| payment.connector == Some(Connector::Simulator)))
}

fn words(request: &Request, payment: &Payment) -> &'static Words {
    Words::of_payment(payment, Words::of_browser(request))
}

fn invalid(request: &Request) -> ApiResult {
    instead(request, ApiError::missing(), &Outcome::invalid_link(Words::of_browser(request)))
}

pub fn routes() -> Vec<Route> {
    vec![
        Route::get("/scheme/{token}", for_people(show))
            .refuses_with(refused)
            .summary("The simulated bank of demo mode")
            .path_text("token", "Token of the payment's confirmation.")
            .answer_as(200, "text/html", "The page.")
            .answer_empty(303, "The question was answered before.")
            .refuses_as(404, "text/html", "Not a token of ours, or over."),
        Route::post("/scheme/{token}", for_people(submit))
            .refuses_with(refused)
            .summary("Answers the simulated bank")
            .path_text("token", "Token of the payment's confirmation.")
            .form::<SchemeForm>()
            .answer::<Attempt>(200, "How the payment stands, for `Accept: application/json`.")
            .answer_empty(303, "The answer was taken.")
            .refuses_as(400, "text/html", "No such answer.")
            .refuses_as(404, "text/html", "Not a token of ours, or over.")
            .refuses_as(
                409,
                "text/html",
                "The question was answered before, or it is an approval and the seller's account \
                 is not open.",
            ),
    ]
}
