//! Limits on what a contract may use of a metric in a period.

use super::units::Units;
use crate::domain::names::names;
use crate::domain::quantity::Quantity;
use crate::domain::refusal::Refusal;

names! {
    /// What a limit does. The numbers are on disk.
    CapMode, "expected hard or soft";
    0 Hard = "hard",
    /// Going beyond it is told, and refuses nothing.
    1 Soft = "soft",
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct UsageLimit {
    /// The most that may be used; to reach it exactly is to keep it.
    #[n(0)]
    pub cap_quantity: Quantity,
    #[n(1)]
    pub mode: CapMode,
}

impl UsageLimit {
    /// Whether an event that takes the value from `before` to `after` is refused. One that does
    /// not raise it never is.
    pub fn refuses(&self, before: Units, after: Units) -> bool {
        self.mode == CapMode::Hard && after > before && self.is_exceeded_by(after)
    }

    /// Whether an event that takes the value from `before` to `after` is the first that is to be
    /// told of.
    pub fn is_crossed(&self, before: Units, after: Units) -> bool {
        self.mode == CapMode::Soft && !self.is_exceeded_by(before) && self.is_exceeded_by(after)
    }

    pub fn is_exceeded_by(&self, value: Units) -> bool {
        value > Units::from(self.cap_quantity)
    }
}

/// What is to become of a limit: what is left out stays as it is.
#[derive(Clone, Copy, Debug, Default)]
pub struct LimitChange {
    /// Nothing in it takes the limit away.
    pub cap_quantity: Option<Option<Quantity>>,
    pub mode: Option<CapMode>,
}

impl LimitChange {
    /// The limit after it.
    pub fn of(self, before: Option<UsageLimit>) -> Result<Option<UsageLimit>, Refusal> {
        let required = |name| Refusal::invalid(format!("{name} is required"));
        let cap_quantity = match self.cap_quantity {
            Some(Some(quantity)) => quantity,
            Some(None) => return Ok(None),
            None => before.ok_or_else(|| required("capQuantity"))?.cap_quantity,
        };
        let mode = self.mode.or(before.map(|limit| limit.mode));
        let mode = mode.ok_or_else(|| required("capMode"))?;
        Ok(Some(UsageLimit { cap_quantity, mode }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_out_of_a_change_stays_and_nothing_takes_the_limit_away() {
        let limit = |quantity, mode| UsageLimit { cap_quantity: Quantity::whole(quantity), mode };
        let soft = limit(300, CapMode::Soft);
        let change = |cap_quantity: Option<Option<u32>>, mode| {
            let cap_quantity = cap_quantity.map(|quantity| quantity.map(Quantity::whole));
            LimitChange { cap_quantity, mode }
        };
        let hard = Some(CapMode::Hard);
        let refused = |name| Err(Refusal::invalid(format!("{name} is required")));
        for (change, before, after) in [
            (change(None, hard), Some(soft), Ok(Some(limit(300, CapMode::Hard)))),
            (change(Some(Some(5)), None), Some(soft), Ok(Some(limit(5, CapMode::Soft)))),
            (change(Some(Some(5)), hard), None, Ok(Some(limit(5, CapMode::Hard)))),
            (change(Some(None), hard), Some(soft), Ok(None)),
            (change(Some(None), None), None, Ok(None)),
            (change(None, None), Some(soft), Ok(Some(soft))),
            (change(None, hard), None, refused("capQuantity")),
            (change(Some(Some(5)), None), None, refused("capMode")),
        ] {
            assert_eq!(change.of(before), after);
        }
    }

    #[test]
    fn a_limit_is_kept_by_what_reaches_it_and_by_what_does_not_rise() {
        let limit = |mode| UsageLimit { cap_quantity: Quantity::whole(10), mode };
        for (before, after, refused, crossed) in [
            (0, 10, false, false),
            (0, 11, true, true),
            (9, 11, true, true),
            (10, 11, true, true),
            (11, 12, true, false),
            // A minimum that falls, or a value that stays, raises nothing.
            (12, 11, false, false),
            (12, 12, false, false),
        ] {
            let (before, after) = (Units::whole(before), Units::whole(after));
            assert_eq!(limit(CapMode::Hard).refuses(before, after), refused);
            assert!(!limit(CapMode::Hard).is_crossed(before, after));
            assert_eq!(limit(CapMode::Soft).is_crossed(before, after), crossed);
            assert!(!limit(CapMode::Soft).refuses(before, after));
        }
    }
}
