//! The rows, each from its record alone.

use actors::domain::billing::invoice::{
    BillTo, Change, ContractFacts, SellerFacts, compose_manual, issue,
};
use actors::domain::billing::test_clock::Moment;
use actors::domain::email::Email;
use actors::domain::ids::{ContractId, CustomerId, InvoiceId, SellerId};
use actors::domain::money::Currency;
use actors::domain::platform::seller::NewSeller;
use actors::domain::time::Timestamp;
use serde_json::json;

use super::*;
use crate::api::billing::invoices::NewInvoiceBody;

fn moment() -> Moment {
    Moment::of(None, Timestamp::parse("2027-01-15T09:00:00Z").expect("an instant"))
}

/// An invoice over 100.00 that is issued and was not sent.
fn issued() -> Invoice {
    let body = json!({
        "contractId": 7, "origin": "project", "send": false,
        "lines": [{
            "description": "Work", "quantity": "1", "unitPriceMinor": 10_000, "taxRate": "0",
        }],
    });
    let body: NewInvoiceBody = serde_json::from_value(body).expect("a body");
    let request = body.parse(None).expect("valid");
    let account = NewSeller::parse("Byron Ltd", "office@example.com", Some("DE"), None);
    let account = account.expect("a seller");
    let account = account.live(SellerId(1), uuid::Uuid::nil(), 1_000_001, moment().wall);
    let facts = ContractFacts {
        id: ContractId(7),
        number: None,
        customer: CustomerId(4),
        currency: Currency::EUR,
        bill_to: BillTo::from(Email::parse("ada@example.com").expect("an address")),
        customer_country: None,
    };
    let seller = SellerFacts::from(&account);
    let composed = compose_manual(InvoiceId(5), &facts, &seller, &request, moment());
    let Change { invoice, .. } = issue(composed.expect("an invoice"), 1, None);
    invoice
}

#[test]
fn an_open_invoice_says_what_is_left_to_pay_whether_it_was_sent_or_not() {
    let (part, t) = (Invoice { outstanding_minor: 6_000, ..issued() }, Words::english());
    let amount = |of: &Invoice| InvoiceRow::new(t, of, "/portal/x", None).amount;
    assert_eq!(issued().status, InvoiceStatus::Issued);
    for status in [InvoiceStatus::Issued, InvoiceStatus::Sent, InvoiceStatus::Overdue] {
        assert_eq!(amount(&Invoice { status, ..part.clone() }), "€60.00", "{status}");
    }
    let paid = Invoice { status: InvoiceStatus::Paid, outstanding_minor: 0, ..issued() };
    assert_eq!(amount(&paid), "€100.00");
}
