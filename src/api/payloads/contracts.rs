//! Of contracts: invoices, stored credit and subscriptions.

use actors::domain::billing::credit::CreditType;
use actors::domain::billing::invoice::{InvoiceStatus, InvoiceType, Origin};
use actors::domain::billing::subscription::SubscriptionStatus;
use actors::domain::money::Currency;
use actors::domain::time::Date;
use serde::Serialize;
use utoipa::ToSchema;
use utoipa::openapi::schema::Object;

use crate::api::wire::words;

/// An invoice or a credit note as it then stood.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct InvoicePayload {
    invoice_id: u64,
    contract_id: u64,
    seller_customer_id: u64,
    origin: Origin,
    status: InvoiceStatus,
    invoice_type: InvoiceType,
    currency: Currency,
    grand_total_minor: i64,
    collectible_minor: i64,
    outstanding_minor: i64,
    issue_date: Date,
    invoice_number: Option<String>,
    due_date: Option<Date>,
}

/// An invoice of which its buyer was reminded.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct InvoiceReminderPayload {
    #[serde(flatten)]
    invoice: InvoicePayload,
    /// Days from its due date; below 0 before it.
    reminder_day: i32,
}

/// What stored credit paid of an invoice.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CreditAppliedPayload {
    contract_id: u64,
    invoice_id: u64,
    amount_minor: i64,
    currency: Currency,
    /// What is left of the credit, with what the document has made of plan changes.
    balance_minor: i64,
}

/// Which credit is used up.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CreditDepletedPayload {
    contract_id: u64,
    currency: Currency,
    credit_type: CreditType,
}

/// A pack of credit that could not be paid.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AutoTopupFailedPayload {
    contract_id: u64,
    invoice_id: u64,
    #[schema(required)]
    invoice_number: Option<String>,
    currency: Currency,
    /// The credit that it was to bring.
    amount_minor: i64,
    /// What its invoice asks for.
    total_minor: i64,
    /// In words.
    reason: String,
}

/// A subscription of a contract as it then stood.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SubscriptionPayload {
    subscription_id: u64,
    contract_id: u64,
    seller_customer_id: u64,
    status: SubscriptionStatus,
    price_minor: i64,
    currency: Currency,
    current_period_start: Option<Date>,
    current_period_end: Option<Date>,
}

/// A subscription of a contract whose trial ends.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct BillingTrialPayload {
    #[schema(schema_with = billing)]
    source: String,
    subscription_id: u64,
    contract_id: u64,
    trial_end: Date,
    /// What the first paid term charges.
    amount_minor: i64,
    currency: Currency,
}

fn billing() -> Object {
    words(["billing"].into_iter())
}
