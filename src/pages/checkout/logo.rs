//! `/checkout/{sessionId}/logo`: the seller's mark, from our own address.

use std::sync::Arc;

use actors::domain::platform::webhook::url::WebhookUrl;
use hyper::StatusCode;
use hyper::header::{CACHE_CONTROL, HeaderValue};

use super::load;
use super::state::Session;
use crate::app::App;
use crate::http::{Answer, Call, Problem, Reply};
use crate::pages::desk::PageDesk;

/// A browser may keep a logo for an hour.
const CACHING: HeaderValue = HeaderValue::from_static("private, max-age=3600");

/// A picture loads nothing and runs nothing, also when it is opened by itself.
const POLICY: &str = "default-src 'none'; sandbox";

/// The address of a session's logo, if the seller has sent one.
pub(super) fn address(session: &Session) -> Option<String> {
    session.checkout.logo_url.as_ref().map(|_| format!("{}/logo", session.path()))
}

/// `GET /checkout/{sessionId}/logo`: `200` with the picture; `404` where there is none, or none
/// that could be fetched.
///
/// # Errors
/// `404` as said; `500` when rows cannot be read.
pub async fn logo(app: Arc<App>, call: Call) -> Answer {
    let desk = &PageDesk::of(&app);
    let session = load(desk, &call).await?.ok_or_else(Problem::missing)?;
    let url = session.checkout.logo_url.as_deref().ok_or_else(Problem::missing)?;
    let url = WebhookUrl::parse(url, session.demo).map_err(|_| Problem::missing())?;
    let seller = session.payment.seller;
    let image = app.logos.get(seller, &url).await.ok_or_else(Problem::missing)?;
    let kind = HeaderValue::from_static(image.kind.name());
    let reply = Reply::bytes(StatusCode::OK, kind, image.bytes);
    Ok(reply.header(CACHE_CONTROL, CACHING).policy(POLICY))
}
