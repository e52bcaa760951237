//! The rows, each from its record alone.

use actors::domain::billing::invoice::{
    BillTo, Change, ContractFacts, PaidVia, PaymentReceived, SellerFacts, compose_manual, issue,
};
use actors::domain::billing::subscription::{
    Facts, Frequency, NewSubscription, Pause, create, pause,
};
use actors::domain::billing::test_clock::Moment;
use actors::domain::email::Email;
use actors::domain::ids::{ContractId, CustomerId, InvoiceId, PaymentId, SellerId, SubscriptionId};
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

/// A monthly subscription as of its first day, with a trial of so many days and what follows it.
fn subscription(trial: Option<(i64, TrialEndBehavior)>, end_date: Option<&str>) -> Subscription {
    let new = NewSubscription {
        frequency: Frequency::Monthly,
        price_minor: 1_000,
        currency: Currency::EUR,
        start_date: moment().today(),
        quantity: None,
        description: None,
        end_date: end_date.and_then(Date::parse),
        trial_days: trial.map(|(days, _)| days),
        trial_end: None,
        trial_end_behavior: trial.map(|(_, then)| then),
        require_payment_method: false,
        tax_rate: None,
        collection_method: None,
    };
    let facts = Facts {
        currency: Currency::EUR,
        contract_closed: false,
        card_saved: false,
        credits_on: false,
    };
    let (id, contract, customer) = (SubscriptionId(3), ContractId(7), CustomerId(4));
    create(id, contract, customer, new, &facts, moment()).expect("made").subscription
}

/// `of` paused, until the day if one is stated.
fn paused(of: &Subscription, resumes_at: Option<&str>) -> Subscription {
    let until = Pause { resumes_at: resumes_at.and_then(Date::parse) };
    pause(of, until, moment()).expect("paused").subscription
}

#[test]
fn a_subscription_renews_only_where_another_term_follows() {
    let running = subscription(None, None);
    let ending = subscription(None, Some("2027-04-30"));
    let ended = Subscription { status: SubscriptionStatus::Expired, ..ending.clone() };
    for (of, said) in [
        (running.clone(), Some("Renews on 15 February 2027")),
        (
            subscription(Some((14, TrialEndBehavior::Activate)), None),
            Some("Renews on 29 January 2027"),
        ),
        (subscription(Some((14, TrialEndBehavior::Cancel)), None), Some("Ends on 29 January 2027")),
        (
            subscription(Some((14, TrialEndBehavior::Cancel)), Some("2027-04-30")),
            Some("Ends on 29 January 2027"),
        ),
        (ending.clone(), Some("Ends on 1 May 2027")),
        (ended, None),
        (paused(&running, None), None),
        (paused(&running, Some("2027-03-01")), Some("Resumes on 1 March 2027")),
        (paused(&ending, Some("2027-03-01")), Some("Ends on 1 May 2027")),
    ] {
        let until = SubscriptionRow::new(Words::english(), &of, &[]).until;
        let until = until.map(|said| said.replace('\u{a0}', " "));
        assert_eq!(until.as_deref(), said, "{} {:?}", of.status, of.resumes_at);
    }
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

#[test]
fn a_payment_says_what_went_back_of_it() {
    let received = |refunded_minor| PaymentReceived {
        payment: PaymentId(8),
        reference: "1000001-2701AAA".to_owned(),
        amount_minor: 10_000,
        via: PaidVia::PaymentLink,
        at: moment().wall,
        reversed_at: None,
        refunded_minor,
        surplus_refunded_minor: 0,
    };
    for (refunded_minor, said) in [(0, None), (2_500, Some("€25.00 refunded"))] {
        let invoice = Invoice { payments: vec![received(refunded_minor)], ..issued() };
        let rows = PaymentRow::of(Words::english(), &[invoice]);
        let shown: Vec<_> =
            rows.iter().map(|row| (&*row.amount, row.refunded.as_deref())).collect();
        assert_eq!(shown, [("€100.00", said)]);
    }
}
