//! What a subscription costs: its price and plan, the change of plan that waits for its day, and
//! what all of it brings a month.

use rust_decimal::Decimal;

use super::Subscription;
use super::names::Frequency;
use super::refusal::SubscriptionRefusal;
use crate::domain::ids::SubscriptionId;
use crate::domain::money::{
    AMOUNT_LIMIT, Currency, MoneyError, PRICE_LIMIT, round_half_up, share_half_up,
};
use crate::domain::quantity::{Quantity, TaxRate};
use crate::domain::time::Date;

const WEEKS_OF_A_YEAR: i64 = 52;
const MONTHS_OF_A_YEAR: i64 = 12;

/// What a term costs: a plan without its frequency.
#[derive(Clone, Copy, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct Price {
    /// Minor units for one unit of quantity and one whole term, before tax.
    #[n(0)]
    pub price_minor: i64,
    #[n(1)]
    pub quantity: Quantity,
    /// The rate of its own; without one the seller's default holds when the invoice is issued.
    #[n(2)]
    pub tax_rate: Option<TaxRate>,
}

impl Price {
    /// What a whole term costs: quantity times price, rounded half up.
    pub fn amount(&self) -> Result<i64, MoneyError> {
        let exact = self.quantity.value().checked_mul(Decimal::from(self.price_minor));
        exact.ok_or(MoneyError::TooLarge).and_then(round_half_up)
    }

    /// What a whole term costs. A price that a subscription took is within the limit; the limit
    /// itself stands for any other.
    pub(super) fn whole(&self) -> i64 {
        self.amount().unwrap_or(AMOUNT_LIMIT)
    }

    /// What `days` of a term of `of` days cost, rounded half up.
    pub(super) fn of_days(&self, days: i64, of: i64) -> i64 {
        share_half_up(self.whole(), days, of)
    }
}

/// Refuses a price that is out of range, by itself or times its quantity.
pub(super) fn check_price(price: Price) -> Result<(), SubscriptionRefusal> {
    if !(0..=PRICE_LIMIT).contains(&price.price_minor) {
        return Err(SubscriptionRefusal::PriceOutOfRange);
    }
    price.amount().map(|_| ()).map_err(|_| SubscriptionRefusal::AmountTooLarge)
}

/// A plan change that waits for its day. What it does not state stays as it is then.
#[derive(Clone, Copy, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct PendingChange {
    #[n(0)]
    pub price_minor: Option<i64>,
    #[n(1)]
    pub quantity: Option<Quantity>,
    #[n(2)]
    pub frequency: Option<Frequency>,
    #[n(3)]
    pub tax_rate: Option<TaxRate>,
    /// First day of the first term that has it.
    #[n(4)]
    pub effective_date: Date,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    pub price: Price,
    pub frequency: Frequency,
}

impl PendingChange {
    pub fn applied_to(&self, plan: Plan) -> Plan {
        Plan {
            price: Price {
                price_minor: self.price_minor.unwrap_or(plan.price.price_minor),
                quantity: self.quantity.unwrap_or(plan.price.quantity),
                tax_rate: self.tax_rate.or(plan.price.tax_rate),
            },
            frequency: self.frequency.unwrap_or(plan.frequency),
        }
    }
}

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
