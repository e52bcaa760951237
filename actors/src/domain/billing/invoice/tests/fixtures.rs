//! The objects that the tests are about, in their plainest form.

use crate::domain::billing::invoice::*;
use crate::domain::billing::subscription::{ProrationKind, ProrationPart};
use crate::domain::billing::tax::StatedTax;
use crate::domain::billing::test_clock::Moment;
use crate::domain::email::Email;
use crate::domain::ids::{
    ContractId, CustomerId, InvoiceId, PaymentId, ProrationId, SellerId, SubscriptionId,
};
use crate::domain::money::Currency;
use crate::domain::platform::seller::NewSeller;
use crate::domain::quantity::{Quantity, TaxRate};
pub(super) use crate::domain::testing::{day, instant as at};

/// Ten in the morning of this day, on both clocks.
pub(super) fn on(text: &str) -> Moment {
    Moment::of(None, day(text).start().plus_seconds(36_000))
}

pub(super) fn quantity(text: &str) -> Quantity {
    Quantity::parse(text).expect("a quantity")
}

pub(super) fn rate(text: &str) -> TaxRate {
    TaxRate::parse(text).expect("a rate")
}

pub(super) fn currency(code: &str) -> Currency {
    Currency::parse(code).expect("a currency")
}

pub(super) fn bill_to(email: &str) -> BillTo {
    BillTo::from(Email::parse(email).expect("an address"))
}

pub(super) fn contract() -> ContractFacts {
    let bill_to = BillTo { name: Some("Ada Byron".to_owned()), ..bill_to("ada@example.com") };
    ContractFacts {
        id: ContractId(11),
        number: Some("C-000001".to_owned()),
        customer: CustomerId(12),
        currency: Currency::EUR,
        bill_to,
        customer_country: None,
    }
}

pub(super) fn seller() -> SellerFacts {
    let new = NewSeller::parse("Byron Ltd", "office@example.com", None, None).expect("a seller");
    let account = new.live(SellerId(1), uuid::Uuid::nil(), 1_000_001, at("2026-01-01T00:00:00Z"));
    SellerFacts { default_tax_rate: rate("21"), ..SellerFacts::from(&account) }
}

/// The tax of a line that states its rate.
pub(super) fn taxed(percent: &str) -> StatedTax {
    StatedTax::of_rate(Some(rate(percent)))
}

pub(super) fn line(amount: &str, unit_price_minor: i64) -> NewLine {
    NewLine {
        description: "Work".to_owned(),
        quantity: quantity(amount),
        unit_price_minor,
        discount_minor: None,
        tax: StatedTax::default(),
        period_start: None,
        period_end: None,
    }
}

pub(super) fn request(lines: Vec<NewLine>) -> NewInvoice {
    NewInvoice {
        contract: Some(ContractId(11)),
        origin: Origin::Project,
        invoice_type: None,
        corrects: None,
        currency: None,
        bill_to: StatedBillTo::default(),
        lines: Some(lines),
        due_date: None,
        collection_method: None,
        send: None,
        memo: None,
    }
}

pub(super) fn adhoc() -> NewInvoice {
    NewInvoice {
        contract: None,
        origin: Origin::Adhoc,
        currency: Some(Currency::EUR),
        bill_to: StatedBillTo { email: Some("ada@example.com".to_owned()), ..Default::default() },
        ..request(vec![line("1", 1000)])
    }
}

pub(super) fn compose(request: &NewInvoice) -> Result<Composed, InvoiceRefusal> {
    compose_manual(InvoiceId(5), &contract(), &seller(), request, on("2026-11-21"))
}

pub(super) fn link() -> PaymentLink {
    PaymentLink { id: 31, drawn: "tok".to_owned() }
}

/// An invoice over 12.10 with tax, issued on 2026-11-21 and due on 2026-12-05.
pub(super) fn issued(method: CollectionMethod) -> Invoice {
    let asked = NewInvoice {
        collection_method: Some(method),
        send: Some(false),
        ..request(vec![line("1", 1000)])
    };
    issue(compose(&asked).expect("an invoice"), 1, None).invoice
}

pub(super) fn sent() -> Invoice {
    let composed = compose(&request(vec![line("1", 1000)])).expect("an invoice");
    issue(composed, 1, Some(link())).invoice
}

pub(super) fn payment(id: u64, amount_minor: i64) -> PaymentReceived {
    PaymentReceived {
        payment: PaymentId(id),
        reference: format!("order-{id}"),
        amount_minor,
        via: PaidVia::PaymentLink,
        at: at("2026-11-25T08:00:00Z"),
        reversed_at: None,
        refunded_minor: 0,
        surplus_refunded_minor: 0,
    }
}

pub(super) fn term(subscription: u64, amount: &str, price_minor: i64) -> RecurringLine {
    RecurringLine {
        subscription: SubscriptionId(subscription),
        description: "Plan".to_owned(),
        period_start: day("2026-11-01"),
        period_end: day("2026-12-01"),
        quantity: quantity(amount),
        price_minor,
        cut: None,
        tax_rate: None,
        collection_method: CollectionMethod::PaymentLink,
    }
}

/// An open proration of one tax rate: the days of a month from the 16th on.
pub(super) fn proration(
    id: u64,
    subscription: u64,
    kind: ProrationKind,
    open_minor: i64,
) -> ProrationLine {
    let (credit_minor, charge_minor) = match kind {
        ProrationKind::Charge => (0, open_minor),
        ProrationKind::Credit => (open_minor, 0),
    };
    let leg =
        |amount_minor| ProrationLeg { price_minor: 3000, quantity: Quantity::ONE, amount_minor };
    ProrationLine {
        subscription: SubscriptionId(subscription),
        kind,
        description: "Plan, changed".to_owned(),
        open_minor,
        quantity: Quantity::ONE,
        tax_rate: None,
        billed_tax: None,
        period_start: day("2026-10-16"),
        period_end: day("2026-11-01"),
        breakdown: ProrationBreakdown {
            proration: ProrationId(id),
            part: ProrationPart::Net,
            days: 16,
            term_days: 31,
            credit: leg(credit_minor),
            charge: leg(charge_minor),
            earlier_minor: 0,
            left_minor: 0,
        },
        last: false,
        collection_method: CollectionMethod::PaymentLink,
    }
}
