//! What the recurring invoice is composed of, and what it takes.

use crate::domain::billing::invoice::{
    CollectionMethod, InvoiceLine, InvoiceRefusal, ProrationBreakdown,
};
use crate::domain::billing::subscription::{
    Proration, ProrationKind, ProrationPart, Subscription, Term,
};
use crate::domain::billing::tax::{StatedTax, with_tax};
use crate::domain::ids::{ProrationId, SubscriptionId};
use crate::domain::quantity::{Quantity, TaxRate};
use crate::domain::time::Date;

/// A term that is due: begun, and claimed by no document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecurringLine {
    pub subscription: SubscriptionId,
    pub description: String,
    pub period_start: Date,
    /// First day after the term, or after its part that is served.
    pub period_end: Date,
    /// In force on the term's first day.
    pub quantity: Quantity,
    /// Price of one for the whole term, in minor units.
    pub price_minor: i64,
    pub cut: Option<CutTerm>,
    /// The subscription's rate; the seller's default when it has none.
    pub tax_rate: Option<TaxRate>,
    /// How the subscription asks to be collected.
    pub collection_method: CollectionMethod,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CutTerm {
    pub days: i64,
    pub term_days: i64,
    /// What they cost together, rounded half up, in minor units.
    pub amount_minor: i64,
}

/// An open part of a proration of the contract.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProrationLine {
    pub subscription: SubscriptionId,
    /// A charge is a line of its own; a credit lowers what its subscription is billed.
    pub kind: ProrationKind,
    pub description: String,
    /// What no document took yet of the part, in minor units, 0 or more.
    pub open_minor: i64,
    /// How many, by the plan that stands behind the part.
    pub quantity: Quantity,
    /// The rate of that plan; the seller's default when it has none.
    pub tax_rate: Option<TaxRate>,
    /// Of a credit: how the term was taxed whose days it gives back, where that is known and the
    /// plan has no rate of its own.
    pub billed_tax: Option<StatedTax>,
    pub period_start: Date,
    /// First day after the term.
    pub period_end: Date,
    pub breakdown: ProrationBreakdown,
    /// Whether no later document carries a term of its subscription: a charge asks for a document
    /// by itself then, and a credit lowers the charges beside it.
    pub last: bool,
    /// How the subscription asks to be collected.
    pub collection_method: CollectionMethod,
}

/// What a document takes from one part of a proration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConsumedProration {
    pub proration: ProrationId,
    pub part: ProrationPart,
    /// How much of the part, in minor units.
    pub amount_minor: i64,
    /// How much of it stays open; 0 closes the part.
    pub left_minor: i64,
}

/// What is left of a credit that no line has room for, to become stored credit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CreditLeft {
    pub proration: ProrationId,
    pub part: ProrationPart,
    /// Net of tax, minor units, above 0.
    pub net_minor: i64,
    /// The rate of the plan that it gives back, if that has one of its own.
    pub tax_rate: Option<TaxRate>,
    pub description: String,
}

/// What is left of the credits on a document of these lines, but for those that wait for a line of
/// another.
pub fn credits_left(
    bound: &[ProrationLine],
    lines: &[InvoiceLine],
    consumed: &[ConsumedProration],
) -> Vec<CreditLeft> {
    let credits = bound.iter().filter(|line| line.kind == ProrationKind::Credit);
    let credits = credits.filter(|credit| !credit.waits_after(lines));
    let left = |credit: &ProrationLine| {
        let ProrationBreakdown { proration, part, .. } = credit.breakdown;
        let taken = consumed.iter().filter(|one| (one.proration, one.part) == (proration, part));
        let net_minor = credit.open_minor - taken.map(|one| one.amount_minor).sum::<i64>();
        (net_minor > 0).then(|| CreditLeft {
            proration,
            part,
            net_minor,
            tax_rate: credit.tax_rate,
            description: credit.description.clone(),
        })
    };
    credits.filter_map(left).collect()
}

impl CreditLeft {
    /// All that is open of a proration, where no document is to carry it any more.
    pub fn of(id: ProrationId, record: &Proration, subscription: &Subscription) -> Vec<Self> {
        let words = subscription.description.as_deref();
        let left = |part| Self {
            proration: id,
            part,
            net_minor: record.open_minor(part),
            tax_rate: record.side_of(part).1.tax_rate,
            description: described(record, part, words),
        };
        record.open_credits().map(left).collect()
    }

    /// With its tax at a rate, minor units.
    pub fn gross_minor(&self, rate: TaxRate) -> i64 {
        // Tax is at most as much again as the net part, which is within the limit.
        with_tax(self.net_minor, rate).unwrap_or(2 * self.net_minor)
    }
}

impl RecurringLine {
    pub fn of(subscription: &Subscription, term: &Term) -> Result<Self, InvoiceRefusal> {
        let line = term.line(subscription.description.as_deref())?;
        Ok(Self {
            subscription: subscription.id,
            description: line.description,
            period_start: line.period.start,
            period_end: line.period.end,
            quantity: line.quantity,
            price_minor: term.price_minor,
            cut: line.cut.map(|(days, term_days, _)| CutTerm {
                days,
                term_days,
                amount_minor: line.amount_minor,
            }),
            tax_rate: line.tax_rate,
            collection_method: subscription.collection_method,
        })
    }
}

impl ProrationLine {
    /// The parts of a proration that are still open, or were never shown: one where both legs
    /// have one tax rate, else each leg by itself, taxed with its own rate. `last`: no document
    /// after this one carries a term of the subscription.
    pub fn parts_of(
        id: ProrationId,
        record: &Proration,
        subscription: &Subscription,
        last: bool,
    ) -> Vec<Self> {
        let words = subscription.description.as_deref();
        let mut lines = Vec::new();
        for part in record.parts() {
            let (open_minor, (kind, price)) = (record.open_minor(*part), record.side_of(*part));
            if open_minor == 0 && record.is_carried(*part) {
                continue;
            }
            lines.push(Self {
                subscription: record.subscription,
                kind,
                description: described(record, *part, words),
                open_minor,
                quantity: price.quantity,
                tax_rate: price.tax_rate,
                billed_tax: None,
                period_start: record.days.start,
                period_end: record.days.end,
                breakdown: ProrationBreakdown::of(id, record, *part),
                last,
                collection_method: subscription.collection_method,
            });
        }
        lines
    }
}

fn described(record: &Proration, part: ProrationPart, words: Option<&str>) -> String {
    let words = words.filter(|text| !text.is_empty()).unwrap_or("Subscription");
    let what = match part {
        ProrationPart::Net => "",
        ProrationPart::Charge => ", new price",
        ProrationPart::Credit => ", old price",
    };
    let (from, days, of) = (record.days.start, record.days_left, record.days_in_term);
    format!("{words}: plan change from {from} on{what} ({days} of {of} days)")
}
