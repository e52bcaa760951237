//! `/verify/{token}`: where a vendor answers its verification link.
//!
//! The page shows who asks and how far it is. While it is the vendor's turn, a button begins the
//! verification, which in demo mode passes by itself and in live mode waits for the operator.

use std::sync::Arc;

use actors::domain::payments::payee::Payee;
use actors::domain::payments::vendor::VendorStatus;
use actors::domain::platform::seller::Mode;
use actors::domain::refusal::RefusalKind;
use actors::kernel::AskError;
use actors::query;
use askama::Template;
use hyper::StatusCode;
use serde::Serialize;
use utoipa::ToSchema;

use super::bill::SellerView;
use super::context::{PageContext, for_people, instead, page, refused, wants_json};
use super::language::Words;
use super::outcome::Outcome;
use crate::gate::{Request, Route};
use crate::http::{ApiError, ApiResult, Response, blocking};

/// How often the page loads itself anew while it waits, in seconds.
const REFRESH_SECONDS: u32 = 3;

#[derive(Template)]
#[template(path = "verify.html", config = "src/pages/askama.toml")]
struct Page<'a> {
    t: &'static Words,
    seller: &'a SellerView,
    demo: bool,
    vendor: &'a str,
    title: &'static str,
    text: &'static str,
    form_url: Option<&'a str>,
    refresh_seconds: Option<u32>,
}

/// How the verification stands, for a program.
#[derive(Serialize, ToSchema)]
pub struct Begun {
    status: &'static str,
}

/// The vendor of a link, with what its page shows beside.
struct Opened {
    payee: Payee,
    seller: SellerView,
    mode: Mode,
    is_closed: bool,
}

async fn show(cx: Arc<PageContext>, request: Arc<Request>) -> ApiResult {
    shown(&cx, &request, StatusCode::OK).await
}

async fn shown(cx: &Arc<PageContext>, request: &Request, status: StatusCode) -> ApiResult {
    let t = Words::of_browser(request);
    let Some(opened) = open(cx, request).await? else { return invalid(request) };
    if opened.is_closed {
        let outcome = Outcome::page_closed(t).of(opened.seller, opened.mode == Mode::Demo);
        return page(status, &outcome);
    }
    let Some(vendor) = &opened.payee.vendor else { return invalid(request) };
    let shown = vendor.capabilities(&opened.payee, opened.mode, request.now).status;
    let (title, text) = words(t, shown);
    let turn = shown == VendorStatus::Required && !opened.payee.is_archived();
    let view = Page {
        t,
        seller: &opened.seller,
        demo: opened.mode == Mode::Demo,
        vendor: &opened.payee.display_name,
        title,
        text,
        form_url: turn.then(|| request.uri.path()),
        refresh_seconds: (shown == VendorStatus::InProgress).then_some(REFRESH_SECONDS),
    };
    page(status, &view)
}

/// Begins the verification, then `303` back to the page, or `200` in JSON. `409` when there is
/// nothing left to verify; `500` when nobody knows how it ended.
async fn submit(cx: Arc<PageContext>, request: Arc<Request>) -> ApiResult {
    let (cx, request) = (&cx, &*request);
    let t = Words::of_browser(request);
    let Some(opened) = open(cx, request).await? else { return invalid(request) };
    if opened.is_closed {
        return instead(
            request,
            ApiError::conflict("the page is closed"),
            &Outcome::page_closed(t),
        );
    }
    let home = (opened.payee.seller, opened.payee.id);
    match cx.app.payees.submit_verification(home).await {
        Ok(payee) if wants_json(request) => Ok(begun(&payee, opened.mode, request)),
        Ok(_) => Ok(Response::see_other(request.uri.path()).unstored()),
        Err(AskError::Refused(refusal))
            if refusal.kind == RefusalKind::Conflict && !wants_json(request) =>
        {
            shown(cx, request, StatusCode::CONFLICT).await
        }
        Err(AskError::Refused(refusal)) => Err(refusal.into()),
        Err(error) => {
            let again = Some(request.uri.path().to_owned());
            instead(request, error.into(), &Outcome::out_of_order(t, again))
        }
    }
}

fn begun(payee: &Payee, mode: Mode, request: &Request) -> Response {
    let vendor = payee.vendor.as_ref();
    let status = vendor.map(|vendor| vendor.capabilities(payee, mode, request.now).status);
    Response::ok(&Begun { status: status.map_or("", VendorStatus::name) }).unstored()
}

/// What the link in the path opens; nothing while the seller has no vendors.
async fn open(cx: &Arc<PageContext>, request: &Request) -> Result<Option<Opened>, ApiError> {
    let Ok(token) = request.text_param("token") else { return Ok(None) };
    let Some((seller, vendor)) = cx.app.links.vendor_of(&token, request.now) else {
        return Ok(None);
    };
    let Some(snapshot) = cx.app.directory.seller(seller)? else { return Ok(None) };
    if !snapshot.seller.vendors_enabled {
        return Ok(None);
    }
    let (cx, is_closed) = (Arc::clone(cx), !snapshot.seller.is_open(request.now));
    let t = Words::of_browser(request);
    blocking(move || {
        let payee = query::vendor(&cx.app.store, seller, vendor)?;
        let (seller, _) = cx.seller(t, seller)?;
        let mode = snapshot.seller.mode;
        Ok(payee.map(|payee| Opened { payee, seller, mode, is_closed }))
    })
    .await
}

fn words(t: &Words, status: VendorStatus) -> (&'static str, &'static str) {
    match status {
        VendorStatus::Required => (t.verify, t.verify_text),
        VendorStatus::InProgress => (t.verifying, t.verifying_text),
        VendorStatus::PendingReview => (t.under_review, t.under_review_text),
        VendorStatus::Complete => (t.verified, t.verified_text),
        VendorStatus::Blocked => (t.verification_closed, t.verification_closed_text),
    }
}

fn invalid(request: &Request) -> ApiResult {
    instead(request, ApiError::missing(), &Outcome::invalid_link(Words::of_browser(request)))
}

pub fn routes() -> Vec<Route> {
    vec![
        Route::get("/verify/{token}", for_people(show))
            .refuses_with(refused)
            .summary("The page on which a vendor verifies itself")
            .path_text("token", "Token of the verification link.")
            .answer_as(200, "text/html", "How far the verification is, and what to do.")
            .refuses_as(404, "text/html", "Not a link of ours, or over."),
        Route::post("/verify/{token}", for_people(submit))
            .refuses_with(refused)
            .summary("Begins the verification of a vendor")
            .path_text("token", "Token of the verification link.")
            .answer::<Begun>(200, "It has begun, for `Accept: application/json`.")
            .answer_empty(303, "It has begun.")
            .refuses_as(404, "text/html", "Not a link of ours, or over.")
            .refuses_as(
                409,
                "text/html",
                "There is nothing left to verify, or the page is closed.",
            ),
    ]
}
