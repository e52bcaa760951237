//! The fourth chapter: a saved card that fails when it is charged, is tried again, and is followed
//! by one that pays.

use actors::domain::time::Date;
use serde_json::{Value, json};

use super::answers::Answers;
use super::table::Check;

/// What the timeline tells of it.
const KINDS: [&str; 7] = [
    "card_saved",
    "invoice_issued",
    "card_charge_failed",
    "subscription_past_due",
    "invoice_paid",
    "subscription_recovered",
    "card_charged",
];

/// Where the clock is advanced to: to the second term, beyond the last retry, to the third term.
pub(super) fn data(today: Date) -> Value {
    let noon = |day: Date| day.start().plus_seconds(12 * 3600).to_string();
    let next = today.plus_months(1);
    json!({
        "next": noon(next), "retried": noon(next.plus_days(8)),
        "after": noon(today.plus_months(2)),
    })
}

pub(super) fn rows(answers: &Answers) -> Value {
    let told = answers.all("dunning/*").into_iter();
    let told = told.filter(|entry| KINDS.iter().any(|kind| entry["kind"] == *kind));
    json!({"dunning": told.collect::<Vec<_>>()})
}

pub(super) fn checks(_: &Answers) -> Vec<Check> {
    Vec::new()
}
