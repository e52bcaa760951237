//! The parts of the metering answers that the chapter reads.

use actors::domain::time::{Date, Timestamp};
use rust_decimal::Decimal;
use serde::Deserialize;

/// The answer to one event (billing 2.8).
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Ingested {
    pub(super) status: String,
    pub(super) metered: bool,
    #[serde(default)]
    pub(super) late: bool,
}

#[derive(Debug, Deserialize)]
pub(super) struct BatchAnswer {
    pub(super) ingested: u64,
    pub(super) rejected: u64,
}

/// An uploaded file (decisions 6).
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Upload {
    pub(super) upload_id: u64,
    #[serde(default)]
    pub(super) status: String,
    #[serde(default)]
    pub(super) ingested: u64,
}

#[derive(Debug, Deserialize)]
pub(super) struct DeadLetter {
    pub(super) source: String,
    pub(super) status: String,
    pub(super) reason: String,
    pub(super) attempts: u64,
}

/// A metric of a contract's snapshot (billing 2.5).
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Used {
    pub(super) metric_name: String,
    pub(super) used: Decimal,
    pub(super) included_units: Option<Decimal>,
    pub(super) percent_of_plan: Option<Decimal>,
    pub(super) period_start: Option<Date>,
    pub(super) period_end: Option<Date>,
}

/// What one quantity costs (decisions 6).
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Evaluated {
    pub(super) quantity: Decimal,
    pub(super) amount_minor: i64,
    pub(super) lines: Vec<Band>,
}

/// A band of a rating.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Band {
    pub(super) from: Decimal,
    pub(super) up_to: Option<Decimal>,
    pub(super) quantity: Decimal,
    pub(super) unit_price: Option<Decimal>,
    /// Begun packages, where it is packages that have the price.
    pub(super) packages: Option<Decimal>,
    pub(super) amount: Decimal,
}

/// The limits that acted on an amount.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Flags {
    pub(super) included_units_applied: bool,
    pub(super) usage_cap_applied: bool,
    pub(super) minimum_applied: bool,
    pub(super) spend_cap_applied: bool,
}

/// How an amount came about.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Breakdown {
    /// How the figures make the amount.
    pub(super) formula: String,
    pub(super) used_units: Decimal,
    pub(super) billable_units: Decimal,
    /// The share that is charged, of a percentage.
    pub(super) percent_bps: Option<i64>,
    /// The amount before it is rounded.
    pub(super) exact_amount: Decimal,
    pub(super) lines: Vec<Band>,
    #[serde(default)]
    pub(super) flags: Flags,
}

/// A usage line of an invoice.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct UsageLine {
    pub(super) line_id: u64,
    pub(super) metric_name: String,
    pub(super) quantity: Decimal,
    pub(super) amount_minor: i64,
    pub(super) period_start: Date,
    pub(super) period_end: Date,
    pub(super) rating_breakdown: Breakdown,
}

/// An event behind a line.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Recorded {
    pub(super) event_id: u64,
    pub(super) quantity: Decimal,
    pub(super) occurred_at: Timestamp,
    pub(super) idempotency_key: String,
}

/// A point of a series.
#[derive(Debug, Deserialize)]
pub(super) struct Point {
    pub(super) start: Timestamp,
    pub(super) quantity: Decimal,
}

/// A closed period, billed and at another price.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Tested {
    pub(super) period_start: Date,
    pub(super) period_end: Date,
    pub(super) quantity: Decimal,
    pub(super) billed_minor: i64,
    pub(super) would_be_minor: i64,
    pub(super) difference_minor: i64,
}
