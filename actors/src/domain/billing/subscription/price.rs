use rust_decimal::Decimal;

use super::refusal::SubscriptionRefusal;
use crate::domain::money::{AMOUNT_LIMIT, MoneyError, PRICE_LIMIT, round_half_up, share_half_up};
use crate::domain::quantity::{Quantity, TaxRate};

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
