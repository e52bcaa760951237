//! What must hold between the figures read back: each check compares two things that the
//! server told independently, or one with arithmetic of our own.

use std::collections::{BTreeMap, BTreeSet};

use super::facts::Facts;
use super::records::Invoice;
use super::schedule::{Schedule, TAX_PERCENT, Term};
use super::story::Step;
use crate::cli::numbers;
use crate::cli::terminal::major;

/// A check and its outcome.
#[derive(Debug)]
pub(super) struct Check {
    pub(super) good: bool,
    /// What was compared, with the figures.
    pub(super) text: String,
}

/// All checks, in the order of the tables.
pub(super) fn checks(facts: &Facts, schedule: &Schedule, steps: &[Step]) -> Vec<Check> {
    vec![
        versions(facts),
        invoice_numbers(facts),
        terms(facts, schedule),
        proration(facts, schedule),
        arithmetic(facts),
        paid(facts),
        money(facts),
        renewals(facts, schedule, steps),
        cancellation(facts),
        deliveries(facts),
        told(facts),
    ]
}

fn check(good: bool, text: String) -> Check {
    Check { good, text }
}

fn versions(facts: &Facts) -> Check {
    let found: Vec<u64> = facts.versions.iter().map(|version| version.version).collect();
    check(found == [1, 2], format!("contract versions {found:?}, expected [1, 2]"))
}

fn invoice_numbers(facts: &Facts) -> Check {
    match numbers::check(facts.invoices.iter().map(|invoice| invoice.invoice_number.as_str())) {
        Ok(months) => {
            let count: u64 = months.values().sum();
            check(true, format!("{count} invoice numbers without a gap"))
        }
        Err(wrong) => check(false, format!("invoice numbers: {wrong}")),
    }
}

fn terms(facts: &Facts, schedule: &Schedule) -> Check {
    let lines = facts.invoices.iter().flat_map(|invoice| &invoice.lines);
    let mut billed: Vec<Term> = lines
        .filter(|line| line.source == "subscription")
        .filter_map(|line| {
            let (start, end) = (line.period_start?, line.period_end?);
            Some(Term { start, end, price_minor: line.unit_price_minor? })
        })
        .collect();
    let mut due = schedule.team_terms();
    due.extend(schedule.addon_terms());
    billed.sort_unstable();
    due.sort_unstable();
    let good = billed == due;
    let mut text = format!("{} terms billed once each, {} were due", billed.len(), due.len());
    if let Some(term) = due.iter().find(|term| !billed.contains(term)) {
        text = format!("{text}; {} to {} at {} is missing", term.start, term.end, term.price_minor);
    }
    check(good, text)
}

/// One record stands for the change: what it charges less what it gives back.
fn proration(facts: &Facts, schedule: &Schedule) -> Check {
    let expected = schedule.proration();
    let lines = || facts.invoices.iter().flat_map(|invoice| &invoice.lines);
    let charged: i64 =
        lines().filter(|line| line.source == "proration").map(|line| line.amount_minor).sum();
    let given_back: i64 = lines().map(|line| line.discount_minor).sum();
    let billed = charged - given_back;
    let due = expected.charge_minor - expected.credit_minor;
    let (left, days) = (expected.days_left, expected.days);
    let (charge, credit) = (major(expected.charge_minor), major(expected.credit_minor));
    check(
        billed == due,
        format!(
            "plan change with {left} of {days} days left: {} billed, {charge} - {credit} due",
            major(billed)
        ),
    )
}

fn arithmetic(facts: &Facts) -> Check {
    let wrong = facts.invoices.iter().find(|invoice| !adds_up(invoice));
    let total: i64 = facts.invoices.iter().map(|invoice| invoice.grand_total_minor).sum();
    match wrong {
        None => check(true, format!("lines, discounts and tax add up to {}", major(total))),
        Some(invoice) => check(false, format!("{} does not add up", invoice.invoice_number)),
    }
}

fn adds_up(invoice: &Invoice) -> bool {
    let net: i64 = invoice.lines.iter().map(|line| line.amount_minor).sum();
    let tax: i64 = invoice.lines.iter().map(|line| line.tax_minor).sum();
    // One rate on all lines: rounded half up once on their sum.
    let expected_tax = (net * TAX_PERCENT * 2 + 100).div_euclid(200);
    invoice.subtotal_minor - invoice.discount_minor == net
        && invoice.tax_minor == tax
        && tax == expected_tax
        && invoice.grand_total_minor == net + tax
        && invoice.collectible_minor == invoice.grand_total_minor
}

fn paid(facts: &Facts) -> Check {
    let open: Vec<&str> = facts
        .invoices
        .iter()
        .filter(|invoice| invoice.status != "paid" || invoice.outstanding_minor != 0)
        .map(|invoice| invoice.invoice_number.as_str())
        .collect();
    let count = facts.invoices.len();
    check(
        open.is_empty() && count > 0,
        format!("{} of {count} invoices paid, nothing outstanding", count - open.len()),
    )
}

fn money(facts: &Facts) -> Check {
    let mut good = true;
    let (mut asked, mut came) = (0, 0);
    for (invoice, settlement) in facts.invoices.iter().zip(&facts.settlements) {
        let payments = settlement.payments.iter().filter(|payment| payment.succeeded());
        let received: i64 = payments.map(|payment| payment.amount_minor).sum();
        good &= received == invoice.collectible_minor
            && settlement.invoice_number == invoice.invoice_number
            && settlement.paid_via.as_deref() == Some("payment_link");
        asked += invoice.collectible_minor;
        came += received;
    }
    let (asked, came) = (major(asked), major(came));
    check(good, format!("invoices ask for {asked}, their settlement trails hold {came}"))
}

fn renewals(facts: &Facts, schedule: &Schedule, steps: &[Step]) -> Check {
    let advances = || steps.iter().filter_map(|step| step.advance.as_ref());
    let counted: u64 = advances().map(|advance| advance.lifecycle.renewed).sum();
    let renewed = facts.timeline.iter().filter(|entry| entry.kind == "subscription_renewed");
    let entries = renewed.count() as u64;
    // The first term of each begins with its start or its trial's end, not with a renewal.
    let due = (schedule.team_terms().len() + schedule.addon_terms().len()) as u64 - 2;
    let failed: u64 = advances().map(|advance| advance.invoices.failed).sum();
    check(
        counted == due && entries == due && failed == 0,
        format!(
            "{counted} renewals counted by the clock, {entries} on the timeline, {due} were due"
        ),
    )
}

fn cancellation(facts: &Facts) -> Check {
    let statuses: Vec<&str> =
        facts.subscriptions.iter().map(|subscription| subscription.status.as_str()).collect();
    let good = statuses == ["active", "canceled"];
    check(good, format!("subscriptions ended up {}", statuses.join(" and ")))
}

fn deliveries(facts: &Facts) -> Check {
    let known: BTreeSet<u64> = facts.deliveries.iter().map(|delivery| delivery.event_id).collect();
    let received: BTreeSet<u64> = facts.inbox.events.keys().copied().collect();
    let undelivered =
        facts.deliveries.iter().filter(|delivery| delivery.status != "delivered").count();
    let forged = facts.inbox.forged.len();
    let good = undelivered == 0 && forged == 0 && known == received && !known.is_empty();
    check(
        good,
        format!(
            "{} events recorded as delivered, {} received with a valid signature, {forged} without",
            known.len(),
            received.len()
        ),
    )
}

fn told(facts: &Facts) -> Check {
    let mut told: BTreeMap<&str, Vec<u64>> = BTreeMap::new();
    for event in facts.inbox.events.values() {
        if let Some(invoice) = event.invoice {
            told.entry(&event.kind).or_default().push(invoice);
        }
    }
    let mut ids: Vec<u64> = facts.invoices.iter().map(|invoice| invoice.id).collect();
    ids.sort_unstable();
    let missing: Vec<&str> = ["InvoiceIssued", "InvoiceSent", "InvoicePaid"]
        .into_iter()
        .filter(|kind| {
            let mut found = told.get(kind).cloned().unwrap_or_default();
            found.sort_unstable();
            found != ids
        })
        .collect();
    let text = match missing.as_slice() {
        [] => format!("every one of {} invoices was told as issued, sent and paid", ids.len()),
        kinds => format!("events that do not match the invoices: {}", kinds.join(", ")),
    };
    check(missing.is_empty(), text)
}

#[cfg(test)]
mod tests;
