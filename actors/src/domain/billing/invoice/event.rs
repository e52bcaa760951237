//! The events of an invoice as webhooks carry them.

use serde_json::{Value, json};

use crate::domain::billing::invoice::Invoice;
use crate::domain::platform::event::{EventType, NewEvent};
use crate::domain::time::Timestamp;

/// The event `kind` of an invoice as it stands; `at` is wall time. What has no value is left
/// out.
pub fn invoice_event(kind: EventType, invoice: &Invoice, at: Timestamp) -> NewEvent {
    let mut payload = json!({
        "invoiceId": invoice.id,
        "contractId": invoice.contract,
        "sellerCustomerId": invoice.customer,
        "origin": invoice.origin,
        "status": invoice.status,
        "invoiceType": invoice.invoice_type,
        "currency": invoice.currency,
        "grandTotalMinor": invoice.totals.grand_total_minor,
        "collectibleMinor": invoice.collectible_minor,
        "outstandingMinor": invoice.outstanding_minor,
        "issueDate": invoice.issue_date,
    });
    if let Some(number) = invoice.number {
        payload["invoiceNumber"] = Value::from(number.to_string());
    }
    if let Some(due) = invoice.due_date {
        payload["dueDate"] = Value::from(due.to_string());
    }
    NewEvent { kind, occurred_at: at, payload }
}
