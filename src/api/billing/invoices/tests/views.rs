use actors::domain::billing::invoice::{
    AppliedCredit, BillTo, Change, Composed, ContractFacts, Invoice, InvoiceLine, NewInvoice,
    PaidVia, PaymentLink, ProrationBreakdown, ProrationLeg, RatingBreakdown, SellerFacts,
    compose_manual, issue,
};
use actors::domain::billing::subscription::ProrationPart;
use actors::domain::billing::test_clock::Moment;
use actors::domain::email::Email;
use actors::domain::ids::{
    ContractId, CustomerId, InvoiceId, ProrationId, SellerId, SubscriptionId,
};
use actors::domain::money::Currency;
use actors::domain::platform::seller::NewSeller;
use actors::domain::quantity::Quantity;
use actors::domain::time::Timestamp;
use actors::query::Page;
use serde_json::{Value, json};

use super::super::{InvoiceList, InvoiceView, LineView, NewInvoiceBody, SettlementView};

fn page() -> Option<String> {
    Some("https://pay.example.com/pay/tok".to_owned())
}

fn facts() -> ContractFacts {
    let email = Email::parse("ada@example.com").expect("an address");
    let bill_to = BillTo { name: Some("Ada".to_owned()), ..BillTo::from(email) };
    let (id, customer) = (ContractId(7), CustomerId(4));
    ContractFacts {
        id,
        number: None,
        customer,
        currency: Currency::EUR,
        bill_to,
        customer_country: None,
    }
}

fn composed(more: &Value) -> Composed {
    let mut body = json!({
        "contractId": 7, "origin": "project",
        "lines": [{
            "description": "Work", "quantity": "1.5", "unitPriceMinor": 333, "taxRate": "21",
            "periodStart": "2026-11-01", "periodEnd": "2026-11-02",
        }],
    });
    for (name, value) in more.as_object().expect("fields") {
        body[name] = value.clone();
    }
    let body: NewInvoiceBody = serde_json::from_value(body).expect("a body");
    let request: NewInvoice = body.parse(None).expect("valid");
    let now = Timestamp::parse("2026-11-21T05:00:00Z").expect("an instant");
    let account = NewSeller::parse("Byron Ltd", "office@example.com", Some("DE"), None);
    let account = account.expect("a seller").live(SellerId(1), uuid::Uuid::nil(), 1_000_001, now);
    let seller = SellerFacts::from(&account);
    let moment = Moment::of(None, now);
    compose_manual(InvoiceId(5), &facts(), &seller, &request, moment).expect("an invoice")
}

fn issued(more: &Value) -> (Invoice, Vec<InvoiceLine>) {
    let composed = composed(more);
    let lines = composed.lines.clone();
    let link = PaymentLink { id: 31, drawn: "drawn".to_owned() };
    let Change { invoice, .. } = issue(composed, 1, Some(link));
    (invoice, lines)
}

fn json_of(view: &impl serde::Serialize) -> Value {
    serde_json::to_value(view).expect("JSON")
}

#[test]
fn an_invoice_shows_what_it_has() {
    let (invoice, lines) = issued(&json!({"memo": "Thanks"}));
    let expected = json!({
        "id": 5, "invoiceNumber": "1000001-2611AAA", "contractId": 7, "sellerCustomerId": 4,
        "origin": "project", "status": "sent", "invoiceType": "standard", "currency": "EUR",
        "issueDate": "2026-11-21", "issuedAt": "2026-11-21T05:00:00Z", "dueDate": "2026-12-05",
        "seller": {"name": "Byron Ltd", "email": "office@example.com", "country": "DE"},
        "taxSummary": [
            {"taxCategory": "S", "taxRate": "21", "taxableMinor": 500, "taxMinor": 105},
        ],
        "sentAt": "2026-11-21T05:00:00Z", "periodStart": "2026-11-01", "periodEnd": "2026-11-02",
        "billTo": {"email": "ada@example.com", "name": "Ada"}, "subtotalMinor": 500,
        "discountMinor": 0, "taxMinor": 105, "grandTotalMinor": 605, "creditAppliedMinor": 0,
        "collectibleMinor": 605, "outstandingMinor": 605, "collectionMethod": "payment_link",
        "paymentUrl": "https://pay.example.com/pay/tok", "memo": "Thanks",
        "eInvoice": {"available": false, "missing": ["seller.taxId", "billTo.country"]},
    });
    assert_eq!(json_of(&InvoiceView::new(&invoice, page())), expected);
    let mut whole = expected;
    whole["lines"] = json!([{
        "lineId": (5 << 16) + 1, "source": "project", "description": "Work", "quantity": "1.5",
        "unitPriceMinor": 333, "discountMinor": 0, "amountMinor": 500, "taxRate": "21",
        "taxCategory": "S", "taxMinor": 105, "periodStart": "2026-11-01", "periodEnd": "2026-11-02",
    }]);
    assert_eq!(json_of(&InvoiceView::new(&invoice, page()).with_lines(&lines)), whole);
}

#[test]
fn the_list_serves_invoices_without_lines() {
    let (invoice, _) = issued(&json!({"send": false}));
    let page = Page { items: vec![invoice], next: Some(5) };
    let list = json_of(&InvoiceList::of(page, |of| InvoiceView::new(&of, None)));
    let first = &list["invoices"][0];
    assert_eq!((first.get("lines"), first.get("paymentUrl")), (None, None));
    assert_eq!(first["status"], "issued");
    assert_eq!((&list["nextCursor"], &list["nextBeforeId"]), (&json!(5), &json!(5)));
}

fn change(part: ProrationPart, credit_minor: i64) -> ProrationBreakdown {
    let leg = |price_minor, amount_minor| ProrationLeg {
        price_minor,
        quantity: Quantity::ONE,
        amount_minor,
    };
    ProrationBreakdown {
        proration: ProrationId(9),
        part,
        days: 21,
        term_days: 31,
        credit: leg(3000, credit_minor),
        charge: leg(6000, 4065),
        earlier_minor: 0,
        left_minor: 0,
    }
}

#[test]
fn a_plan_change_shows_both_legs() {
    let mut line = composed(&json!({})).lines.remove(0);
    line.subscription = Some(SubscriptionId(2));
    line.breakdown = Some(RatingBreakdown::Proration(change(ProrationPart::Net, 2032)));
    let shown = json_of(&LineView::from(&line));
    assert_eq!(shown["subscriptionId"], 2);
    let breakdown = &shown["ratingBreakdown"];
    for (field, value) in [
        ("prorationId", json!(9)),
        ("carries", json!("net")),
        ("days", json!(21)),
        ("termDays", json!(31)),
        ("credit", json!({"priceMinor": 3000, "quantity": "1", "amountMinor": 2032})),
        ("charge", json!({"priceMinor": 6000, "quantity": "1", "amountMinor": 4065})),
        ("earlierMinor", json!(0)),
        ("leftMinor", json!(0)),
    ] {
        assert_eq!(breakdown[field], value, "{field}");
    }
    assert_eq!((breakdown.get("priceMinor"), breakdown.get("quantity")), (None, None));
    line.breakdown = Some(RatingBreakdown::Proration(change(ProrationPart::Credit, 1000)));
    let limited = &json_of(&LineView::from(&line))["ratingBreakdown"];
    assert_eq!(
        (&limited["carries"], &limited["credit"]["limitMinor"]),
        (&json!("credit"), &json!(1000))
    );
}

#[test]
fn a_discount_names_the_credits_it_is_made_of() {
    let mut line = composed(&json!({})).lines.remove(0);
    assert_eq!(json_of(&LineView::from(&line)).get("prorationCredits"), None);
    let breakdown = change(ProrationPart::Net, 4165);
    line.credits =
        vec![AppliedCredit { breakdown, amount_minor: 100, description: "Team".to_owned() }];
    let credit = &json_of(&LineView::from(&line))["prorationCredits"][0];
    assert_eq!(credit["amountMinor"], 100);
    assert_eq!(credit["ratingBreakdown"]["credit"]["amountMinor"], 4165);
}

#[test]
fn an_empty_trail_says_why() {
    let (invoice, _) = issued(&json!({"send": false}));
    let trail = json_of(&SettlementView::new(&invoice, &[]));
    let expected = json!({
        "invoiceId": 5, "invoiceNumber": "1000001-2611AAA", "note": "invoice was never sent",
        "payments": [],
    });
    assert_eq!(trail, expected);
    let (sent, _) = issued(&json!({}));
    let trail = json_of(&SettlementView::new(&sent, &[]));
    assert_eq!((&trail["paymentLinkId"], trail.get("note")), (&json!(31), None));
    for (via, note) in [
        (PaidVia::BankDeposit, "settled by a matched bank deposit"),
        (PaidVia::StoredCredit, "discharged entirely by stored credit"),
    ] {
        let paid = Invoice { paid_via: Some(via), ..invoice.clone() };
        let trail = json_of(&SettlementView::new(&paid, &[]));
        assert_eq!((&trail["paidVia"], &trail["note"]), (&json!(via.name()), &json!(note)));
    }
}
