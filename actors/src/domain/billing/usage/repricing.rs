//! What late events would have cost, had they come in time: the price of the closed period on all
//! of its usage with them, less that without them. What the period has left to later ones stays as
//! it is: they may be closed, too.

use serde_json::value::RawValue;
use storage::CborRecord;

use super::aggregate::{Measured, UsageTotal, Used};
use super::line::UsageLine;
use super::metric::Metric;
use super::recorded::UsageEvent;
use crate::domain::billing::pricing::{PriceVersion, RatingInput, RatingRefusal, rate};
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

/// What one more event costs in a closed period whose events so far, corrected ones too, come to
/// `total`; it is added to them. Minor units before tax, below 0 where more is cheaper.
pub fn late_amount(
    line: &UsageLine,
    price: &PriceVersion,
    total: &mut UsageTotal,
    event: Measured,
) -> Result<i64, RatingRefusal> {
    let before = amount_of(line, price, total)?;
    total.add(event);
    Ok(amount_of(line, price, total)? - before)
}

fn amount_of(
    line: &UsageLine,
    price: &PriceVersion,
    total: &UsageTotal,
) -> Result<i64, RatingRefusal> {
    let Used { quantity, events, .. } = total.used();
    let (rolled_over, trial) = (line.rolled_in, line.trial);
    let input = RatingInput { quantity, rolled_over, any_event: events > 0, trial };
    Ok(rate(&price.config, &input)?.amount_minor)
}

impl CborRecord for CorrectedUsage {}
