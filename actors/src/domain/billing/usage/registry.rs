//! Registering metrics: what is a definition, and when there is a new version of it.

use serde::Deserialize;

use super::metric::{Aggregation, Metric, MetricName, SEATS};
use crate::domain::refusal::{RefusalKind, Refuse};
use crate::domain::time::Timestamp;

/// The most metrics of a seller; that of seats does not count.
pub const MAX_METRICS: usize = 1_000;

pub const MAX_UNIT_CHARS: usize = 32;

pub const MAX_DESCRIPTION_CHARS: usize = 256;

/// The longest metadata key that can be counted by, in characters.
pub const MAX_UNIQUE_KEY_CHARS: usize = 128;

/// What the seat metric is counted in: its quantity of a period is the sum of each day's seats.
const SEAT_UNIT: &str = "seat-days";

/// A metric to be registered.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = NewMetricBody))]
pub struct NewMetric {
    /// What events refer to it by: 1 to 128 of the characters A-Z a-z 0-9 _ . : - and neither
    /// `.` nor `..`
    #[cfg_attr(feature = "schema", schema(required, min_length = 1, max_length = 128))]
    pub name: Option<String>,
    /// What is counted; empty by default.
    #[cfg_attr(feature = "schema", schema(max_length = 32))]
    pub unit: Option<String>,
    #[cfg_attr(feature = "schema", schema(required, value_type = Option<Aggregation>))]
    pub aggregation: Option<String>,
    /// The metadata key whose distinct values are counted; with `count_unique`, and only with it.
    #[cfg_attr(feature = "schema", schema(min_length = 1, max_length = 128))]
    pub unique_key: Option<String>,
    /// Absent leaves what was said before; empty takes it away.
    #[cfg_attr(feature = "schema", schema(max_length = 256))]
    pub description: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Registered {
    pub metric: Metric,
    pub changed: bool,
}

/// What a registration is held against.
#[derive(Clone, Copy, Debug, Default)]
pub struct Known<'a> {
    /// The latest version under the name that was sent.
    pub current: Option<&'a Metric>,
    /// How many metrics the seller has registered.
    pub metrics: usize,
    /// Whether an event of the metric is recorded on any contract.
    pub used: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MetricRefusal {
    #[error("name is required")]
    NameMissing,
    #[error("name must be 1 to 128 of the characters A-Z a-z 0-9 _ . : - and neither . nor ..")]
    Name,
    #[error("name {SEATS} is reserved: it is registered from the start")]
    NameReserved,
    #[error("unit must have at most {MAX_UNIT_CHARS} characters")]
    Unit,
    #[error("aggregation is required")]
    AggregationMissing,
    #[error("aggregation must be one of sum, max, min, last, count, count_unique")]
    Aggregation,
    #[error("uniqueKey is required for aggregation count_unique")]
    UniqueKeyMissing,
    #[error("uniqueKey is only for aggregation count_unique")]
    UniqueKeyForbidden,
    #[error("uniqueKey must have 1 to {MAX_UNIQUE_KEY_CHARS} characters")]
    UniqueKey,
    #[error("description must have at most {MAX_DESCRIPTION_CHARS} characters")]
    Description,
    #[error("a seller has at most {MAX_METRICS} metrics")]
    TooMany,
    #[error(
        "{0} cannot change once events of the metric are recorded: register another name for it"
    )]
    Used(&'static str),
}

impl Refuse for MetricRefusal {
    fn kind(&self) -> RefusalKind {
        match self {
            Self::TooMany | Self::Used(_) => RefusalKind::Unprocessable,
            _ => RefusalKind::Invalid,
        }
    }
}

/// Decides on a registration.
///
/// The definition is aggregation, unique key and unit: another one is the next version. Once
/// there is usage only the unit can be another: all else would change figures of open periods.
/// The same definition again changes nothing but, where it is stated, the description; an empty
/// description takes it away.
pub fn register(
    known: Known<'_>,
    command: NewMetric,
    now: Timestamp,
) -> Result<Registered, MetricRefusal> {
    let name = command.name.ok_or(MetricRefusal::NameMissing)?;
    let name = MetricName::parse(&name).ok_or(MetricRefusal::Name)?;
    if name.is_seats() {
        return Err(MetricRefusal::NameReserved);
    }
    let aggregation = command.aggregation.ok_or(MetricRefusal::AggregationMissing)?;
    let aggregation = Aggregation::parse(&aggregation).ok_or(MetricRefusal::Aggregation)?;
    let unique_key = unique_key(aggregation, command.unique_key)?;
    let unit = command.unit.unwrap_or_default();
    if unit.chars().count() > MAX_UNIT_CHARS {
        return Err(MetricRefusal::Unit);
    }
    let stated = command.description;
    if stated.as_ref().is_some_and(|text| text.chars().count() > MAX_DESCRIPTION_CHARS) {
        return Err(MetricRefusal::Description);
    }
    let current = known.current;
    if current.is_none() && known.metrics >= MAX_METRICS {
        return Err(MetricRefusal::TooMany);
    }
    if let Some(current) = current.filter(|_| known.used) {
        if current.aggregation != aggregation {
            return Err(MetricRefusal::Used("aggregation"));
        }
        if current.unique_key != unique_key {
            return Err(MetricRefusal::Used("uniqueKey"));
        }
    }
    let description = match stated {
        Some(text) => Some(text).filter(|text| !text.is_empty()),
        None => current.and_then(|known| known.description.clone()),
    };
    let fresh = Metric {
        name,
        version: current.map_or(1, |known| known.version.saturating_add(1)),
        unit,
        aggregation,
        unique_key,
        description,
        created_at: now,
    };
    let metric = match current.filter(|known| is_same_definition(known, &fresh)) {
        Some(known) => Metric { description: fresh.description, ..known.clone() },
        None => fresh,
    };
    Ok(Registered { changed: current != Some(&metric), metric })
}

/// The reserved metric of seats, there from the start: its quantity of a period
/// is the sum of what each day ends with, in seat-days. `since` is when the account was made.
pub fn seat_metric(since: Timestamp) -> Metric {
    Metric {
        name: MetricName::seats(),
        version: 1,
        unit: SEAT_UNIT.to_owned(),
        aggregation: Aggregation::Sum,
        unique_key: None,
        description: Some("Seats in use, integrated over UTC days.".to_owned()),
        created_at: since,
    }
}

fn is_same_definition(one: &Metric, other: &Metric) -> bool {
    one.aggregation == other.aggregation
        && one.unique_key == other.unique_key
        && one.unit == other.unit
}

fn unique_key(
    aggregation: Aggregation,
    stated: Option<String>,
) -> Result<Option<String>, MetricRefusal> {
    match (aggregation, stated) {
        (Aggregation::CountUnique, None) => Err(MetricRefusal::UniqueKeyMissing),
        (Aggregation::CountUnique, Some(key)) => {
            let fits = (1..=MAX_UNIQUE_KEY_CHARS).contains(&key.chars().count());
            fits.then_some(Some(key)).ok_or(MetricRefusal::UniqueKey)
        }
        (_, Some(_)) => Err(MetricRefusal::UniqueKeyForbidden),
        (_, None) => Ok(None),
    }
}

#[cfg(test)]
mod tests;
