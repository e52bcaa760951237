//! The events of an invoice and of its payment link as webhooks carry them.

use serde_json::{Value, json};

use crate::domain::billing::invoice::{Invoice, InvoiceStatus, PaymentReceived};
use crate::domain::platform::event::{EventType, NewEvent};
use crate::domain::time::Timestamp;

/// The event `kind` of an invoice as it stands, with the body that webhooks are sent; `at` is wall
/// time. What has no value is left out.
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

/// The event `kind` of the link that an invoice is paid by; none of one that was never sent with
/// a link. The link's address is a secret of its buyer, and in no event.
pub(super) fn link_event(kind: EventType, invoice: &Invoice, at: Timestamp) -> Option<NewEvent> {
    let link = invoice.link.as_ref()?;
    let number = invoice.number.map(|number| number.to_string()).unwrap_or_default();
    let counts = |payment: &&PaymentReceived| payment.reversed_at.is_none();
    let payload = json!({
        "paymentLinkId": link.id,
        "status": match invoice.status {
            InvoiceStatus::Paid => "paid",
            InvoiceStatus::Voided | InvoiceStatus::WrittenOff => "cancelled",
            _ => "active",
        },
        "title": format!("Invoice {number}"),
        "amountMinor": invoice.outstanding_minor,
        "currency": invoice.currency,
        "singleUse": true,
        "usageCount": invoice.payments.iter().filter(counts).count(),
        "recipientEmail": invoice.bill_to.email.as_str(),
        "invoiceId": invoice.id,
        "invoiceNumber": number,
        "contractId": invoice.contract,
        "sellerCustomerId": invoice.customer,
    });
    Some(NewEvent { kind, occurred_at: at, payload })
}
