//! What must hold between the figures of the year: each check compares two things that the server
//! answered independently, or one with arithmetic of our own.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::tax;
use crate::cli::demo::answers::{Answers, plain, sum};
use crate::cli::demo::table::{Check, check, check_none};
use crate::cli::numbers;
use crate::cli::terminal::major;

const SUCCEEDED: [&str; 3] = ["provider_completed", "settled", "deposit_confirmed"];

pub(crate) fn checks(answers: &Answers) -> Vec<Check> {
    vec![
        invoice_numbers(answers),
        terms(answers),
        arithmetic(answers),
        money(answers),
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

fn terms(answers: &Answers) -> Check {
    let lines = answers.all("invoices/*/lines/[source=subscription]").into_iter();
    let term =
        |line: &Value| json!([line["periodStart"], line["periodEnd"], line["unitPriceMinor"]]);
    let billed: Vec<Value> = lines.map(term).collect();
    let due = answers.all("calendar/terms/*");
    let missing = due.iter().filter(|term| !billed.contains(term)).map(|term| term.to_string());
    let missing: Vec<String> = missing.collect();
    let text = format!("{} terms billed once each, {} were due", billed.len(), due.len());
    match billed.len() == due.len() {
        true => check_none(&missing, text, "terms that were not billed"),
        false => check(false, text),
    }
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
