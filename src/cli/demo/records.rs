//! The parts of the API's answers that the demonstration reads back, checks and shows.

use actors::domain::time::{Date, Timestamp};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// An answer as the record it must be; what is missing in it is named.
pub(super) fn record<T: DeserializeOwned>(what: &str, value: Value) -> anyhow::Result<T> {
    serde_path_to_error::deserialize(value)
        .map_err(|e| anyhow::anyhow!("unexpected answer for {what}: {e}"))
}

/// A list's rows as the records they must be.
pub(super) fn records<T: DeserializeOwned>(what: &str, rows: Vec<Value>) -> anyhow::Result<Vec<T>> {
    rows.into_iter().map(|row| record(what, row)).collect()
}

/// A minted sandbox account (decisions 2).
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Account {
    pub(super) seller_account_id: u64,
    pub(super) seller_account_uuid: String,
    pub(super) api_key: String,
    pub(super) expires_at: Timestamp,
}

/// One version of a contract.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ContractVersion {
    pub(super) version: u64,
    pub(super) status: String,
    #[serde(default)]
    pub(super) contract_number: String,
    #[serde(default)]
    pub(super) customer_name: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Subscription {
    pub(super) id: u64,
    pub(super) status: String,
    #[serde(default)]
    pub(super) description: String,
    pub(super) price_minor: i64,
    pub(super) currency: String,
    pub(super) trial_end: Option<Date>,
    pub(super) current_period_start: Option<Date>,
    pub(super) current_period_end: Option<Date>,
    pub(super) cancel_at: Option<Date>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Invoice {
    pub(super) id: u64,
    pub(super) invoice_number: String,
    pub(super) status: String,
    pub(super) subtotal_minor: i64,
    pub(super) discount_minor: i64,
    pub(super) tax_minor: i64,
    pub(super) grand_total_minor: i64,
    pub(super) collectible_minor: i64,
    pub(super) outstanding_minor: i64,
    pub(super) payment_url: Option<String>,
    #[serde(default)]
    pub(super) lines: Vec<Line>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Line {
    pub(super) source: String,
    #[serde(default)]
    pub(super) description: String,
    pub(super) unit_price_minor: Option<i64>,
    #[serde(default)]
    pub(super) discount_minor: i64,
    pub(super) amount_minor: i64,
    #[serde(default)]
    pub(super) tax_minor: i64,
    pub(super) period_start: Option<Date>,
    pub(super) period_end: Option<Date>,
}

/// The settlement trail of an invoice (billing 2.10).
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Settlement {
    pub(super) invoice_number: String,
    pub(super) paid_via: Option<String>,
    #[serde(default)]
    pub(super) payments: Vec<Payment>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Payment {
    pub(super) payment_id: String,
    pub(super) status: String,
    pub(super) amount_minor: i64,
    pub(super) currency: String,
}

impl Payment {
    /// Whether the buyer's money came.
    pub(super) fn succeeded(&self) -> bool {
        ["provider_completed", "settled", "deposit_confirmed"].contains(&self.status.as_str())
    }
}

#[derive(Debug, Deserialize)]
pub(super) struct TestClock {
    pub(super) now: Timestamp,
}

/// What an advance of the test clock answers (billing 2.11).
#[derive(Debug, Deserialize)]
pub(super) struct Advance {
    pub(super) clock: TestClock,
    pub(super) lifecycle: Lifecycle,
    pub(super) invoices: Issued,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Lifecycle {
    pub(super) trials_activated: u64,
    pub(super) trials_canceled: u64,
    pub(super) trials_past_due: u64,
    pub(super) renewed: u64,
    pub(super) resumed: u64,
    pub(super) canceled: u64,
    pub(super) expired: u64,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Issued {
    pub(super) issued: u64,
    pub(super) sent: u64,
    pub(super) failed: u64,
}

#[derive(Debug, Deserialize)]
pub(super) struct TimelineEntry {
    pub(super) kind: String,
}

/// A delivery as the server tells of it (decisions 7).
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Delivery {
    pub(super) event_id: u64,
    pub(super) status: String,
}

/// The answer of a hosted page's form (decisions 11, "Pages").
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct PageAnswer {
    pub(super) status: String,
    pub(super) action_url: Option<String>,
    pub(super) failure_code: Option<u32>,
    pub(super) redirect_url: Option<String>,
}
