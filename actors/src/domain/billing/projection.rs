//! What a contract's next invoice would be. An estimate: nothing is claimed, drawn or taxed.

use crate::domain::billing::invoice::{InvoiceLine, LineSource};
use crate::domain::billing::subscription::{Facts, Subscription, advance, next_wakeup};
use crate::domain::billing::test_clock::Moment;
use crate::domain::ids::ContractId;
use crate::domain::money::Currency;
use crate::domain::quantity::Quantity;
use crate::domain::time::{Date, Timestamp};

/// How many instants of a subscription are gone through for its next term: a trial and a pause end,
/// and a plan changes.
const MAX_WAKEUPS: usize = 64;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Projection {
    pub contract: ContractId,
    pub as_of: Timestamp,
    /// The first day on which a pass would issue; none when nothing is ahead.
    pub next_issue_date: Option<Date>,
    pub currency: Currency,
    pub lines: Vec<ProjectedLine>,
    /// All lines, before tax.
    pub subtotal_minor: i64,
    pub credit_available_minor: i64,
    pub credit_applied_minor: i64,
    pub notes: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProjectedLine {
    pub source: LineSource,
    pub description: String,
    pub quantity: Quantity,
    pub unit_price_minor: Option<i64>,
    /// Before tax; negative for what a plan change gives back.
    pub amount_minor: i64,
    pub period_start: Option<Date>,
    /// First day after what is billed.
    pub period_end: Option<Date>,
    pub note: Option<String>,
}

impl Projection {
    pub fn collectible_minor(&self) -> i64 {
        self.subtotal_minor - self.credit_applied_minor
    }
}

impl ProjectedLine {
    /// The lines of a document as they are shown here: what lowers one stands by itself.
    pub fn all_of(line: &InvoiceLine) -> Vec<Self> {
        let mut shown = vec![Self {
            source: line.source,
            description: line.description.clone(),
            quantity: line.quantity,
            unit_price_minor: line.unit_price_minor,
            amount_minor: line.gross_minor(),
            period_start: line.period_start,
            period_end: line.period_end,
            note: None,
        }];
        shown.extend(line.credits.iter().map(|credit| Self {
            source: LineSource::Proration,
            description: credit.description.clone(),
            quantity: Quantity::ONE,
            unit_price_minor: Some(-credit.amount_minor),
            amount_minor: -credit.amount_minor,
            period_start: line.period_start,
            period_end: line.period_end,
            note: Some("taken off the line of its subscription".to_owned()),
        }));
        shown
    }
}

/// A subscription as it will be when its next term is due to be billed, and that day; `None` where
/// no further term begins. `wall`: now, by the wall clock.
pub fn next_due(
    subscription: &Subscription,
    facts: &Facts,
    wall: Timestamp,
) -> Option<(Date, Subscription)> {
    let mut ahead = subscription.clone();
    for _ in 0..MAX_WAKEUPS {
        if let Some(day) = ahead.next_unbilled_due() {
            return Some((day, ahead));
        }
        let engine = next_wakeup(&ahead)?;
        let advanced = advance(&ahead, Moment { engine, ..Moment::of(None, wall) }, facts).change;
        if advanced.is_empty() {
            return None;
        }
        ahead = advanced.subscription;
    }
    None
}
