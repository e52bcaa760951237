//! A year that adds up passes; each thing that is off fails its own check.

use std::collections::BTreeMap;

use actors::domain::time::{Date, Timestamp};

use super::*;
use crate::cli::demo::receiver::{Event, Inbox};
use crate::cli::demo::records::{
    Advance, ContractVersion, Delivery, Issued, Lifecycle, Line, Payment, Settlement, Subscription,
    TestClock, TimelineEntry,
};

fn schedule() -> Schedule {
    Schedule::of_year_from(Date::new(2026, 11, 21).expect("a day"))
}

fn version(version: u64, status: &str) -> ContractVersion {
    ContractVersion {
        version,
        status: status.to_owned(),
        contract_number: "C-000001".to_owned(),
        customer_name: String::new(),
    }
}

fn subscription(id: u64, status: &str) -> Subscription {
    Subscription {
        id,
        status: status.to_owned(),
        description: String::new(),
        price_minor: 1,
        currency: "EUR".to_owned(),
        trial_end: None,
        current_period_start: None,
        current_period_end: None,
        cancel_at: None,
    }
}

/// One invoice for each term; the plan change is on the last one.
fn invoices(schedule: &Schedule) -> Vec<Invoice> {
    let mut terms = schedule.team_terms();
    terms.extend(schedule.addon_terms());
    let count = terms.len() as u64;
    let proration = schedule.proration();
    (1..)
        .zip(terms)
        .map(|(id, term)| {
            let last = id == count;
            let discount = if last { proration.credit_minor } else { 0 };
            let mut lines = vec![line("subscription", term.price_minor, discount)];
            lines[0].unit_price_minor = Some(term.price_minor);
            lines[0].period_start = Some(term.start);
            lines[0].period_end = Some(term.end);
            if last {
                lines.push(line("proration", proration.charge_minor, 0));
            }
            invoice(id, lines)
        })
        .collect()
}

fn line(source: &str, gross: i64, discount_minor: i64) -> Line {
    Line {
        source: source.to_owned(),
        description: String::new(),
        unit_price_minor: None,
        discount_minor,
        amount_minor: gross - discount_minor,
        tax_minor: 0,
        period_start: None,
        period_end: None,
    }
}

fn invoice(id: u64, mut lines: Vec<Line>) -> Invoice {
    let net: i64 = lines.iter().map(|line| line.amount_minor).sum();
    let discount_minor: i64 = lines.iter().map(|line| line.discount_minor).sum();
    let tax_minor = (net * 21 + 50) / 100;
    lines[0].tax_minor = tax_minor;
    let letter = |place: u64| char::from(b'A' + (place % 26) as u8);
    Invoice {
        id,
        invoice_number: format!("1000001-2611A{}{}", letter((id - 1) / 26), letter(id - 1)),
        status: "paid".to_owned(),
        subtotal_minor: net + discount_minor,
        discount_minor,
        tax_minor,
        grand_total_minor: net + tax_minor,
        collectible_minor: net + tax_minor,
        outstanding_minor: 0,
        payment_url: None,
        lines,
    }
}

fn settlement(invoice: &Invoice) -> Settlement {
    let payment = |status: &str| Payment {
        payment_id: "p".to_owned(),
        status: status.to_owned(),
        amount_minor: invoice.collectible_minor,
        currency: "EUR".to_owned(),
    };
    Settlement {
        invoice_number: invoice.invoice_number.clone(),
        paid_via: Some("payment_link".to_owned()),
        payments: vec![payment("settled"), payment("failed")],
    }
}

fn steps(schedule: &Schedule) -> Vec<Step> {
    let renewed = (schedule.team_terms().len() + schedule.addon_terms().len()) as u64 - 2;
    let now = Timestamp::from_micros(0);
    let lifecycle = Lifecycle { renewed, ..Lifecycle::default() };
    let advance = Advance { clock: TestClock { now }, lifecycle, invoices: Issued::default() };
    vec![Step { now, action: String::new(), advance: Some(advance), payments: Vec::new() }]
}

fn facts(schedule: &Schedule) -> Facts {
    let invoices = invoices(schedule);
    let settlements = invoices.iter().map(settlement).collect();
    let mut events = BTreeMap::new();
    for invoice in &invoices {
        for kind in ["InvoiceIssued", "InvoiceSent", "InvoicePaid"] {
            let kind = kind.to_owned();
            let (id, payload) = (Some(invoice.id), serde_json::Value::Null);
            let event = Event { kind, invoice: id, payload, deliveries: 1 };
            events.insert(events.len() as u64 + 1, event);
        }
    }
    let mut inbox = Inbox::default();
    inbox.events = events;
    let delivery = |id: &u64| Delivery { event_id: *id, status: "delivered".to_owned() };
    let renewed = schedule.team_terms().len() + schedule.addon_terms().len() - 2;
    let entry = |kind: &str| TimelineEntry { kind: kind.to_owned() };
    let mut timeline = vec![entry("invoice_issued")];
    timeline.extend((0..renewed).map(|_| entry("subscription_renewed")));
    Facts {
        versions: vec![version(1, "draft"), version(2, "active")],
        subscriptions: vec![subscription(1, "active"), subscription(2, "canceled")],
        invoices,
        settlements,
        timeline,
        clock: TestClock { now: Timestamp::from_micros(0) },
        deliveries: inbox.events.keys().map(delivery).collect(),
        inbox,
    }
}

fn failed(change: impl FnOnce(&mut Facts)) -> Vec<String> {
    let schedule = schedule();
    let mut facts = facts(&schedule);
    change(&mut facts);
    let checks = checks(&facts, &schedule, &steps(&schedule));
    checks.into_iter().filter(|check| !check.good).map(|check| check.text).collect()
}

#[test]
fn a_year_that_adds_up_passes() {
    assert_eq!(failed(|_| {}), Vec::<String>::new());
}

#[test]
fn each_thing_that_is_off_fails_a_check_of_its_own() {
    type Change = fn(&mut Facts);
    let changes: [(&str, Change); 11] = [
        ("versions", |facts| facts.versions[1].version = 3),
        ("is missing", |facts| {
            facts.invoices[0].invoice_number = "1000001-2611ZZZ".to_owned();
            facts.settlements[0].invoice_number = "1000001-2611ZZZ".to_owned();
        }),
        ("terms billed", |facts| facts.invoices[0].lines[0].period_start = Date::new(2027, 1, 1)),
        ("plan change", |facts| {
            let last = facts.invoices.last_mut().expect("invoices");
            last.lines[1].source = "adjustment".to_owned();
        }),
        ("does not add up", |facts| facts.invoices[3].tax_minor += 1),
        ("invoices paid", |facts| facts.invoices[3].status = "sent".to_owned()),
        ("settlement trails", |facts| facts.settlements[2].payments.clear()),
        ("renewals", |facts| drop(facts.timeline.pop())),
        ("subscriptions", |facts| facts.subscriptions[1].status = "active".to_owned()),
        ("without", |facts| facts.inbox.forged.push("wrong signature".to_owned())),
        ("InvoicePaid", |facts| {
            let told = facts.inbox.events.values_mut().find(|event| event.kind == "InvoicePaid");
            told.expect("an event").invoice = None;
        }),
    ];
    for (words, change) in changes {
        let failed = failed(change);
        assert_eq!(failed.len(), 1, "{words}: {failed:?}");
        assert!(failed[0].contains(words), "{words}: {failed:?}");
    }
}

#[test]
fn an_event_that_never_came_is_missed() {
    let failed = failed(|facts| drop(facts.inbox.events.pop_first()));
    assert_eq!(failed.len(), 2, "{failed:?}");
}
