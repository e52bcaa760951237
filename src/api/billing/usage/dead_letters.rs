//! Dead letters: what nobody waited for and was refused.

use std::sync::Arc;

use actors::domain::billing::usage::dead_letter::{
    DeadLetter, Kept, LetterSource, LetterStatus, Retried,
};
use actors::domain::billing::usage::upload::TOO_MANY_LETTERS;
use actors::domain::ids::{DeadLetterId, SellerId};
use actors::domain::platform::seller::Scope;
use actors::domain::refusal::{Refusal, RefusalKind};
use actors::domain::time::Timestamp;
use actors::kernel::AskError;
use actors::query;
use serde::Serialize;
use serde_json::value::RawValue;
use utoipa::ToSchema;

use super::event;
use crate::api::wire::{List, Listed};
use crate::app::App;
use crate::gate::{Request, Route};
use crate::http::{ApiError, ApiResult, Response};

/// A dead letter as it is answered.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DeadLetterView {
    id: u64,
    source: LetterSource,
    status: LetterStatus,
    /// Why it was refused, the last time; what a redrive came to.
    reason: String,
    /// How often it was tried, the first time too.
    attempts: u32,
    /// The event as it was sent, also when it is malformed. Of one larger than 32 KiB what is no
    /// field of an event is left out. A row that can be no event is `{"cells": [...]}`, and what
    /// was sent as something else than an object `{"value": ...}`.
    #[schema(value_type = Object)]
    event: Box<RawValue>,
    /// True when the fields of the event were larger than 32 KiB, or the mapped columns of the row
    /// larger than 24 KiB, and parts were cut away. It is then not redriven.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    event_cut: bool,
    created_at: Timestamp,
    last_attempt_at: Timestamp,
}

pub type DeadLetterList = List<DeadLetterView>;

impl Listed for DeadLetterView {
    const LIST: &'static str = "DeadLetterList";
    const ITEMS: &'static str = "deadLetters";
}

pub async fn list(app: Arc<App>, request: Request) -> ApiResult {
    let paging = request.paging("beforeId")?;
    let status =
        request.query_as("status", "parked, redriven or discarded", LetterStatus::parse)?;
    let found = query::dead_letters(&app.store, request.seller_id(), status, paging)?;
    Ok(Response::ok(&DeadLetterList::try_of(found, view)?))
}

pub async fn redrive(app: Arc<App>, request: Request) -> ApiResult {
    let id = request.id("deadLetterId", DeadLetterId)?;
    let seller = request.seller_id();
    let letter = query::dead_letter(&app.store, seller, id)?.ok_or_else(ApiError::missing)?;
    letter.parked().map_err(Refusal::from)?;
    let outcome = try_again(&app, &request, &letter).await?;
    Ok(Response::ok(&view(app.sellers.redrive(seller, id, outcome).await?)?))
}

pub async fn discard(app: Arc<App>, request: Request) -> ApiResult {
    let id = request.id("deadLetterId", DeadLetterId)?;
    Ok(Response::ok(&view(app.sellers.discard(request.seller_id(), id).await?)?))
}

/// Refuses what may bring letters while as many are parked as may be.
pub(super) fn room(app: &App, seller: SellerId) -> Result<(), ApiError> {
    let parked = query::parked_letters(&app.store, seller)?;
    if parked < u64::from(app.settings.limits.dead_letters) {
        return Ok(());
    }
    Err(Refusal::too_many(TOO_MANY_LETTERS).into())
}

/// Records the event of a letter. Its key makes sure that it is recorded once, whoever else
/// tries the same.
async fn try_again(app: &App, request: &Request, letter: &DeadLetter) -> Result<Retried, ApiError> {
    if let Some(outcome) = letter.hopeless() {
        return Ok(outcome);
    }
    let (contract, event) = match event::from_json(&letter.event) {
        Ok(read) => read,
        Err(refusal) => return Ok(Retried::Refused(refusal.to_string())),
    };
    let verdict = match app.contracts.record_usage(request.seller_id(), contract, vec![event]).await
    {
        Ok(verdicts) => verdicts.into_iter().next().unwrap_or_else(|| Err(Refusal::fault())),
        Err(AskError::Refused(refusal)) if refusal.kind == RefusalKind::Missing => {
            return Ok(Retried::Refused(event::EventRefusal::UnknownContract.to_string()));
        }
        Err(error) => return Err(error.into()),
    };
    match verdict {
        Ok(_) => Ok(Retried::Recorded),
        Err(refusal) if refusal.kind == RefusalKind::Fault => Err(refusal.into()),
        Err(refusal) => Ok(Retried::Refused(refusal.text)),
    }
}

fn view(letter: DeadLetter) -> Result<DeadLetterView, ApiError> {
    Ok(DeadLetterView {
        id: letter.id.0,
        source: letter.source,
        status: letter.status,
        reason: letter.reason,
        attempts: letter.attempts,
        event: object(letter.event).map_err(|error| ApiError::internal(&error))?,
        event_cut: letter.kept == Kept::Cut,
        created_at: letter.created_at,
        last_attempt_at: letter.last_attempt_at,
    })
}

/// What was sent, as an object.
fn object(sent: String) -> serde_json::Result<Box<RawValue>> {
    match sent.trim_start().starts_with('{') {
        true => RawValue::from_string(sent),
        false => RawValue::from_string(format!("{{\"value\":{sent}}}")),
    }
}

const LETTER_STATUSES: &[&str] = &["parked", "redriven", "discarded"];

pub fn routes() -> Vec<Route> {
    vec![
        Route::get("/dead-letters", list)
            .named("listDeadLetters")
            .needs_one_of(&[Scope::BillingRead, Scope::UsageWrite])
            .summary("List dead letters")
            .describe(
                "Events of uploads and inbound endpoints that were refused. `event` is what \
                 was sent; of one whose fields are larger than 32 KiB parts are cut away, and \
                 `eventCut` says so.",
            )
            .query_one_of("status", LETTER_STATUSES, "Only those of this status.")
            .paged("beforeId")
            .answer::<DeadLetterList>(200, "Newest first."),
        Route::post("/dead-letters/{deadLetterId}/redrive", redrive)
            .named("redriveDeadLetter")
            .needs(Scope::UsageWrite)
            .summary("Try a dead letter again")
            .describe(
                "An event that is refused still stays `parked`, with one more attempt and the \
                 new reason; so does one that was cut, and a row that can be no event, which \
                 keeps its fault. `reason` of one that is recorded says so.",
            )
            .path_id("deadLetterId")
            .answer::<DeadLetterView>(200, "The dead letter as it is now.")
            .refuses(422, "It is not parked."),
        Route::post("/dead-letters/{deadLetterId}/discard", discard)
            .named("discardDeadLetter")
            .needs_one_of(&[Scope::BillingWrite, Scope::UsageWrite])
            .summary("Give a dead letter up")
            .path_id("deadLetterId")
            .answer::<DeadLetterView>(200, "The dead letter as it is now.")
            .refuses(422, "It is not parked."),
    ]
}
