//! The tables at the end of the demonstration.

use std::collections::BTreeMap;

use comfy_table::{Cell, Row};

use super::facts::Facts;
use super::records::{Invoice, Lifecycle, Subscription};
use super::story::{Step, Story};
use crate::cli::terminal::{Terminal, grouped, major, status};

/// Prints everything that happened.
pub(super) fn print(terminal: Terminal, story: &Story, facts: &Facts) {
    contract(terminal, story, facts);
    subscriptions(terminal, facts);
    clock(terminal, story);
    invoices(terminal, facts);
    payments(terminal, story, facts);
    webhooks(terminal, facts);
}

fn contract(terminal: Terminal, story: &Story, facts: &Facts) {
    let account = &story.account;
    terminal.heading(&format!(
        "Seller {} (sandbox until {})",
        account.seller_account_id,
        account.expires_at.date()
    ));
    let mut table = terminal.table(&["Contract", "Version", "Status", "Customer"], &[]);
    for version in &facts.versions {
        table.add_row(vec![
            Cell::new(format!("{} (id {})", version.contract_number, story.contract)),
            Cell::new(version.version),
            status(&version.status),
            Cell::new(&version.customer_name),
        ]);
    }
    terminal.show(&table);
}

fn subscriptions(terminal: Terminal, facts: &Facts) {
    terminal.heading("Subscriptions, as they stand at the end");
    let header = ["Id", "Plan", "Status", "Price", "Trial until", "Current term", "Canceled for"];
    let mut table = terminal.table(&header, &[3]);
    let day = |date: Option<_>| date.map_or_else(String::new, |date| format!("{date}"));
    for one in &facts.subscriptions {
        table.add_row(vec![
            Cell::new(one.id),
            Cell::new(&one.description),
            status(&one.status),
            Cell::new(format!("{} {}", major(one.price_minor), one.currency)),
            Cell::new(day(one.trial_end)),
            Cell::new(term(one)),
            Cell::new(day(one.cancel_at)),
        ]);
    }
    terminal.show(&table);
}

fn term(subscription: &Subscription) -> String {
    match (subscription.current_period_start, subscription.current_period_end) {
        (Some(start), Some(end)) => format!("{start} → {end}"),
        _ => String::new(),
    }
}

fn clock(terminal: Terminal, story: &Story) {
    terminal.heading("What the clock did");
    let header = ["Clock", "Lifecycle", "Issued", "Sent", "Buyer and seller"];
    let mut table = terminal.table(&header, &[2, 3]);
    for step in &story.steps {
        let issued = |pick: fn(&_) -> u64| {
            step.advance
                .as_ref()
                .map_or_else(String::new, |advance| pick(&advance.invoices).to_string())
        };
        table.add_row(vec![
            step.now.date().to_string(),
            step.advance.as_ref().map_or_else(String::new, |advance| lifecycle(&advance.lifecycle)),
            issued(|invoices: &super::records::Issued| invoices.issued),
            issued(|invoices: &super::records::Issued| invoices.sent),
            deeds(step),
        ]);
    }
    terminal.show(&table);
}

fn lifecycle(counts: &Lifecycle) -> String {
    let named = [
        (counts.trials_activated, "trial activated"),
        (counts.trials_canceled, "trial canceled"),
        (counts.trials_past_due, "trial past due"),
        (counts.renewed, "renewed"),
        (counts.resumed, "resumed"),
        (counts.canceled, "canceled"),
        (counts.expired, "expired"),
    ];
    let words = named.iter().filter(|(count, _)| *count > 0);
    words.map(|(count, name)| format!("{count} {name}")).collect::<Vec<_>>().join(", ")
}

fn deeds(step: &Step) -> String {
    let mut lines = Vec::new();
    if !step.action.is_empty() {
        lines.push(step.action.clone());
    }
    for (number, attempts) in &step.payments {
        let words: Vec<String> = attempts.iter().map(|attempt| attempt.words()).collect();
        lines.push(format!("{number}: {}", words.join("; ")));
    }
    lines.join("\n")
}

fn invoices(terminal: Terminal, facts: &Facts) {
    terminal.heading("Invoices, as read back");
    let header = ["Number", "What was billed", "Tax", "Total", "Status"];
    let mut table = terminal.table(&header, &[2, 3]);
    for invoice in &facts.invoices {
        table.add_row(vec![
            Cell::new(&invoice.invoice_number),
            Cell::new(billed(invoice)),
            Cell::new(major(invoice.tax_minor)),
            Cell::new(major(invoice.grand_total_minor)),
            status(&invoice.status),
        ]);
    }
    let sum = |pick: fn(&Invoice) -> i64| major(facts.invoices.iter().map(pick).sum());
    table.add_row(Row::from(vec![
        "All".to_owned(),
        format!("{} invoices", facts.invoices.len()),
        sum(|invoice| invoice.tax_minor),
        sum(|invoice| invoice.grand_total_minor),
        String::new(),
    ]));
    terminal.show(&table);
}

fn billed(invoice: &Invoice) -> String {
    let lines = invoice.lines.iter().map(|line| {
        let period = match (line.period_start, line.period_end) {
            (Some(start), Some(end)) => format!(" {start} → {end}"),
            _ => String::new(),
        };
        format!("{} {}{period}", major(line.amount_minor), line.description)
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn payments(terminal: Terminal, story: &Story, facts: &Facts) {
    terminal.heading("Payments, from the settlement trails");
    let header = ["Invoice", "Payment", "Amount", "Status", "Buyer's card"];
    let mut table = terminal.table(&header, &[2]);
    for (invoice, settlement) in facts.invoices.iter().zip(&facts.settlements) {
        // The trail is newest first, the attempts oldest first.
        let attempts = story.attempts.get(&invoice.id).map_or(&[][..], Vec::as_slice);
        for (nth, payment) in settlement.payments.iter().rev().enumerate() {
            let card = attempts.get(nth).map_or("", |attempt| attempt.card.name());
            table.add_row(vec![
                Cell::new(&settlement.invoice_number),
                Cell::new(&payment.payment_id),
                Cell::new(format!("{} {}", major(payment.amount_minor), payment.currency)),
                status(&payment.status),
                Cell::new(card),
            ]);
        }
    }
    terminal.show(&table);
}

fn webhooks(terminal: Terminal, facts: &Facts) {
    terminal.heading("Webhooks, received and verified");
    let mut kinds: BTreeMap<&str, [u64; 3]> = BTreeMap::new();
    for (id, event) in &facts.inbox.events {
        let [events, deliveries, turned_away] = kinds.entry(&event.kind).or_default();
        *events += 1;
        *deliveries += event.deliveries;
        *turned_away += u64::from(facts.inbox.turned_away.contains(id));
    }
    let mut table =
        terminal.table(&["Event", "Events", "Valid signatures", "Came again"], &[1, 2, 3]);
    for (kind, [events, deliveries, turned_away]) in kinds {
        table.add_row(vec![
            kind.to_owned(),
            grouped(events),
            grouped(deliveries + turned_away),
            grouped(deliveries + turned_away - events),
        ]);
    }
    terminal.show(&table);
    if !facts.inbox.turned_away.is_empty() {
        terminal.line("  The first delivery was turned away on purpose, to see it come again.");
    }
}
