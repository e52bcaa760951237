//! The inbound receiver: usage that third parties post, signed with an endpoint's secret instead
//! of a key.

use std::collections::BTreeMap;
use std::sync::Arc;

use actors::domain::billing::usage::dead_letter::RefusedEvent;
use actors::domain::billing::usage::inbound::InboundEndpoint;
use actors::domain::platform::seller::{Seller, SellerStatus};
use actors::domain::platform::webhook::signature::{SIGNATURE_HEADER, TIMESTAMP_HEADER, verify};
use actors::domain::time::Timestamp;
use actors::query;
use actors::seller::SignedDelivery;
use hyper::StatusCode;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use sha2::{Digest, Sha256};
use utoipa::ToSchema;

use super::dead_letters;
use super::event::{self, EventBody};
use super::events::EventBatchBody;
use super::waves::{Placed, waves};
use crate::app::App;
use crate::gate::{Request, Route, Surface, limits};
use crate::http::route::document::{Part, Value};
use crate::http::{ApiError, ApiResult, Response, json};

/// The most events of one delivery.
const MAX_EVENTS: usize = 500;

/// A delivery: the fields of one event, or several events.
// It stands in the API document; the events are read as they lie in it.
#[derive(ToSchema)]
#[serde(untagged)]
pub enum DeliveryBody {
    One(EventBody),
    Many(EventBatchBody),
}

#[derive(Serialize, ToSchema)]
pub struct Accepted {
    /// The events of the delivery: each is recorded, was recorded before, or is parked.
    accepted: usize,
}

pub async fn receive(app: Arc<App>, request: Request) -> ApiResult {
    let endpoint = addressed(&app, &request)?;
    let delivery = authenticate(&app, &request, &endpoint)?;
    let snapshot = app.directory.seller(endpoint.seller)?.ok_or_else(ApiError::missing)?;
    let seller = &snapshot.seller;
    if seller.expires_at.is_some_and(|end| end <= request.now) {
        return Err(ApiError::missing());
    }
    if seller.status != SellerStatus::Active {
        return Err(ApiError::plain(StatusCode::FORBIDDEN, "seller account is not active"));
    }
    // A delivery counts as if its seller had sent it, once it is known to be the seller's.
    let (standing, rate) = limits::request(&app, Surface::Billing, seller, request.now);
    let answer = match rate {
        Ok(()) => take(&app, seller, &request, delivery).await,
        Err(refused) => Err(refused),
    };
    let mut response = answer.unwrap_or_else(Response::from);
    if let Some(standing) = standing {
        limits::state(standing, response.headers_mut());
    }
    Ok(response)
}

/// The endpoint whose token the path has.
fn addressed(app: &App, request: &Request) -> Result<InboundEndpoint, ApiError> {
    let token = request.text_param("token")?;
    query::endpoint_of(&app.store, &token)?.ok_or_else(ApiError::missing)
}

async fn take(
    app: &App,
    seller: &Seller,
    request: &Request,
    delivery: SignedDelivery,
) -> ApiResult {
    limits::storage(app, seller).await?;
    let seller = seller.id;
    dead_letters::room(app, seller)?;
    let body = std::str::from_utf8(&request.body).map_err(|_| invalid("not UTF-8"))?;
    let events = events(body)?;
    let (mut placed, mut reasons) = (Vec::with_capacity(events.len()), BTreeMap::new());
    for (index, text) in events.iter().enumerate() {
        match event::from_json(text) {
            Ok((contract, event)) => placed.push(Placed { index, contract, event }),
            Err(refusal) => _ = reasons.insert(index, refusal.to_string()),
        }
    }
    for wave in waves(placed) {
        let outcomes = wave.record(app, seller).await?.into_iter();
        reasons.extend(outcomes.filter_map(|(index, outcome)| Some((index, outcome.err()?))));
    }
    if !reasons.is_empty() {
        let refused = reasons
            .into_iter()
            .map(|(index, reason)| RefusedEvent::event(reason, events[index].to_owned()));
        app.sellers.park(seller, delivery, refused.collect()).await?;
    }
    Ok(Response::accepted(&Accepted { accepted: events.len() }))
}

/// Holds the signature against the body.
fn authenticate(
    app: &App,
    request: &Request,
    endpoint: &InboundEndpoint,
) -> Result<SignedDelivery, ApiError> {
    let stranger = || ApiError::plain(StatusCode::UNAUTHORIZED, "not authorized");
    let secret = app.secrets.open_text(endpoint.secret_place(), &endpoint.secret);
    let secret = secret.map_err(|error| ApiError::internal(&error))?;
    let timestamp = request.header(TIMESTAMP_HEADER).ok_or_else(stranger)?;
    let signature = request.header(SIGNATURE_HEADER).ok_or_else(stranger)?;
    verify(secret.as_bytes(), timestamp, signature, &request.body, request.now)
        .map_err(|_| stranger())?;
    let mut digest = Sha256::new();
    digest.update(endpoint.id.0.to_be_bytes());
    digest.update(signature.as_bytes());
    let seconds = timestamp.parse().unwrap_or_default();
    Ok(SignedDelivery {
        sent_at: Timestamp::from_micros(0).plus_seconds(seconds),
        digest: *digest.finalize().first_chunk().expect("a digest has 32 bytes"),
    })
}

fn events(body: &str) -> Result<Vec<&str>, ApiError> {
    #[derive(Deserialize)]
    struct Many<'a> {
        #[serde(borrow)]
        events: Option<&'a RawValue>,
    }
    if !body.trim_start().starts_with('{') {
        return Err(invalid("expected an event, or an object with events"));
    }
    let many: Many<'_> =
        serde_json::from_str(body).map_err(|error| invalid(&json::words(&error)))?;
    let Some(list) = many.events else {
        let fields: BTreeMap<String, &RawValue> =
            serde_json::from_str(body).map_err(|error| invalid(&json::words(&error)))?;
        let is_event = EVENT_FIELDS.iter().any(|field| fields.contains_key(*field));
        return if is_event { Ok(vec![body]) } else { Err(invalid("there is no event in it")) };
    };
    let list: Vec<&RawValue> =
        serde_json::from_str(list.get()).map_err(|_| invalid("events: expected a list"))?;
    match list.len() {
        0 => Err(invalid("events: there is no event in it")),
        1..=MAX_EVENTS => Ok(list.into_iter().map(RawValue::get).collect()),
        _ => Err(ApiError::too_large(format!("a delivery has at most {MAX_EVENTS} events"))),
    }
}

/// By what an object is known for an event, however malformed.
const EVENT_FIELDS: [&str; 6] =
    ["contractId", "metric", "quantity", "occurredAt", "idempotencyKey", "metadata"];

fn invalid(why: &str) -> ApiError {
    ApiError::invalid(format!("invalid request body: {why}"))
}

pub fn routes() -> Vec<Route> {
    vec![
        Route::post("/webhooks/{token}", receive)
            .named("postInboundUsage")
            .open()
            .summary("Post usage as a third party")
            .describe(
                "Signed with the endpoint's secret instead of a key. The body is one event, or \
                 `{\"events\": [...]}` with up to 500. When this answers, every event is \
                 recorded, was recorded before, or is parked among the dead letters. The same \
                 signed delivery may come again: nothing happens twice. A delivery whose \
                 signature holds counts in its seller's rate budget, and the answer has the \
                 headers that state it.",
            )
            .path_text("token", "The last part of the endpoint's address.")
            .asks(
                Part::Header,
                "X-Service-Timestamp",
                Value::Pattern { max: 20, pattern: "^[0-9]+$" },
                "The time in Unix seconds, at most 5 minutes from now.",
            )
            .asks(
                Part::Header,
                "X-Service-Signature",
                Value::Pattern { max: 71, pattern: "^sha256=[0-9a-f]{64}$" },
                "`sha256=` with the HMAC-SHA256 of the time, a dot and the body, in lower-case \
                 hexadecimal digits.",
            )
            .body::<DeliveryBody>()
            .late_body(|app, request| addressed(app, request).map(drop))
            .answer::<Accepted>(202, "All events are taken care of.")
            .refuses(400, "The body is not JSON, or there is no event in it.")
            .answer_as(401, "text/plain", "The signature does not match, or is stale.")
            .answer_as(403, "text/plain", "The seller's account is not active.")
            .refuses(404, "The token is unknown, or the endpoint is revoked.")
            .refuses(413, "More than 1 MiB, or more than 500 events.")
            .refuses(
                429,
                "The seller's rate budget is used up (see `Retry-After`), or as many dead letters \
                 are parked as may be.",
            ),
    ]
}
