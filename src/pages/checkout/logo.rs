//! `/checkout/{sessionId}/logo`: the seller's mark, from our own address.

use std::sync::Arc;

use actors::domain::platform::seller::Mode;
use actors::domain::platform::webhook::url::WebhookUrl;
use hyper::StatusCode;
use hyper::header::{CACHE_CONTROL, HeaderValue};

use super::load;
use super::state::Session;
use crate::app::App;
use crate::gate::Request;
use crate::http::{ApiError, ApiResult, Response};
use crate::pages::context::PageContext;

/// A browser may keep a logo for an hour.
const CACHING: HeaderValue = HeaderValue::from_static("private, max-age=3600");

/// A picture loads nothing and runs nothing, also when it is opened by itself.
const POLICY: &str = "default-src 'none'; sandbox";

/// The address of a session's logo, if the seller has sent one.
pub(super) fn address(session: &Session) -> Option<String> {
    session.checkout.logo_url.as_ref().map(|_| format!("{}/logo", session.path()))
}

/// `404` where there is no logo, or none that could be fetched, and once the session is over.
pub(super) async fn logo(app: Arc<App>, request: Request) -> ApiResult {
    let cx = &Arc::new(PageContext { app });
    let session = load(cx, &request).await?.ok_or_else(ApiError::missing)?;
    // Of a session that is over no page shows it: nobody fetches it anew.
    if session.stage.is_over() {
        return Err(ApiError::missing());
    }
    let url = session.checkout.logo_url.as_deref().ok_or_else(ApiError::missing)?;
    let (seller, mode) = (session.payment.seller, session.mode);
    let url = WebhookUrl::parse(url, mode == Mode::Demo).map_err(|_| ApiError::missing())?;
    let image = cx.app.logos.get(seller, mode, &url).await.ok_or_else(ApiError::missing)?;
    let kind = HeaderValue::from_static(image.kind.name());
    let response = Response::bytes(StatusCode::OK, kind, image.bytes);
    Ok(response.header(CACHE_CONTROL, CACHING).policy(POLICY))
}
