//! The tables of the year.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::cli::demo::answers::{Answers, get, plain, show};
use crate::cli::demo::table;
use crate::cli::terminal::{Terminal, grouped};

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

pub(crate) fn print(terminal: Terminal, answers: &Answers) {
    terminal.heading(&show(
        answers.get("account"),
        "Seller <sellerAccountId> (sandbox until <expiresAt|day>)",
    ));
    table::print(
        terminal,
        answers.all("versions/*"),
        &[
            ("Contract", "<contractNumber> (id <contractId>)"),
            ("Version", "<version>"),
            ("Status", "<status>"),
            ("Customer", "<customerName>"),
        ],
    );

    terminal.heading("Subscriptions, as they stand at the end");
    table::print(
        terminal,
        answers.all("subscriptions/*"),
        &[
            ("Id", "<id>"),
            ("Plan", "<description>"),
            ("Status", "<status>"),
            (">Price", "<priceMinor|minor> <currency>"),
            ("Trial until", "<trialEnd>"),
            ("Current term", "<currentPeriodStart> → <currentPeriodEnd>"),
            ("Canceled for", "<cancelAt>"),
        ],
    );

    terminal.heading("What the clock did");
    let stops: Vec<Value> = answers.all("clock/*").into_iter().map(stop).collect();
    table::print(
        terminal,
        &stops,
        &[
            ("Clock", "<now|day><clock/now|day>"),
            ("Lifecycle", "<counts>"),
            (">Issued", "<invoices/issued>"),
            (">Sent", "<invoices/sent>"),
            ("Buyer and seller", "<notes>"),
        ],
    );

    terminal.heading("Invoices, as read back");
    let mut invoices: Vec<Value> = answers.all("invoices/*").into_iter().map(billed).collect();
    invoices.push(json!({
        "invoiceNumber": "All",
        "billed": format!("{} invoices", invoices.len()),
        "taxMinor": answers.sum("invoices/*/taxMinor"),
        "grandTotalMinor": answers.sum("invoices/*/grandTotalMinor"),
    }));
    table::print(
        terminal,
        &invoices,
        &[
            ("Number", "<invoiceNumber>"),
            ("What was billed", "<billed>"),
            (">Tax", "<taxMinor|minor>"),
            (">Total", "<grandTotalMinor|minor>"),
            ("Status", "<status>"),
        ],
    );

    terminal.heading("Payments, from the settlement trails");
    table::print(
        terminal,
        &payments(answers),
        &[
            ("Invoice", "<invoiceNumber>"),
            ("Payment", "<payment/paymentId>"),
            (">Amount", "<payment/amountMinor|minor> <payment/currency>"),
            ("Status", "<payment/status>"),
            ("Buyer's card", "<card>"),
        ],
    );

    terminal.heading("Webhooks, received and verified");
    table::print(
        terminal,
        &webhooks(answers),
        &[
            ("Event", "<kind>"),
            (">Events", "<events>"),
            (">Valid signatures", "<valid>"),
            (">Came again", "<again>"),
        ],
    );
    if answers.sum("inbox/events/*/refused") > 0 {
        terminal.line("  The first delivery was turned away on purpose, to see it come again.");
    }
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
    let lines = invoice["lines"].as_array().into_iter().flatten().map(|line| {
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
        let payments = settlement["payments"].as_array().into_iter().flatten().rev();
        for (nth, payment) in payments.enumerate() {
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
        let count = |name: &str| get(event, name).as_u64().unwrap_or(0);
        let (events, valid) = kinds.entry(plain(&event["eventType"])).or_default();
        *events += 1;
        *valid += count("deliveries") + count("refused");
    }
    let row = |(kind, (events, valid)): (String, (u64, u64))| {
        let again = valid.saturating_sub(events);
        json!({
            "kind": kind, "events": grouped(events), "valid": grouped(valid),
            "again": grouped(again),
        })
    };
    kinds.into_iter().map(row).collect()
}
