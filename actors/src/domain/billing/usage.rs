//! Metered usage.
//!
//! A seller registers a [`Metric`]; a [`NewEvent`] is measured by it and placed on the UTC day on
//! which it happened. A [`UsageDay`] has what the events of a day come to, hour by hour, and the
//! newest of them; older ones lie sealed in an [`EventChunk`]. Days add up to a [`UsageTotal`].

mod aggregate;
mod assumed;
mod blocked;
mod check;
mod chunk;
mod closing;
mod correction;
mod coverage;
mod day;
pub mod dead_letter;
mod distinct;
mod event;
pub mod inbound;
mod key_form;
mod keys_asked;
mod late;
mod line;
mod meter;
mod metric;
mod pack;
mod policy;
mod recorded;
pub mod registry;
mod repricing;
mod seats;
mod snapshot;
#[cfg(test)]
mod tests;
mod units;
pub mod upload;
mod verdict;

pub use aggregate::{Aggregate, Measured, Tally, UsageTotal, Used};
pub use assumed::{AssumedRefusal, AssumedUsage, kept_by_limit};
pub use blocked::Blocked;
pub use check::{EventRefusal, MAX_METADATA_BYTES, MAX_METADATA_LEVELS, counted_value, measure};
pub use chunk::{EventChunk, MAX_CHUNK_BYTES, MAX_CHUNK_EVENTS};
pub use closing::{DuePeriod, Reading, due_periods, next_attempt, next_due};
pub use correction::{Adjustment, AdjustmentKey, CorrectLate, CorrectionRefusal};
pub use coverage::{Coverage, UsagePeriod};
pub use day::{DayVersion, TAIL_EVENTS, UsageDay, hour_of};
pub use distinct::{COUNTED_VALUES, DistinctSet, DistinctValues, ValueFingerprint};
pub use event::{EventFingerprint, EventKey, Ingested, NewEvent, PayloadHash};
pub use keys_asked::KeysAsked;
pub use late::LateEvent;
pub use line::UsageLine;
pub use meter::{CLOSED_IN_ROW, Carried, MeterRow};
pub use metric::{Aggregation, Metric, MetricName, SEATS};
pub use policy::{CapMode, LimitChange, UsageLimit};
pub use recorded::{Entry, UsageEvent};
pub use repricing::{CorrectedUsage, LateCost, MAX_CORRECTED, late_cost, measure_late};
pub use seats::{ChangeSeats, SeatChange, SeatRefusal, Seats};
pub use snapshot::{BlockedUsage, MetricUsage, percent};
pub use units::Units;
pub use verdict::{Admitted, KeyUse, LimitedUse, admit};
