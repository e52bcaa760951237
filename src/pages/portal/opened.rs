//! Whose portal a link opens, and what is shown where it opens none.

use std::sync::Arc;

use actors::domain::billing::customer::Customer;
use actors::domain::ids::SellerId;
use actors::domain::platform::seller::Seller;
use actors::query;
use hyper::StatusCode;
use storage::ReadError;

use crate::gate::Request;
use crate::http::{ApiError, ApiResult, blocking};
use crate::pages::context::{PageContext, instead, page};
use crate::pages::language::Words;
use crate::pages::outcome::Outcome;

/// Whose portal it is.
pub(super) struct Opened {
    pub(super) seller: Seller,
    pub(super) customer: Customer,
}

/// What a request comes to the portal for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    Look,
    /// To change something, or to have a file.
    Act,
}

/// Whose portal the token in the path opens; else the page in its place.
pub(super) async fn open(
    cx: &Arc<PageContext>,
    request: &Request,
    purpose: Purpose,
) -> Result<Result<Opened, ApiResult>, ApiError> {
    let Ok(token) = request.text_param("token") else { return Ok(Err(unknown(request))) };
    let Some((seller, customer)) = cx.app.links.portal_of(&token, request.now) else {
        return Ok(Err(over(cx, request, &token)?));
    };
    if cx.is_closed(seller, request.now)? {
        return Ok(Err(closed(cx, request, seller, purpose)?));
    }
    let app = Arc::clone(&cx.app);
    let customer = blocking(move || query::customer(&app.store, seller, customer)).await?;
    let snapshot = cx.app.directory.seller(seller)?;
    Ok(match (customer, snapshot) {
        (Some(customer), Some(found)) => Ok(Opened { seller: found.seller.clone(), customer }),
        _ => Err(unknown(request)),
    })
}

/// A closed portal says so to whoever looks at it; all else is refused there.
fn closed(
    cx: &PageContext,
    request: &Request,
    seller: SellerId,
    purpose: Purpose,
) -> Result<ApiResult, ReadError> {
    let t = Words::of_browser(request);
    let outcome = Outcome::page_closed(t);
    if purpose == Purpose::Act {
        return Ok(instead(request, ApiError::conflict("the page is closed"), &outcome));
    }
    let (seller, demo) = cx.seller(t, seller)?;
    Ok(page(StatusCode::OK, &outcome.of(seller, demo)))
}

/// The page of a link that opens nothing, or nothing any more.
fn over(cx: &PageContext, request: &Request, token: &str) -> Result<ApiResult, ReadError> {
    let Some(seller) = cx.app.links.portal_seller(token) else { return Ok(unknown(request)) };
    let t = Words::of_browser(request);
    let (seller, demo) = cx.seller(t, seller)?;
    let outcome = Outcome::portal_over(t).of(seller, demo);
    Ok(instead(request, ApiError::missing(), &outcome))
}

pub(super) fn unknown(request: &Request) -> ApiResult {
    instead(request, ApiError::missing(), &Outcome::unknown_link(Words::of_browser(request)))
}
