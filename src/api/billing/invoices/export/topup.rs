//! A top-up invoice among the others: what it has of what they have.

use actors::domain::billing::invoice::{CollectionMethod, InvoiceType};
use actors::domain::money::Currency;
use actors::domain::payments::topup::{TopupInvoice, TopupStatus};
use actors::domain::time::{Date, Timestamp};
use serde::Serialize;
use serde_with::skip_serializing_none;

/// Of no other invoice.
pub(super) const ORIGIN: &str = "topup";

/// What it lacks of the fields of others is said where the export is described.
#[skip_serializing_none]
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct TopupRow {
    pub(super) id: u64,
    pub(super) invoice_number: String,
    pub(super) origin: &'static str,
    pub(super) status: &'static str,
    pub(super) invoice_type: InvoiceType,
    pub(super) currency: Currency,
    pub(super) issue_date: Date,
    pub(super) issued_at: Timestamp,
    pub(super) due_date: Date,
    /// When the last of what was asked for came.
    pub(super) paid_at: Option<Timestamp>,
    pub(super) subtotal_minor: i64,
    pub(super) discount_minor: i64,
    pub(super) tax_minor: i64,
    pub(super) grand_total_minor: i64,
    pub(super) credit_applied_minor: i64,
    pub(super) collectible_minor: i64,
    pub(super) outstanding_minor: i64,
    pub(super) collection_method: CollectionMethod,
}

impl TopupRow {
    pub(super) fn of(of: &TopupInvoice, now: Timestamp) -> Self {
        let (status, amount) = (of.status(now), of.amount.minor);
        let paid_at = of.deposits.last().map(|last| last.at);
        Self {
            id: of.id.0,
            invoice_number: of.number.to_string(),
            origin: ORIGIN,
            status: status.name(),
            invoice_type: InvoiceType::Standard,
            currency: of.amount.currency,
            issue_date: of.issued_at.date(),
            issued_at: of.issued_at,
            due_date: of.due_at.date(),
            paid_at: paid_at.filter(|_| status == TopupStatus::Paid),
            subtotal_minor: amount,
            discount_minor: 0,
            tax_minor: 0,
            grand_total_minor: amount,
            credit_applied_minor: 0,
            collectible_minor: amount,
            outstanding_minor: of.outstanding_minor(),
            collection_method: CollectionMethod::BankTransfer,
        }
    }
}
