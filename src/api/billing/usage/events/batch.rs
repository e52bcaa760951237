//! `POST /usage/events:batch`: many events, each judged for itself.

use std::sync::Arc;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;
use utoipa::ToSchema;

use super::BatchView;
use crate::api::billing::usage::event::{self, EventBody, EventRefusal};
use crate::api::billing::usage::waves::{Outcome, Placed, waves};
use crate::app::App;
use crate::gate::Request;
use crate::http::{ApiError, ApiResult, Response};

pub const BATCH_LIMIT: usize = 500;

/// Events to be recorded.
#[derive(ToSchema)]
#[expect(dead_code, reason = "stands in the API document; the items are read one by one")]
pub struct EventBatchBody {
    #[schema(max_items = 500)]
    events: Vec<EventBody>,
}

#[derive(Deserialize)]
struct Wire<'a> {
    #[serde(borrow)]
    events: Vec<&'a RawValue>,
}

/// The shape of the body, for words about what is wrong with it.
#[derive(Deserialize)]
struct Shape {
    #[expect(dead_code, reason = "only its presence and kind matter")]
    events: Vec<IgnoredAny>,
}

pub async fn ingest_batch(app: Arc<App>, request: Request) -> ApiResult {
    let items = items(&request)?;
    let mut outcomes: Vec<Option<Outcome>> = Vec::with_capacity(items.len());
    let mut events = Vec::with_capacity(items.len());
    for (index, item) in items.into_iter().enumerate() {
        outcomes.push(match event::from_json(item.get()) {
            Ok((contract, event)) => {
                events.push(Placed { index, contract, event });
                None
            }
            Err(refusal) => Some(Err(refusal.to_string())),
        });
    }
    for wave in waves(events) {
        for (index, outcome) in wave.record(&app, request.seller_id()).await? {
            outcomes[index] = Some(outcome);
        }
    }
    // A room answers every event that it is asked for.
    let told: Option<Vec<Outcome>> = outcomes.into_iter().collect();
    Ok(Response::ok(&BatchView::new(told.ok_or_else(ApiError::unanswered)?.into_iter())))
}

/// The items of the body, as they lie in it.
fn items(request: &Request) -> Result<Vec<&RawValue>, ApiError> {
    let text = event::utf8(&request.body)?;
    let read = match text.trim_start().starts_with('{') {
        true => serde_json::from_str::<Wire<'_>>(text).ok(),
        false => None,
    };
    let Some(Wire { events }) = read else {
        // Reads again, to say what is wrong.
        request.json::<Shape>()?;
        return Err(EventRefusal::NoObject.into());
    };
    if events.len() > BATCH_LIMIT {
        return Err(ApiError::too_large(format!("events must have at most {BATCH_LIMIT} entries")));
    }
    Ok(events)
}
