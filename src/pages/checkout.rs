//! `/checkout/{sessionId}`: the hosted page of a checkout session. It shows the methods that fit,
//! takes one attempt at a time, follows an attempt wherever it was begun, and leads back to the
//! seller when all is done.

mod form;
mod logo;
mod phone;
mod state;
mod submit;
mod tiles;
mod waiting;

use std::sync::Arc;

use hyper::StatusCode;

use self::logo::logo;
use self::submit::submit;

use self::form::CheckoutForm as Form;
use self::state::{Session, Stage};
use self::waiting::Waiting;
use super::context::{Attempt, PageContext, for_people, html, instead, page, refused};
use super::forms::CheckoutForm;
use super::language::Words;
use super::outcome::Outcome;
use crate::gate::{Request, Route};
use crate::http::{ApiError, ApiResult, blocking};

/// In the query of an address that a form has just led to: the browser goes on by itself.
const NEXT: &str = "next";

async fn show(cx: Arc<PageContext>, request: Arc<Request>) -> ApiResult {
    let (cx, request) = (&cx, &*request);
    let Some(session) = load(cx, request).await? else { return unknown(request) };
    let at_once = request.query_text(NEXT).ok().flatten().is_some();
    stand(cx, request, &session, StatusCode::OK, at_once)
}

/// The page of a session as it stands; `at_once` when a form has just led here.
fn stand(
    cx: &PageContext,
    request: &Request,
    session: &Session,
    status: StatusCode,
    at_once: bool,
) -> ApiResult {
    let back = cx.return_path(&session.payment, request.now);
    if let Some(outcome) = session.outcome(back, at_once) {
        return page(status, &outcome);
    }
    let logo = logo::address(session);
    if let Stage::Open(_) = session.stage {
        return html(status, Form::of(session).render(session, logo));
    }
    let waiting = Waiting { action: cx.action(&session.payment, request.now), at_once, logo };
    html(status, waiting.render(session, request.now))
}

fn unknown(request: &Request) -> ApiResult {
    instead(request, ApiError::missing(), &Outcome::unknown_link(Words::of_browser(request)))
}

/// Reads all that the page shows; `None` for a session that was never opened.
async fn load(cx: &Arc<PageContext>, request: &Request) -> Result<Option<Session>, ApiError> {
    let Ok(session) = request.text_param("sessionId") else { return Ok(None) };
    let (cx, session, now) = (Arc::clone(cx), session.into_owned(), request.now);
    let browser = Words::of_browser(request);
    blocking(move || Session::read(&cx, &session, browser, now)).await
}

pub fn routes() -> Vec<Route> {
    vec![
        Route::get("/checkout/{sessionId}", for_people(show))
            .refuses_with(refused)
            .summary("The page of a hosted checkout")
            .path_text("sessionId", "Id of the session.")
            .query_text("next", "Whether the browser goes on by itself where it can.")
            .answer_as(200, "text/html", "The page.")
            .refuses_as(404, "text/html", "No such session."),
        Route::post("/checkout/{sessionId}", for_people(submit))
            .refuses_with(refused)
            .summary("Pays at a hosted checkout")
            .path_text("sessionId", "Id of the session.")
            .form::<CheckoutForm>()
            .answer::<Attempt>(200, "How the attempt ended, for `Accept: application/json`.")
            .answer_empty(303, "The attempt was made.")
            .refuses_as(400, "text/html", "A field is wrong; the page says which.")
            .refuses_as(404, "text/html", "No such session.")
            .refuses_as(409, "text/html", "Paid, over, or another attempt is under way."),
        Route::get("/checkout/{sessionId}/logo", logo)
            .summary("The seller's logo")
            .path_text("sessionId", "Id of the session.")
            .answer_as(200, "*/*", "The picture.")
            .refuses(
                404,
                "No such session, one that is over, or no picture that could be fetched.",
            ),
    ]
}

#[cfg(test)]
mod tests;
