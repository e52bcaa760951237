//! What becomes of an event: recorded, late, refused by a limit, or known before.

use std::sync::Arc;

use super::aggregate::{Measured, UsageTotal};
use super::check::{EventRefusal, measure};
use super::event::{Ingested, NewEvent, PayloadHash};
use super::metric::Metric;
use super::policy::UsageLimit;
use crate::domain::ids::UsageEventId;
use crate::domain::time::Timestamp;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyUse {
    pub payload: PayloadHash,
    pub event: UsageEventId,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Admitted {
    pub measured: Measured,
    /// Whether its day is billed already: then it is kept, and counts to no period.
    pub late: bool,
    /// Whether it is the first of its period beyond a soft limit.
    pub exceeds: bool,
}

/// The use of a period with a limit, event by event.
#[derive(Clone, Debug)]
pub struct LimitedUse {
    limit: UsageLimit,
    /// Whether the timeline has noted before that the period's soft limit is exceeded.
    noted: bool,
    /// What was used before the last event that was taken.
    total: Arc<UsageTotal>,
    last: Option<Measured>,
}

impl KeyUse {
    pub fn taken(self) -> [u8; 16] {
        let mut taken = [0; 16];
        taken[..8].copy_from_slice(&self.payload.0);
        taken[8..].copy_from_slice(&self.event.0.to_be_bytes());
        taken
    }

    pub fn of_taken(taken: [u8; 16]) -> Self {
        let (mut payload, mut event) = ([0; 8], [0; 8]);
        payload.copy_from_slice(&taken[..8]);
        event.copy_from_slice(&taken[8..]);
        Self { payload: PayloadHash(payload), event: UsageEventId(u64::from_be_bytes(event)) }
    }

    /// Decides on an event whose key was used: the same event again is a duplicate, whatever
    /// has become of its metric or limit since. `late` is said of the event that was recorded.
    pub fn repeated(
        self,
        event: &NewEvent,
        metered: bool,
        late: bool,
    ) -> Result<Ingested, EventRefusal> {
        if self.payload != event.payload {
            return Err(EventRefusal::KeyReused);
        }
        Ok(Ingested { event: self.event, duplicate: true, metered, late })
    }
}

/// Decides on an event whose key is free. `closed` says that its day is billed for the metric,
/// `used` is its period where that has a limit. No limit holds for a late event.
pub fn admit(
    event: &NewEvent,
    metric: Option<&Metric>,
    closed: bool,
    used: Option<&mut LimitedUse>,
    now: Timestamp,
) -> Result<Admitted, EventRefusal> {
    let measured = measure(event, metric, now)?;
    let exceeds = match used.filter(|_| !closed) {
        Some(used) => used.take(measured)?,
        None => false,
    };
    Ok(Admitted { measured, late: closed, exceeds })
}

impl LimitedUse {
    pub fn new(limit: UsageLimit, noted: bool, total: Arc<UsageTotal>) -> Self {
        Self { limit, noted, total, last: None }
    }

    /// Holds an event against the limit, and counts it unless it is refused. Says whether a soft
    /// limit is exceeded by it, once for a period.
    fn take(&mut self, event: Measured) -> Result<bool, EventRefusal> {
        // The total is shared: only a second event of a command makes a copy of it.
        if let Some(last) = self.last.take() {
            Arc::make_mut(&mut self.total).add(last);
        }
        let (before, after) = (self.total.value(), self.total.value_with(event));
        if self.limit.refuses(before, after) {
            return Err(EventRefusal::Capped(self.limit.cap_quantity));
        }
        self.last = Some(event);
        let exceeds = !self.noted && self.limit.is_crossed(before, after);
        self.noted |= exceeds;
        Ok(exceeds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::billing::usage::{Aggregation, CapMode, EventKey, MetricName};
    use crate::domain::ids::ContractId;
    use crate::domain::quantity::Quantity;

    fn now() -> Timestamp {
        Timestamp::parse("2026-11-21T09:00:00Z").expect("an instant")
    }

    fn event(quantity: &str, key: &str) -> NewEvent {
        let name = MetricName::parse("m").expect("a name");
        let quantity = Quantity::parse(quantity).expect("a quantity");
        NewEvent::new(
            ContractId(1),
            name,
            quantity,
            now(),
            EventKey::parse(key).expect("a key"),
            None,
        )
    }

    fn metric() -> Metric {
        Metric {
            name: MetricName::parse("m").expect("a name"),
            version: 1,
            unit: "piece".to_owned(),
            aggregation: Aggregation::Sum,
            unique_key: None,
            description: None,
            created_at: now(),
        }
    }

    fn used(mode: CapMode, noted: bool) -> LimitedUse {
        let limit = UsageLimit { cap_quantity: Quantity::whole(10), mode };
        LimitedUse::new(limit, noted, Arc::default())
    }

    #[test]
    fn a_hard_limit_counts_what_the_command_has_taken_and_not_what_it_refused() {
        let (mut used, metric) = (used(CapMode::Hard, false), metric());
        for (quantity, taken) in [("6", true), ("5", false), ("4", true), ("0", true), ("1", false)]
        {
            let admitted =
                admit(&event(quantity, "k"), Some(&metric), false, Some(&mut used), now());
            assert_eq!(admitted.is_ok(), taken, "{quantity}");
            if let Err(refusal) = admitted {
                assert_eq!(refusal, EventRefusal::Capped(Quantity::whole(10)));
            }
        }
    }

    #[test]
    fn a_soft_limit_is_noted_once_a_period_and_refuses_nothing() {
        for (noted, expected) in [(false, [false, true, false]), (true, [false; 3])] {
            let (mut used, metric) = (used(CapMode::Soft, noted), metric());
            let exceeds = ["10", "1", "1"].map(|quantity| {
                let one = event(quantity, "k");
                let admitted = admit(&one, Some(&metric), false, Some(&mut used), now());
                admitted.expect("taken").exceeds
            });
            assert_eq!(exceeds, expected);
        }
    }

    #[test]
    fn an_event_of_a_closed_day_is_late_whatever_the_limit() {
        let (mut used, metric) = (used(CapMode::Hard, false), metric());
        let one = event("11", "k");
        let late = admit(&one, Some(&metric), true, Some(&mut used), now()).expect("taken");
        assert!(late.late && !late.exceeds);
        let refused = admit(&one, None, true, None, now());
        assert_eq!(refused, Err(EventRefusal::Unregistered("m".to_owned())));
    }

    #[test]
    fn a_used_key_answers_its_event_and_no_other() {
        let one = event("1", "k");
        let known = KeyUse { payload: one.payload, event: UsageEventId(7) };
        assert_eq!(KeyUse::of_taken(known.taken()), known);
        let again = Ingested { event: UsageEventId(7), duplicate: true, metered: true, late: true };
        assert_eq!(known.repeated(&one, true, true), Ok(again));
        let other = event("2", "k");
        assert_eq!(known.repeated(&other, true, false), Err(EventRefusal::KeyReused));
    }
}
