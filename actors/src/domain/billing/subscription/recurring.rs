//! What a subscription brings a month.

use super::{Frequency, Subscription};
use crate::domain::ids::SubscriptionId;
use crate::domain::money::{Currency, share_half_up};

const WEEKS_OF_A_YEAR: i64 = 52;
const MONTHS_OF_A_YEAR: i64 = 12;

/// That a subscription brings another amount a month from some day on.
#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct RecurringMove {
    #[n(0)]
    pub subscription: SubscriptionId,
    #[n(1)]
    pub currency: Currency,
    /// Minor units a month; 0 before it is paid for.
    #[n(2)]
    pub before_minor: i64,
    /// The same; 0 once nothing is charged any more.
    #[n(3)]
    pub after_minor: i64,
}

impl storage::CborRecord for RecurringMove {}

impl Subscription {
    /// What it brings a month at the plan in force, before tax: a term's price spread evenly over
    /// its months, 52 weeks over twelve, rounded half up to a minor unit. Trials, pauses and what
    /// has ended bring nothing; what is past due is still charged for.
    pub fn recurring_minor(&self) -> i64 {
        match self.status.is_charged() {
            true => a_month(self.price().whole(), self.frequency),
            false => 0,
        }
    }
}

fn a_month(of_a_term: i64, frequency: Frequency) -> i64 {
    match frequency.months() {
        Some(months) => share_half_up(of_a_term, 1, i64::from(months)),
        None => share_half_up(of_a_term, WEEKS_OF_A_YEAR, MONTHS_OF_A_YEAR),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_term_is_spread_over_its_months() {
        for (frequency, of_a_term, expected) in [
            (Frequency::Weekly, 300, 1_300),
            (Frequency::Weekly, 1, 4),
            (Frequency::Monthly, 2_900, 2_900),
            (Frequency::Quarterly, 100, 33),
            (Frequency::Quarterly, 101, 34),
            (Frequency::Semiannual, 3, 1),
            (Frequency::Annual, 12_000, 1_000),
            (Frequency::Annual, 5, 0),
            (Frequency::Annual, 6, 1),
            (Frequency::Monthly, 0, 0),
        ] {
            assert_eq!(a_month(of_a_term, frequency), expected, "{of_a_term} {frequency}");
        }
    }
}
