//! The closed lists of a price configuration.

use crate::domain::names::names;

names! {
    SchemeName;
    0 PerUnit = "per_unit",
    /// Every band charges its own units at its own price.
    1 Graduated = "graduated",
    /// The band that the total lands in prices all units.
    2 Volume = "volume",
    /// The band that the total lands in charges its flat amount.
    3 Tiered = "tiered",
    4 Package = "package",
    5 Percentage = "percentage",
    6 PerSeat = "per_seat",
}

names! {
    /// How the exact amount becomes whole minor units, once. No amount is negative here.
    Rounding;
    0 HalfUp = "half_up",
    /// To the nearest; a half goes to the even neighbour.
    1 HalfEven = "half_even",
    2 Up = "up",
    3 Down = "down",
}

names! {
    /// What becomes of included units that a period leaves.
    Rollover;
    0 None = "none",
    /// They go to the next period, and to that one only.
    1 Rollover = "rollover",
}
