//! What an event has to fulfil before it is recorded.

use serde_json::value::RawValue;

use super::aggregate::Measured;
use super::distinct::ValueFingerprint;
use super::event::NewEvent;
use super::metric::{Aggregation, Metric, SEATS};
use super::units::Units;
use crate::domain::json::{self, Name, Numbers};
use crate::domain::quantity::Quantity;
use crate::domain::refusal::{RefusalKind, Refuse};
use crate::domain::time::Timestamp;

/// The longest metadata of an event, in bytes of JSON.
pub const MAX_METADATA_BYTES: usize = 16 * 1024;

/// The most levels of objects and lists within one another in the metadata of an event.
pub const MAX_METADATA_LEVELS: usize = 32;

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EventRefusal {
    #[error("idempotencyKey was already used for another event")]
    KeyReused,
    #[error("metric {0} is not registered")]
    Unregistered(String),
    #[error("metric {SEATS} takes no events: seats are counted from recorded seat changes")]
    Seats,
    #[error("occurredAt must not be ahead of now")]
    Ahead,
    #[error("metadata must contain {0:?}, the uniqueKey of the metric")]
    NoUniqueKey(String),
    #[error("metadata must be at most {MAX_METADATA_BYTES} bytes of JSON")]
    LongMetadata,
    #[error("quantity takes the usage of this period above the hard limit capQuantity of {0}")]
    Capped(Quantity),
}

impl Refuse for EventRefusal {
    fn kind(&self) -> RefusalKind {
        match self {
            Self::KeyReused => RefusalKind::Conflict,
            _ => RefusalKind::Invalid,
        }
    }
}

/// Measures an event by the current definition of its metric (`None`: there is none).
pub fn measure(
    event: &NewEvent,
    metric: Option<&Metric>,
    now: Timestamp,
) -> Result<Measured, EventRefusal> {
    if event.metric.is_seats() {
        return Err(EventRefusal::Seats);
    }
    let metric =
        metric.ok_or_else(|| EventRefusal::Unregistered(event.metric.as_str().to_owned()))?;
    if event.occurred_at > now {
        return Err(EventRefusal::Ahead);
    }
    let metadata = event.metadata.as_deref();
    if metadata.is_some_and(|metadata| metadata.get().len() > MAX_METADATA_BYTES) {
        return Err(EventRefusal::LongMetadata);
    }
    Measured::of(metric, event.quantity, event.occurred_at, metadata)
}

impl Measured {
    /// One event as a definition measures it, whether it comes in time or late.
    pub(super) fn of(
        metric: &Metric,
        quantity: Quantity,
        at: Timestamp,
        metadata: Option<&RawValue>,
    ) -> Result<Self, EventRefusal> {
        let value = match (&metric.unique_key, metric.aggregation) {
            (Some(key), Aggregation::CountUnique) => Some(counted_value(metadata, key)?),
            _ => None,
        };
        Ok(Self {
            version: metric.version,
            aggregation: metric.aggregation,
            quantity: Units::from(quantity),
            at,
            value,
            times: 1,
        })
    }
}

/// What metadata says under the key whose values a metric counts.
pub fn counted_value(
    metadata: Option<&RawValue>,
    key: &str,
) -> Result<ValueFingerprint, EventRefusal> {
    let missing = || EventRefusal::NoUniqueKey(key.to_owned());
    let members = json::members(metadata.ok_or_else(missing)?).map_err(|_| missing())?;
    let raw = members.get(&Name(key.into())).ok_or_else(missing)?;
    let value = json::canonical(raw, Numbers::ByValue, MAX_METADATA_LEVELS);
    Ok(ValueFingerprint::of(&value.map_err(|_| missing())?))
}
