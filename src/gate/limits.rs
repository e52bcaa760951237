//! What bounds callers: rate budgets with the headers that state them, and all that a write must
//! fit in.

use std::fmt::Write;
use std::net::IpAddr;

use actors::domain::platform::limits::{
    self, AddressKind, QuotaKind, QuotaVerdict, Standing, Verdict,
};
use actors::domain::platform::seller::Seller;
use actors::domain::time::Timestamp;
use actors::limiter::{TooManyAttempts, Unreachable};
use hyper::StatusCode;
use hyper::header::{HeaderMap, HeaderName, HeaderValue};

use super::Route;
use super::policy::Surface;
use crate::app::App;
use crate::http::ApiError;

const LIMIT: HeaderName = HeaderName::from_static("x-ratelimit-limit");
const REMAINING: HeaderName = HeaderName::from_static("x-ratelimit-remaining");
const RESET: HeaderName = HeaderName::from_static("x-ratelimit-reset");
const POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");
const STANDING: HeaderName = HeaderName::from_static("ratelimit");

/// The headers that state a budget, with what they mean; there are none where nothing is limited.
pub(super) const STATED: &[(&str, &str)] = &[
    ("X-RateLimit-Limit", "Requests an hour."),
    ("X-RateLimit-Remaining", "Requests that are left."),
    ("X-RateLimit-Reset", "Seconds until all of them are there again."),
    ("RateLimit-Policy", "The budget, by its name."),
    ("RateLimit", "What is left of it."),
];

/// Wrong operator's tokens that a client address may try in a minute.
const WRONG_TOKENS: u32 = 10;

/// When a writer may ask again whether the disk has space.
const SPACE_RETRY_SECONDS: u32 = 30;

/// Seconds after which some of the answers that wait have been taken, or given up.
const ANSWERS_RETRY_SECONDS: u32 = 5;

/// Of a write that was begun, and whose answer finds no memory.
pub const MAY_BE_DONE: &str = "what was asked for may have been carried out";

/// Seconds that a rate budget is stated for.
const WINDOW_SECONDS: u32 = 3_600;

/// Counts a request of `seller`. The first part is where the seller stands, for the headers of
/// whatever is answered; `None` where nothing is limited or the limiter cannot be reached.
/// The second part is the refusal, if it is one.
pub fn request(
    app: &App,
    surface: Surface,
    seller: &Seller,
    now: Timestamp,
) -> (Option<Standing>, Result<(), ApiError>) {
    let (surface, default) = match surface {
        Surface::Billing => (limits::Surface::Billing, app.settings.limits.billing),
        Surface::Payments => (limits::Surface::Payments, app.settings.limits.payments),
        Surface::Dashboard => (limits::Surface::Dashboard, app.settings.limits.dashboard),
        _ => return (None, Ok(())),
    };
    match app.limiter.request(seller.id, surface, seller.budget(surface, default), now) {
        Ok(Verdict::Admitted(standing)) => (Some(standing), Ok(())),
        Ok(Verdict::Refused { standing, retry_after_seconds }) => {
            (Some(standing), Err(too_many(retry_after_seconds)))
        }
        Ok(Verdict::Unmetered) | Err(Unreachable) => (None, Ok(())),
    }
}

/// Refuses what may write where there is no space for it, or the daily quota of `seller` is used
/// up.
pub(super) async fn admit_write(
    app: &App,
    route: &Route,
    seller: Option<&Seller>,
    now: Timestamp,
) -> Result<(), ApiError> {
    disk(app, route)?;
    let Some(seller) = seller else { return Ok(()) };
    if route.writes() {
        storage(app, seller).await?;
    }
    match route.policy.quota {
        Some(kind) => quota(app, kind, seller, now).await,
        None => Ok(()),
    }
}

/// Below the mark of free space nothing new is written: what is under way needs the rest.
fn disk(app: &App, route: &Route) -> Result<(), ApiError> {
    let writes = route.writes() && route.surface() != Surface::Operations;
    if writes && app.store.free_space().is_low() {
        let text = "the server's disk is nearly full";
        return Err(ApiError::unavailable(text, SPACE_RETRY_SECONDS));
    }
    Ok(())
}

/// Counts a write of `seller` in its daily quota, whatever becomes of it; `503` while the limiter
/// cannot be reached.
async fn quota(
    app: &App,
    kind: QuotaKind,
    seller: &Seller,
    now: Timestamp,
) -> Result<(), ApiError> {
    let defaults = &app.settings.limits;
    let per_day = match kind {
        QuotaKind::Contracts => defaults.contracts_per_day,
        QuotaKind::Amendments => defaults.amendments_per_day,
        QuotaKind::Invoices => defaults.invoices_per_day,
    };
    match app.limiter.quota(seller.id, kind, seller.quota(kind, per_day), now).await {
        Ok(QuotaVerdict::Unmetered | QuotaVerdict::Admitted { .. }) => Ok(()),
        Ok(QuotaVerdict::Refused { retry_after_seconds }) => Err(used_up(retry_after_seconds)),
        Err(Unreachable) => Err(ApiError::unavailable(
            "the write quota cannot be checked, try again",
            whole(Unreachable::RETRY_AFTER_SECONDS),
        )),
    }
}

/// Counts a request of a client address, where no seller is known: minting an account, opening a
/// page, trying a token.
pub fn address(app: &App, kind: AddressKind, peer: IpAddr, now: Timestamp) -> Result<(), ApiError> {
    let per_period = match kind {
        AddressKind::SandboxMint => app.settings.limits.sandbox_per_hour,
        AddressKind::Page => app.settings.limits.pages_per_minute,
        AddressKind::WrongToken => WRONG_TOKENS,
    };
    match app.limiter.address(kind, peer, per_period, now) {
        Ok(Err(TooManyAttempts { retry_after_seconds })) => Err(too_many(retry_after_seconds)),
        Ok(Ok(())) | Err(Unreachable) => Ok(()),
    }
}

/// Refuses a write of a sandbox account that keeps as much as it may.
pub async fn storage(app: &App, seller: &Seller) -> Result<(), ApiError> {
    if !seller.is_sandbox() {
        return Ok(());
    }
    let admitted = app.keeping.admit(seller.id).await?;
    admitted.map_err(|full| ApiError::new(StatusCode::INSUFFICIENT_STORAGE, full.to_string()))
}

/// Whether an answer says already where its seller stands.
pub(super) fn is_stated(headers: &HeaderMap) -> bool {
    headers.contains_key(LIMIT)
}

pub fn state(standing: Standing, headers: &mut HeaderMap) {
    let Standing { limit, remaining, reset_seconds } = standing;
    headers.insert(LIMIT, HeaderValue::from(limit));
    headers.insert(REMAINING, HeaderValue::from(remaining));
    headers.insert(RESET, HeaderValue::from(reset_seconds));
    let mut text = String::with_capacity(64);
    let _ = write!(text, r#""seller";q={limit};qu="requests";w={WINDOW_SECONDS}"#);
    insert(headers, POLICY, &text);
    text.clear();
    let _ = write!(text, r#""seller";r={remaining};t={reset_seconds}"#);
    insert(headers, STANDING, &text);
}

fn insert(headers: &mut HeaderMap, name: HeaderName, text: &str) {
    if let Ok(value) = HeaderValue::from_str(text) {
        headers.insert(name, value);
    }
}

fn too_many(seconds: u64) -> ApiError {
    let text = format!("too many requests, try again after {seconds} seconds (Retry-After)");
    ApiError::new(StatusCode::TOO_MANY_REQUESTS, text).retry_after(whole(seconds))
}

/// Refuses what there is no memory for, since answers wait in it that nobody takes.
pub fn too_many_answers(what: &str) -> ApiError {
    let text = format!("too many answers wait to be taken, {what}");
    ApiError::unavailable(text, ANSWERS_RETRY_SECONDS)
}

fn used_up(seconds: u64) -> ApiError {
    let text =
        format!("the daily quota is used up, try again after {seconds} seconds (Retry-After)");
    ApiError::new(StatusCode::TOO_MANY_REQUESTS, text).retry_after(whole(seconds))
}

fn whole(seconds: u64) -> u32 {
    u32::try_from(seconds).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_headers_have_the_documented_form() {
        let mut headers = HeaderMap::new();
        state(Standing { limit: 6_000, remaining: 199, reset_seconds: 1 }, &mut headers);
        let text = |name| headers.get(name).and_then(|v| v.to_str().ok()).expect("a header");
        assert_eq!(text(LIMIT), "6000");
        assert_eq!(text(REMAINING), "199");
        assert_eq!(text(RESET), "1");
        assert_eq!(text(POLICY), r#""seller";q=6000;qu="requests";w=3600"#);
        assert_eq!(text(STANDING), r#""seller";r=199;t=1"#);
        assert!(STATED.iter().all(|(name, _)| headers.contains_key(*name)));
        assert_eq!(headers.len(), STATED.len());
    }
}
