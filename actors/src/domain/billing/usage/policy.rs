//! Limits on what a contract may use of a metric in a period.

use super::units::Units;
use crate::domain::names::names;
use crate::domain::quantity::Quantity;

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

#[cfg(test)]
mod tests {
    use super::*;

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
