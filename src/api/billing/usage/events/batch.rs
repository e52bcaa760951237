//! `POST /usage/events:batch`: many events, each judged for itself.
//!
//! Events of one contract reach its room together and in order; contracts are asked side by
//! side. Only where one key stands twice in a batch under different contracts does the order of
//! the batch matter across rooms: the later event is asked for in a later [`Wave`].

use std::collections::HashMap;
use std::sync::Arc;

use actors::domain::billing::usage::{EventFingerprint, Ingested, NewEvent};
use actors::domain::ids::{ContractId, SellerId};
use actors::domain::refusal::{Refusal, RefusalKind};
use actors::kernel::AskError;
use futures::future::join_all;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;
use utoipa::ToSchema;

use super::BatchView;
use crate::api::billing::usage::event::{self, EventBody, EventRefusal};
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

/// What became of an item: what is stored, or why nothing is.
type Outcome = Result<Ingested, String>;

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

pub(super) struct Placed {
    pub(super) index: usize,
    pub(super) contract: ContractId,
    pub(super) event: NewEvent,
}

/// Events that can be asked for side by side, by contract.
#[derive(Default)]
pub(super) struct Wave {
    parts: Vec<Part>,
    places: HashMap<ContractId, usize>,
    keys: HashMap<EventFingerprint, ContractId>,
}

/// The events of one contract, in order.
pub(super) struct Part {
    pub(super) contract: ContractId,
    pub(super) indexes: Vec<usize>,
    events: Vec<NewEvent>,
}

/// Cuts a batch where a key comes again under another contract: whether the earlier event takes
/// the key is known only when its room has answered.
pub(super) fn waves(events: Vec<Placed>) -> Vec<Wave> {
    let mut waves = vec![Wave::default()];
    for placed in events {
        let taken = waves.last().is_some_and(|wave| wave.holds_elsewhere(&placed));
        if taken {
            waves.push(Wave::default());
        }
        if let Some(wave) = waves.last_mut() {
            wave.add(placed);
        }
    }
    waves
}

impl Wave {
    fn holds_elsewhere(&self, placed: &Placed) -> bool {
        let holder = self.keys.get(&placed.event.fingerprint);
        holder.is_some_and(|contract| *contract != placed.contract)
    }

    fn add(&mut self, Placed { index, contract, event }: Placed) {
        self.keys.insert(event.fingerprint, contract);
        let place = *self.places.entry(contract).or_insert_with(|| {
            self.parts.push(Part { contract, indexes: Vec::new(), events: Vec::new() });
            self.parts.len() - 1
        });
        self.parts[place].indexes.push(index);
        self.parts[place].events.push(event);
    }

    /// Asks every contract and waits for all of them, so that nothing of the batch is under way
    /// any more when it is answered.
    async fn record(self, app: &App, seller: SellerId) -> Result<Vec<(usize, Outcome)>, ApiError> {
        let asked = self.parts.into_iter().map(async |part| {
            (part.indexes, app.contracts.record_usage(seller, part.contract, part.events).await)
        });
        let mut outcomes = Vec::new();
        for (indexes, answer) in join_all(asked).await {
            outcomes.extend(each(indexes, answer)?);
        }
        Ok(outcomes)
    }

    #[cfg(test)]
    pub(super) fn parts(&self) -> &[Part] {
        &self.parts
    }
}

fn each(
    indexes: Vec<usize>,
    answer: Result<Vec<Result<Ingested, Refusal>>, AskError>,
) -> Result<Vec<(usize, Outcome)>, ApiError> {
    match answer {
        Err(AskError::Refused(refusal)) if refusal.kind == RefusalKind::Missing => {
            let unknown = EventRefusal::UnknownContract.to_string();
            Ok(indexes.into_iter().map(|index| (index, Err(unknown.clone()))).collect())
        }
        answer => {
            let told = answer?.into_iter().map(judged);
            indexes.into_iter().zip(told).map(|(index, told)| Ok((index, told?))).collect()
        }
    }
}

/// A refusal rejects its item; a fault is no verdict on the item and ends the batch.
fn judged(told: Result<Ingested, Refusal>) -> Result<Outcome, ApiError> {
    match told {
        Err(refusal) if refusal.kind == RefusalKind::Fault => Err(refusal.into()),
        Err(refusal) => Ok(Err(refusal.text)),
        Ok(ingested) => Ok(Ok(ingested)),
    }
}
