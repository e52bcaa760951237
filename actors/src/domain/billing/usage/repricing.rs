//! What late events would have cost, had they come in time: the price of the closed period on all
//! of its usage with them, less that without them; and what they use of the included units that the
//! period had left. The period behind it goes without these while it is open. Once it is closed,
//! its price stands with what was left to it then.

use rust_decimal::Decimal;
use serde_json::value::RawValue;
use storage::CborRecord;

use super::aggregate::{Measured, UsageTotal, Used};
use super::line::UsageLine;
use super::metric::Metric;
use super::recorded::UsageEvent;
use crate::domain::billing::pricing::{PriceVersion, Rating, RatingInput, RatingRefusal, rate};
use crate::domain::ids::UsageEventId;

/// How many late events of one closed period can be corrected by its price.
pub const MAX_CORRECTED: usize = 1_000;

/// The late events that were corrected of a closed period, in the order in which they were.
#[derive(Clone, Debug, Default, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
#[cbor(transparent)]
pub struct CorrectedUsage(#[n(0)] pub Vec<UsageEventId>);

/// A late event as the definition of its metric measures it that was current when it came. None
/// where it has no value to be counted by.
pub fn measure_late(event: &UsageEvent, metric: &Metric) -> Option<Measured> {
    // Looked into only where a value of it is counted.
    let metadata = event.metadata.clone().filter(|_| metric.unique_key.is_some());
    let metadata = metadata.map(RawValue::from_string).transpose().ok()?;
    Measured::of(metric, event.quantity, event.occurred_at, metadata.as_deref()).ok()
}

/// What late events come to in their closed period.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LateCost {
    /// Minor units before tax, below 0 where more is cheaper.
    pub amount_minor: i64,
    /// By how much they lower what the period leaves to the next; below 0 where they raise it.
    pub allotment: Decimal,
}

/// What one more event comes to in a closed period whose events so far, corrected ones too, come
/// to `total`; it is added to them.
pub fn late_cost(
    line: &UsageLine,
    price: &PriceVersion,
    total: &mut UsageTotal,
    event: Measured,
) -> Result<LateCost, RatingRefusal> {
    let before = rating_of(line, price, total)?;
    total.add(event);
    let after = rating_of(line, price, total)?;
    Ok(LateCost {
        amount_minor: after.amount_minor - before.amount_minor,
        allotment: before.unused().value() - after.unused().value(),
    })
}

fn rating_of(
    line: &UsageLine,
    price: &PriceVersion,
    total: &UsageTotal,
) -> Result<Rating, RatingRefusal> {
    let Used { quantity, events, .. } = total.used();
    let (rolled_over, trial) = (line.rolled_in, line.trial);
    let input = RatingInput { quantity, rolled_over, any_event: events > 0, trial };
    rate(&price.config, &input)
}

impl CborRecord for CorrectedUsage {}
