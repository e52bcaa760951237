//! What the pages work with, and how their answers are given: as a page or, to a program that
//! asks for it, as JSON.

use std::sync::Arc;

use actors::domain::ids::SellerId;
use actors::domain::payments::failure::FailureCode;
use actors::domain::payments::link_subscription::LinkSubscription;
use actors::domain::payments::payment::{Payment, PaymentStatus};
use actors::domain::payments::terminal::Connector;
use actors::domain::platform::seller::Mode;
use actors::domain::time::Timestamp;
use askama::Template;
use futures::FutureExt;
use futures::future::BoxFuture;
use hyper::StatusCode;
use hyper::header::{ACCEPT, HeaderValue};
use serde::Serialize;
use storage::ReadError;
use utoipa::ToSchema;

use super::bill::SellerView;
use super::language::Words;
use super::outcome::Outcome;
use crate::app::App;
use crate::gate::{Request, prefers_json};
use crate::http::{ApiError, ApiResult, Response};
use crate::signed_link::Purpose;

pub(super) struct PageContext {
    pub(super) app: Arc<App>,
}

/// The answer to a form for a program.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Attempt {
    /// The payment's status; that of the subscription which was cancelled.
    status: &'static str,
    /// The payment's reference; absent where a subscription was cancelled.
    #[serde(skip_serializing_if = "Option::is_none")]
    payment_id: Option<String>,
    /// Where the buyer confirms the payment, if that is asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    action_url: Option<String>,
    /// Why the payment failed, if it did.
    #[serde(skip_serializing_if = "Option::is_none")]
    failure_code: Option<u16>,
    /// Where a browser would go on to.
    redirect_url: String,
}

impl PageContext {
    /// Where the buyer goes on while a payment waits for them: a path of the simulated bank, or
    /// a live provider's address.
    pub(super) fn action(&self, payment: &Payment, now: Timestamp) -> Option<String> {
        if !payment.requires_action() {
            return None;
        }
        if payment.connector == Some(Connector::Simulator) {
            let token = self.app.page_key.sign(Purpose::Scheme, payment.seller, payment.id, now);
            return Some(format!("/scheme/{token}"));
        }
        payment.challenge_url.clone()
    }

    /// The path that a buyer comes back to from the bank.
    pub(super) fn return_path(&self, payment: &Payment, now: Timestamp) -> String {
        let token = self.app.page_key.sign(Purpose::Return, payment.seller, payment.id, now);
        format!("/return/{token}")
    }

    pub(super) fn seller(&self, t: &Words, id: SellerId) -> Result<(SellerView, bool), ReadError> {
        let snapshot = self.app.directory.seller(id)?;
        let seller = snapshot.as_ref().map(|snapshot| &snapshot.seller);
        let name = seller.map_or("", |seller| &seller.name);
        let demo = seller.is_some_and(|seller| seller.mode == Mode::Demo);
        Ok((SellerView::new(t, name), demo))
    }

    /// Whether a seller's pages are closed: it is not active, or its account has come to its end.
    pub(super) fn is_closed(&self, id: SellerId, now: Timestamp) -> Result<bool, ReadError> {
        let snapshot = self.app.directory.seller(id)?;
        Ok(!snapshot.is_some_and(|snapshot| snapshot.seller.is_open(now)))
    }

    /// An address on this server as others know it; one elsewhere as it is.
    fn absolute(&self, to: &str) -> String {
        if to.starts_with('/') { format!("{}{to}", self.app.public_url()) } else { to.to_owned() }
    }

    /// Answers a form whose attempt led to `payment`: the browser goes on to `next`, a path.
    pub(super) fn attempted(&self, request: &Request, payment: &Payment, next: &str) -> Response {
        if !wants_json(request) {
            return Response::see_other(next).unstored();
        }
        let absolute = |to: &str| self.absolute(to);
        let attempt = Attempt {
            status: payment.status.name(),
            payment_id: Some(payment.reference.clone()),
            action_url: self.action(payment, request.now).as_deref().map(absolute),
            failure_code: failure_of(payment).map(FailureCode::code),
            redirect_url: absolute(next),
        };
        Response::ok(&attempt).unstored()
    }

    /// Answers a form that cancelled a subscription: the browser goes on to `next`, a path.
    pub(super) fn cancelled(
        &self,
        request: &Request,
        subscription: &LinkSubscription,
        next: &str,
    ) -> Response {
        if !wants_json(request) {
            return Response::see_other(next).unstored();
        }
        let cancelled = Attempt {
            status: subscription.status.name(),
            payment_id: None,
            action_url: None,
            failure_code: None,
            redirect_url: self.absolute(next),
        };
        Response::ok(&cancelled).unstored()
    }
}

/// Why a payment failed; at a checkout that waits for another attempt, why the last one did.
pub fn failure_of(payment: &Payment) -> Option<FailureCode> {
    let idle = payment.status == PaymentStatus::ProviderPending;
    let checkout = payment.checkout.as_ref().filter(|checkout| idle && !checkout.trying);
    let attempt = checkout.and_then(|checkout| checkout.attempts.last()?.failure);
    payment.failure.map(|failure| failure.code).or(attempt)
}

pub(super) fn wants_json(request: &Request) -> bool {
    prefers_json(request.headers.get(ACCEPT))
}

pub(super) fn page(status: StatusCode, template: &impl Template) -> ApiResult {
    html(status, template.render())
}

pub(super) fn html(status: StatusCode, rendered: askama::Result<String>) -> ApiResult {
    match rendered {
        Ok(html) => Ok(Response::html(status, html)),
        Err(error) => Err(ApiError::internal(&error)),
    }
}

/// Why no card is taken now: too many were declined, so that a page rests until then, or `words`
/// say it all.
pub(super) fn not_now(
    words: &'static str,
    rests_until: Option<Timestamp>,
    now: Timestamp,
) -> ApiError {
    let Some(until) = rests_until else { return ApiError::conflict(words) };
    let wait = until.unix_seconds() - now.unix_seconds();
    ApiError::new(StatusCode::TOO_MANY_REQUESTS, words)
        .retry_after(u32::try_from(wait.max(1)).unwrap_or(u32::MAX))
}

/// A page in place of an answer; to a program, `error`.
pub(super) fn instead(request: &Request, error: ApiError, outcome: &Outcome) -> ApiResult {
    if wants_json(request) { Err(error) } else { in_place_of(error, outcome) }
}

fn in_place_of(error: ApiError, outcome: &Outcome) -> ApiResult {
    page(error.status(), outcome).map(|page| error.shown_as(page))
}

/// The page for a request that was refused before anybody looked what it asks for.
pub(super) fn refused(language: Option<&HeaderValue>, error: ApiError) -> Response {
    let t = Words::of_header(language);
    let outcome = match error.status() {
        StatusCode::TOO_MANY_REQUESTS => Outcome::too_many(t),
        StatusCode::SERVICE_UNAVAILABLE => Outcome::busy(t),
        StatusCode::NOT_FOUND => Outcome::unknown_link(t),
        status if status.is_client_error() => Outcome::unreadable(t),
        _ => Outcome::out_of_order(t, None),
    };
    in_place_of(error, &outcome).unwrap_or_else(Response::from)
}

/// The handler of a page: a fault that only a program could read becomes a page, unless JSON was
/// asked for.
pub(super) fn for_people<F, Fut>(
    serve: F,
) -> impl Fn(Arc<App>, Request) -> BoxFuture<'static, ApiResult> + Send + Sync + 'static
where
    F: Fn(Arc<PageContext>, Arc<Request>) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = ApiResult> + Send + 'static,
{
    move |app, request| {
        let request = Arc::new(request);
        let answer = serve(Arc::new(PageContext { app }), Arc::clone(&request));
        async move {
            let again = || Some(request.uri.path().to_owned());
            match answer.await {
                Err(error) => {
                    let t = Words::of_browser(&request);
                    instead(&request, error, &Outcome::out_of_order(t, again()))
                }
                answer => answer,
            }
        }
        .boxed()
    }
}
