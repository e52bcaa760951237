//! The first chapter: a year of subscription billing, by the contract's test clock.

mod calendar;
mod checks;

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::answers::{Answers, all, plain, show};
use crate::cli::terminal::grouped;

pub(super) use calendar::{Calendar, tax};
pub(super) use checks::checks;

/// What an advance of the clock counts, and the words for it.
const LIFECYCLE: [(&str, &str); 7] = [
    ("trialsActivated", "trial activated"),
    ("trialsCanceled", "trial canceled"),
    ("trialsPastDue", "trial past due"),
    ("renewed", "renewed"),
    ("resumed", "resumed"),
    ("canceled", "canceled"),
    ("expired", "expired"),
];

pub(super) fn rows(answers: &Answers) -> Value {
    let mut invoices: Vec<Value> = answers.all("invoices/*").into_iter().map(billed).collect();
    invoices.push(json!({
        "invoiceNumber": "All",
        "billed": format!("{} invoices", invoices.len()),
        "taxMinor": answers.sum("invoices/*/taxMinor"),
        "grandTotalMinor": answers.sum("invoices/*/grandTotalMinor"),
    }));
    let refused = answers.sum("inbox/events/*/refused") > 0;
    let refused =
        refused.then_some("  The first delivery was turned away on purpose, to see it come again.");
    // One line or discount stands for the plan change: what it charges less what it credits.
    let charged = answers.sum("invoices/*/lines/[source=proration]/amountMinor");
    json!({
        "planChange": charged - answers.sum("invoices/*/lines/*/discountMinor"),
        "clock": answers.all("clock/*").into_iter().map(stop).collect::<Vec<_>>(),
        "invoices": invoices,
        "payments": payments(answers),
        "webhooks": webhooks(answers),
        "below": refused.into_iter().collect::<Vec<_>>(),
    })
}

fn stop(advance: &Value) -> Value {
    let counts = LIFECYCLE.iter().filter_map(|(name, words)| {
        let count = advance["lifecycle"][name].as_u64().filter(|count| *count > 0)?;
        Some(format!("{count} {words}"))
    });
    let mut row = advance.clone();
    row["counts"] = json!(counts.collect::<Vec<_>>().join(", "));
    row
}

fn billed(invoice: &Value) -> Value {
    let lines = all(invoice, "lines/*").into_iter().map(|line| {
        let period = show(line, " <periodStart> → <periodEnd>");
        show(line, "<amountMinor|minor> <description>") + &period
    });
    let mut row = invoice.clone();
    row["billed"] = lines.collect();
    row
}

/// The payments of each invoice, oldest first, each with the card of its attempt.
fn payments(answers: &Answers) -> Vec<Value> {
    let mut rows = Vec::new();
    for settlement in answers.all("settlements/*") {
        let cards = answers.get(&format!("paid/[invoiceId={}]/cards", settlement["invoiceId"]));
        for (nth, payment) in all(settlement, "payments/*").into_iter().rev().enumerate() {
            let number = &settlement["invoiceNumber"];
            rows.push(json!({"invoiceNumber": number, "payment": payment, "card": cards[nth]}));
        }
    }
    rows
}

/// The events by their kind, and how many deliveries there were.
fn webhooks(answers: &Answers) -> Vec<Value> {
    let mut kinds: BTreeMap<String, (u64, u64)> = BTreeMap::new();
    for event in answers.all("inbox/events/*") {
        let count = |name: &str| event[name].as_u64().unwrap_or(0);
        let (events, valid) = kinds.entry(plain(&event["eventType"])).or_default();
        *events += 1;
        *valid += count("deliveries") + count("refused");
    }
    let row = |(kind, (events, valid)): (String, (u64, u64))| {
        let again = grouped(valid.saturating_sub(events));
        json!({"kind": kind, "events": grouped(events), "valid": grouped(valid), "again": again})
    };
    kinds.into_iter().map(row).collect()
}
