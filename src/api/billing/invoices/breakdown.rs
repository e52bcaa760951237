//! How a computed amount came about, so that its reader can compute it again.

use std::borrow::Cow;

use actors::domain::billing::invoice::{
    DaysCharged, ProrationBreakdown, ProrationLeg, RatingBreakdown,
};
use actors::domain::billing::pricing::UsageBreakdown;
use actors::domain::billing::subscription::ProrationPart;
use actors::domain::quantity::Quantity;
use serde::Serialize;
use serde_with::skip_serializing_none;
use utoipa::ToSchema;

use super::RatedUsageView;

/// How an amount came about. A cut term has `priceMinor` and `quantity`; a change of plan has
/// both legs; usage and seats have what they were rated by.
#[skip_serializing_none]
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RatingBreakdownView {
    /// How the figures make the amount.
    formula: Cow<'static, str>,
    /// Days charged, or left of the term; not of usage.
    days: Option<i64>,
    /// Days in the whole term; not of usage.
    term_days: Option<i64>,
    /// Of a cut term: price of one for the whole term.
    price_minor: Option<i64>,
    /// Of a cut term: how many.
    quantity: Option<Quantity>,
    #[serde(flatten)]
    change: Option<PartView>,
    #[serde(flatten)]
    usage: Option<RatedUsageView>,
}

/// A change of plan, and what of it is carried here.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PartView {
    /// The record of the change.
    proration_id: u64,
    /// `net`: both legs, which have one tax rate; else the leg by itself, `charge` or `credit`,
    /// taxed with its own.
    carries: &'static str,
    /// The old price for the days left.
    credit: LegView,
    /// The new price for the days left.
    charge: LegView,
    /// What earlier invoices carried of the same, and what of it became stored credit.
    earlier_minor: i64,
    /// What is left of it, for later ones or as stored credit.
    left_minor: i64,
}

/// One leg of a change of plan.
#[skip_serializing_none]
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LegView {
    /// Price of one for the whole term.
    price_minor: i64,
    quantity: Quantity,
    /// The price for the days left.
    amount_minor: i64,
    /// Of a credit that is less than its days: what the term had been charged, less earlier
    /// credits.
    limit_minor: Option<i64>,
}

impl From<&RatingBreakdown> for RatingBreakdownView {
    fn from(of: &RatingBreakdown) -> Self {
        match of {
            RatingBreakdown::CutTerm(charged) => charged.into(),
            RatingBreakdown::Proration(change) => change.into(),
            RatingBreakdown::Usage(usage) => usage.as_ref().into(),
        }
    }
}

impl From<&DaysCharged> for RatingBreakdownView {
    fn from(of: &DaysCharged) -> Self {
        Self {
            formula: DaysCharged::FORMULA.into(),
            days: Some(of.days),
            term_days: Some(of.term_days),
            price_minor: Some(of.price_minor),
            quantity: Some(of.quantity),
            change: None,
            usage: None,
        }
    }
}

impl From<&ProrationBreakdown> for RatingBreakdownView {
    fn from(of: &ProrationBreakdown) -> Self {
        let carries = match of.part {
            ProrationPart::Net => "net",
            ProrationPart::Charge => "charge",
            ProrationPart::Credit => "credit",
        };
        Self {
            formula: of.formula().into(),
            days: Some(of.days),
            term_days: Some(of.term_days),
            price_minor: None,
            quantity: None,
            change: Some(PartView {
                proration_id: of.proration.0,
                carries,
                credit: LegView::new(&of.credit, of.credit_limit_minor()),
                charge: LegView::new(&of.charge, None),
                earlier_minor: of.earlier_minor,
                left_minor: of.left_minor,
            }),
            usage: None,
        }
    }
}

impl From<&UsageBreakdown> for RatingBreakdownView {
    fn from(of: &UsageBreakdown) -> Self {
        Self {
            formula: of.formula().into(),
            days: None,
            term_days: None,
            price_minor: None,
            quantity: None,
            change: None,
            usage: Some(of.into()),
        }
    }
}

impl LegView {
    fn new(of: &ProrationLeg, limit_minor: Option<i64>) -> Self {
        let ProrationLeg { price_minor, quantity, amount_minor } = *of;
        Self { price_minor, quantity, amount_minor, limit_minor }
    }
}
