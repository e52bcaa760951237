//! What must hold between the figures of the year: each check compares two things that the server
//! answered independently, or one with arithmetic of our own.

use std::collections::BTreeSet;

use actors::domain::time::Date;
use serde_json::Value;

use super::calendar::{Calendar, Term, tax};
use crate::cli::demo::answers::{Answers, plain, sum};
use crate::cli::demo::table::{Check, check, check_none};
use crate::cli::numbers;
use crate::cli::terminal::major;

/// The statuses of a payment whose money came in.
const SUCCEEDED: [&str; 3] = ["provider_completed", "settled", "deposit_confirmed"];

/// All checks, in the order of the tables.
pub(crate) fn checks(answers: &Answers, calendar: &Calendar) -> Vec<Check> {
    let versions = answers.texts("versions/*/version");
    let statuses = answers.texts("subscriptions/*/status");
    vec![
        check(
            versions == ["1", "2"],
            format!("contract versions [{}], expected [1, 2]", versions.join(", ")),
        ),
        invoice_numbers(answers),
        terms(answers, calendar),
        proration(answers, calendar),
        arithmetic(answers),
        paid(answers),
        money(answers),
        renewals(answers, calendar),
        check(
            statuses == ["active", "canceled"],
            format!("subscriptions ended up {}", statuses.join(" and ")),
        ),
        deliveries(answers),
        events(answers),
    ]
}

fn invoice_numbers(answers: &Answers) -> Check {
    let found = answers.texts("invoices/*/invoiceNumber");
    match numbers::check(found.iter().map(String::as_str)) {
        Ok(_) => check(true, format!("{} invoice numbers without a gap", found.len())),
        Err(wrong) => check(false, format!("invoice numbers: {wrong}")),
    }
}

fn terms(answers: &Answers, calendar: &Calendar) -> Check {
    let term = |line: &Value| -> Option<Term> {
        let day = |name: &str| Date::parse(line[name].as_str()?);
        Some((day("periodStart")?, day("periodEnd")?, line["unitPriceMinor"].as_i64()?))
    };
    let lines = answers.all("invoices/*/lines/[source=subscription]");
    let mut billed: Vec<Term> = lines.into_iter().filter_map(term).collect();
    billed.sort_unstable();
    let due = calendar.terms();
    let mut text = format!("{} terms billed once each, {} were due", billed.len(), due.len());
    if let Some((start, end, price)) = due.iter().find(|term| !billed.contains(term)) {
        text = format!("{text}; {start} to {end} at {price} is missing");
    }
    check(billed == due, text)
}

/// One line or discount stands for the change: what it charges less what it credits.
fn proration(answers: &Answers, calendar: &Calendar) -> Check {
    let expected = calendar.proration();
    let charged = answers.sum("invoices/*/lines/[source=proration]/amountMinor");
    let billed = charged - answers.sum("invoices/*/lines/*/discountMinor");
    let (left, days) = (expected.days_left, expected.days);
    let (charge, credit) = (expected.charge_minor, expected.credit_minor);
    check(
        billed == charge - credit,
        format!(
            "plan change with {left} of {days} days left: {} billed, {} - {} due",
            major(billed),
            major(charge),
            major(credit)
        ),
    )
}

fn arithmetic(answers: &Answers) -> Check {
    let adds_up = |invoice: &Value| {
        let minor = |name: &str| invoice[name].as_i64().unwrap_or(i64::MIN);
        let net = sum(invoice, "lines/*/amountMinor");
        minor("subtotalMinor") - sum(invoice, "discountMinor") == net
            && minor("taxMinor") == tax(net)
            && sum(invoice, "lines/*/taxMinor") == tax(net)
            && minor("grandTotalMinor") == net + tax(net)
            && minor("collectibleMinor") == net + tax(net)
    };
    let wrong = answers.all("invoices/*").into_iter().filter(|invoice| !adds_up(invoice));
    let wrong: Vec<String> = wrong.map(|invoice| plain(&invoice["invoiceNumber"])).collect();
    let total = major(answers.sum("invoices/*/grandTotalMinor"));
    let text = format!("lines, discounts and tax add up to {total}");
    check_none(&wrong, text, "invoices that do not add up")
}

fn paid(answers: &Answers) -> Check {
    let invoices = answers.all("invoices/*");
    let paid = |invoice: &&&Value| invoice["status"] == "paid" && invoice["outstandingMinor"] == 0;
    let (paid, all) = (invoices.iter().filter(paid).count(), invoices.len());
    let text = format!("{paid} of {all} invoices paid, nothing outstanding");
    check(paid == all && all > 0, text)
}

fn money(answers: &Answers) -> Check {
    let received = |settlement: &Value| -> i64 {
        let payments = settlement["payments"].as_array().into_iter().flatten();
        let came = payments.filter(|one| SUCCEEDED.contains(&plain(&one["status"]).as_str()));
        came.filter_map(|payment| payment["amountMinor"].as_i64()).sum()
    };
    let settlements = answers.all("settlements/*");
    let pairs = || answers.all("invoices/*").into_iter().zip(&settlements);
    let good = pairs().all(|(invoice, settlement)| {
        invoice["collectibleMinor"] == received(settlement)
            && invoice["invoiceNumber"] == settlement["invoiceNumber"]
            && settlement["paidVia"] == "payment_link"
    });
    let asked = major(answers.sum("invoices/*/collectibleMinor"));
    let came = major(settlements.iter().map(|settlement| received(settlement)).sum());
    check(good, format!("invoices ask for {asked}, their settlement trails hold {came}"))
}

fn renewals(answers: &Answers, calendar: &Calendar) -> Check {
    let counted = answers.sum("clock/*/lifecycle/renewed");
    let entries = answers.all("timeline/[kind=subscription_renewed]").len() as i64;
    // The first term of each begins with its start or its trial's end, not with a renewal.
    let due = calendar.terms().len() as i64 - 2;
    let failed = answers.sum("clock/*/invoices/failed");
    check(
        counted == due && entries == due && failed == 0,
        format!(
            "{counted} renewals counted by the clock, {entries} on the timeline, {due} were due"
        ),
    )
}

fn deliveries(answers: &Answers) -> Check {
    let known: BTreeSet<String> = answers.texts("deliveries/*/eventId").into_iter().collect();
    let events = answers.all("inbox/events/*").into_iter();
    let received = events.filter(|event| event["deliveries"].is_u64());
    let received: BTreeSet<String> = received.map(|event| plain(&event["eventId"])).collect();
    let forged = answers.all("inbox/forged/*").len();
    let delivered = answers.all("deliveries/[status=delivered]").len();
    let all = delivered == answers.all("deliveries/*").len();
    check(
        all && forged == 0 && known == received && !known.is_empty(),
        format!(
            "{} events recorded as delivered, {} received with a valid signature, {forged} without",
            known.len(),
            received.len()
        ),
    )
}

fn events(answers: &Answers) -> Check {
    let sorted = |path: &str| {
        let mut texts = answers.texts(path);
        texts.sort_unstable();
        texts
    };
    let ids = sorted("invoices/*/id");
    let kinds = ["InvoiceIssued", "InvoiceSent", "InvoicePaid"].map(str::to_owned);
    let missing = kinds.into_iter().filter(|kind| {
        sorted(&format!("inbox/events/[eventType={kind}]/payload/invoiceId")) != ids
    });
    let text = format!("one event each for {} invoices issued, sent and paid", ids.len());
    check_none(&missing.collect::<Vec<_>>(), text, "events that do not match the invoices")
}
