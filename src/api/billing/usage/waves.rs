//! Events of several contracts, recorded as if one after the other.
//!
//! Events of one contract reach its room together and in order; contracts are asked side by
//! side. Only where one key stands twice under different contracts does the order of the events
//! matter across rooms: the later event is asked for in a later [`Wave`].

use std::collections::HashMap;

use actors::domain::billing::usage::{Ingested, KeysAsked, NewEvent};
use actors::domain::ids::{ContractId, SellerId};
use actors::domain::refusal::{Refusal, RefusalKind};
use actors::kernel::AskError;
use futures::future::join_all;

use super::event::EventRefusal;
use crate::app::App;
use crate::http::ApiError;

/// What became of an event: what is stored, or why nothing is.
pub(super) type Outcome = Result<Ingested, String>;

/// An event and its place among those that came with it.
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
    keys: KeysAsked,
}

/// The events of one contract, in order.
struct Part {
    contract: ContractId,
    indexes: Vec<usize>,
    events: Vec<NewEvent>,
}

/// Cuts events where a key comes again under another contract: whether the earlier event takes
/// the key is known only when its room has answered.
pub(super) fn waves(events: Vec<Placed>) -> Vec<Wave> {
    let mut waves = vec![Wave::default()];
    for placed in events {
        if !waves.last_mut().is_some_and(|wave| wave.takes(&placed)) {
            waves.push(Wave::default());
        }
        if let Some(wave) = waves.last_mut() {
            wave.add(placed);
        }
    }
    waves
}

impl Wave {
    fn takes(&mut self, placed: &Placed) -> bool {
        self.keys.take(placed.event.fingerprint, placed.contract)
    }

    fn add(&mut self, Placed { index, contract, event }: Placed) {
        self.keys.take(event.fingerprint, contract);
        let place = *self.places.entry(contract).or_insert_with(|| {
            self.parts.push(Part { contract, indexes: Vec::new(), events: Vec::new() });
            self.parts.len() - 1
        });
        self.parts[place].indexes.push(index);
        self.parts[place].events.push(event);
    }

    /// Asks every contract and waits for all of them, so that nothing is under way any more when
    /// the request is answered.
    ///
    /// # Errors
    /// When a room does not answer or cannot work. What was recorded by then is found again when
    /// the sender tries again.
    pub(super) async fn record(
        self,
        app: &App,
        seller: SellerId,
    ) -> Result<Vec<(usize, Outcome)>, ApiError> {
        let asked = self.parts.into_iter().map(async |part| {
            (part.indexes, app.contracts.record_usage(seller, part.contract, part.events).await)
        });
        let mut outcomes = Vec::new();
        for (indexes, answer) in join_all(asked).await {
            outcomes.extend(each(indexes, answer)?);
        }
        Ok(outcomes)
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

/// A refusal rejects its event; a fault is no verdict on the event and ends the whole.
fn judged(told: Result<Ingested, Refusal>) -> Result<Outcome, ApiError> {
    match told {
        Err(refusal) if refusal.kind == RefusalKind::Fault => Err(refusal.into()),
        Err(refusal) => Ok(Err(refusal.text)),
        Ok(ingested) => Ok(Ok(ingested)),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::event;
    use super::*;

    /// The places of events, by wave and contract; an item is its contract and its key.
    fn planned(items: &[(&str, &str)]) -> Vec<Vec<(u64, Vec<usize>)>> {
        let placed = items.iter().enumerate().map(|(index, (contract, key))| {
            let text = json!({
                "contractId": contract, "metric": "m", "quantity": "1",
                "occurredAt": "2027-01-15T08:30:00Z", "idempotencyKey": key,
            });
            let (contract, event) = event::from_json(&text.to_string()).expect("an event");
            Placed { index, contract, event }
        });
        let waves = waves(placed.collect());
        let parts = |wave: &Wave| {
            wave.parts.iter().map(|part| (part.contract.0, part.indexes.clone())).collect()
        };
        waves.iter().map(parts).collect()
    }

    #[test]
    fn contracts_are_asked_side_by_side_each_in_order() {
        assert_eq!(
            planned(&[("1", "a"), ("2", "b"), ("1", "c"), ("2", "b"), ("1", "a")]),
            [[(1, vec![0, 2, 4]), (2, vec![1, 3])]]
        );
    }

    #[test]
    fn a_key_that_comes_again_under_another_contract_waits() {
        assert_eq!(
            planned(&[("1", "a"), ("2", "b"), ("2", "a"), ("1", "c"), ("1", "b"), ("1", "d")]),
            [vec![(1, vec![0]), (2, vec![1])], vec![(2, vec![2]), (1, vec![3, 4, 5])],]
        );
    }
}
