//! Documents that the tests of all files are made of.

use actors::domain::billing::invoice::{
    BillTo, Change, ContractFacts, PaymentLink, SellerFacts, compose_manual, issue,
};
use actors::domain::billing::test_clock::Moment;
use actors::domain::email::Email;
use actors::domain::ids::{ContractId, CustomerId, InvoiceId, SellerId};
use actors::domain::money::Currency;
use actors::domain::platform::seller::{Address, NewSeller, Seller};
use actors::domain::time::Timestamp;
use serde_json::{Value, json};

use super::Document;
use crate::api::billing::invoices::NewInvoiceBody;

fn text(text: &str) -> Option<String> {
    Some(text.to_owned())
}

fn bill_to() -> BillTo {
    BillTo {
        name: text("Σοφία Παπαδοπούλου"),
        company_name: text("Zażółć Gęślą Jaźń Sp. z o.o."),
        tax_id: text("PL5260001246"),
        address_line1: text("ul. Świętokrzyska 12/4"),
        city: text("Łódź"),
        postal_code: text("90-001"),
        country: text("PL"),
        ..BillTo::from(Email::parse("billing@example.com").expect("an address"))
    }
}

/// A line of a request.
pub(super) fn line(description: &str, quantity: &str, unit_price_minor: i64) -> Value {
    json!({
        "description": description, "quantity": quantity, "unitPriceMinor": unit_price_minor,
        "taxRate": "19", "periodStart": "2026-11-01", "periodEnd": "2026-12-01",
    })
}

/// An invoice that was sent, with the lines and whatever else of a request.
pub(super) fn document(lines: &[Value], more: &Value) -> Document {
    let mut body = json!({"contractId": 7, "origin": "project", "lines": lines});
    for (name, value) in more.as_object().expect("fields") {
        body[name] = value.clone();
    }
    let body: NewInvoiceBody = serde_json::from_value(body).expect("a body");
    let request = body.parse(None).expect("valid");
    let now = Timestamp::parse("2026-11-22T15:04:05Z").expect("an instant");
    let facts = ContractFacts {
        id: ContractId(7),
        number: text("C-2026-0042"),
        customer: CustomerId(4),
        currency: Currency::EUR,
        bill_to: bill_to(),
        customer_country: None,
    };
    let seller = SellerFacts::from(&account(now));
    let moment = Moment::of(None, now);
    let composed = compose_manual(InvoiceId(5), &facts, &seller, &request, moment);
    let composed = composed.expect("an invoice");
    let lines = composed.lines.clone();
    let link = PaymentLink { id: 31, drawn: "drawn".to_owned() };
    let Change { invoice, .. } = issue(composed, 1, Some(link));
    Document { invoice, lines, payment_url: text(PAGE) }
}

pub(super) const PAGE: &str =
    "https://pay.example.com/pay/q7xhBv2mS0kE4rJ9tWcYdLfUaZoPnGi18Kb3VxQeTyM";

fn account(now: Timestamp) -> Seller {
    let (name, email) = ("Bücher & Söhne GmbH", "rechnung@example.de");
    let new = NewSeller::parse(name, email, Some("DE"), Some("DE123456788")).expect("a seller");
    let address = Address {
        line1: text("Unter den Linden 5"),
        line2: None,
        city: text("Berlin"),
        postal_code: text("10117"),
    };
    let account = new.live(SellerId(1), uuid::Uuid::nil(), 1_000_001, now);
    Seller { address, phone: text("+49 30 1234567"), ..account }
}
