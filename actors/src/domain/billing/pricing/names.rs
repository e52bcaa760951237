//! The closed lists of a price configuration (billing 2.7).

use crate::domain::names::names;

names! {
    /// How units become money.
    SchemeName;
    /// Every unit costs the same.
    0 PerUnit = "per_unit",
    /// Every band charges its own units at its own price.
    1 Graduated = "graduated",
    /// The band that the total lands in prices all units.
    2 Volume = "volume",
    /// The band that the total lands in charges its flat amount.
    3 Tiered = "tiered",
    /// Every package that was begun costs the same.
    4 Package = "package",
    /// A share of a quantity that is money itself.
    5 Percentage = "percentage",
    /// Seats by the day.
    6 PerSeat = "per_seat",
}

names! {
    /// How the exact amount becomes whole minor units, once. No amount is negative here.
    Rounding;
    /// To the nearest; a half goes up.
    0 HalfUp = "half_up",
    /// To the nearest; a half goes to the even neighbour.
    1 HalfEven = "half_even",
    /// Whatever is begun counts as a whole.
    2 Up = "up",
    /// Whatever is begun is dropped.
    3 Down = "down",
}

names! {
    /// What becomes of included units that a period leaves.
    Rollover;
    /// They lapse.
    0 None = "none",
    /// They go to the next period, and to that one only.
    1 Rollover = "rollover",
}
