//! How amounts came about that are no plain product of quantity and price: kept
//! with the line, so that whoever reads it can compute the amount again.

use crate::domain::billing::pricing::UsageBreakdown;
use crate::domain::billing::subscription::{Price, Proration, ProrationPart};
use crate::domain::ids::ProrationId;
use crate::domain::money::share_half_up;
use crate::domain::quantity::Quantity;

#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub enum RatingBreakdown {
    #[n(0)]
    CutTerm(#[n(0)] DaysCharged),
    #[n(1)]
    Proration(#[n(0)] ProrationBreakdown),
    #[n(2)]
    Usage(#[n(0)] Box<UsageBreakdown>),
}

/// A price for a whole term of which some days are charged.
#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct DaysCharged {
    /// Price of one for the whole term, in minor units.
    #[n(0)]
    pub price_minor: i64,
    #[n(1)]
    pub quantity: Quantity,
    #[n(2)]
    pub days: i64,
    #[n(3)]
    pub term_days: i64,
}

/// A change of plan within a term: the days left of it were charged at the old price, which is
/// the credit leg, and cost the new one from now on, which is the charge leg.
#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct ProrationBreakdown {
    #[n(0)]
    pub proration: ProrationId,
    #[n(1)]
    pub part: ProrationPart,
    #[n(2)]
    pub days: i64,
    #[n(3)]
    pub term_days: i64,
    #[n(4)]
    pub credit: ProrationLeg,
    #[n(5)]
    pub charge: ProrationLeg,
    /// What earlier invoices carried of the same part, and what of it became stored credit, in
    /// minor units, 0 or more.
    #[n(6)]
    pub earlier_minor: i64,
    /// What is left of the part, for later ones or as stored credit, in minor units, 0 or more.
    #[n(7)]
    pub left_minor: i64,
}

#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct ProrationLeg {
    /// Price of one for the whole term, in minor units.
    #[n(0)]
    pub price_minor: i64,
    #[n(1)]
    pub quantity: Quantity,
    /// The price for the days left, in minor units, 0 or more.
    #[n(2)]
    pub amount_minor: i64,
}

/// A part of a proration credit that lowers a line.
#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct AppliedCredit {
    #[n(0)]
    pub breakdown: ProrationBreakdown,
    /// How much of it, in minor units, above 0.
    #[n(1)]
    pub amount_minor: i64,
    /// Which change of plan it comes from.
    #[n(2)]
    #[cbor(default)]
    pub description: String,
}

impl DaysCharged {
    pub const FORMULA: &str =
        "priceMinor × quantity, rounded half up, × days / termDays, rounded half up";
}

impl ProrationBreakdown {
    /// The change behind `record`, with `part` of it carried and nothing left of it.
    pub fn of(id: ProrationId, record: &Proration, part: ProrationPart) -> Self {
        Self {
            proration: id,
            part,
            days: record.days_left,
            term_days: record.days_in_term,
            credit: ProrationLeg::of(record.old, record.credit_minor),
            charge: ProrationLeg::of(record.new, record.charge_minor),
            earlier_minor: record.taken_minor(part),
            left_minor: 0,
        }
    }

    pub fn formula(&self) -> &'static str {
        match self.part {
            ProrationPart::Net => {
                "charge.amountMinor − credit.amountMinor, nearer to 0 by earlierMinor and \
                 leftMinor; each leg is priceMinor × quantity, rounded half up, × days / \
                 termDays, rounded half up, the credit at most its limitMinor"
            }
            ProrationPart::Charge => {
                "charge.amountMinor, less earlierMinor and leftMinor; it is priceMinor × \
                 quantity, rounded half up, × days / termDays, rounded half up"
            }
            ProrationPart::Credit => {
                "0 − (credit.amountMinor − earlierMinor − leftMinor); credit.amountMinor is \
                 priceMinor × quantity, rounded half up, × days / termDays, rounded half up, at \
                 most its limitMinor"
            }
        }
    }

    /// What is carried here by these figures, in minor units; negative for a credit.
    pub fn carried_minor(&self) -> i64 {
        let whole = match self.part {
            ProrationPart::Net => self.charge.amount_minor - self.credit.amount_minor,
            ProrationPart::Charge => self.charge.amount_minor,
            ProrationPart::Credit => -self.credit.amount_minor,
        };
        whole - whole.signum() * (self.earlier_minor + self.left_minor)
    }

    /// The most that could be credited, in minor units, where that was less than the price for
    /// the days left: what the term had been charged less earlier credits.
    pub fn credit_limit_minor(&self) -> Option<i64> {
        let leg = &self.credit;
        let by_days = leg.by_days(self.days, self.term_days);
        (leg.amount_minor < by_days).then_some(leg.amount_minor)
    }
}

impl ProrationLeg {
    fn of(price: Price, amount_minor: i64) -> Self {
        Self { price_minor: price.price_minor, quantity: price.quantity, amount_minor }
    }

    /// The price for `days` of a term of `term_days`, each step rounded half up.
    fn by_days(&self, days: i64, term_days: i64) -> i64 {
        let price =
            Price { price_minor: self.price_minor, quantity: self.quantity, tax_rate: None };
        share_half_up(price.amount().unwrap_or(i64::MAX), days, term_days)
    }
}
