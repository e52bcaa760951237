use super::names::Frequency;
use super::price::Price;
use crate::domain::quantity::{Quantity, TaxRate};
use crate::domain::time::Date;

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
