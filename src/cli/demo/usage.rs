//! The second chapter: metered usage, from an event to an invoice line that explains itself. It
//! plays on a contract of its own that began forty days ago, since metering goes by the wall clock.

mod checks;
mod events;

use rust_decimal::Decimal;
use serde_json::{Value, json};

use super::answers::{Answers, all, decimal, get, show, sum};
use super::chart;

pub(super) use checks::checks;
pub(super) use events::Usage;

const LIMITS: [(&str, &str); 4] = [
    ("flags/includedUnitsApplied", "included units"),
    ("flags/usageCapApplied", "usage cap"),
    ("flags/minimumApplied", "minimum"),
    ("flags/spendCapApplied", "spend cap"),
];

pub(super) fn rows(answers: &Answers) -> Value {
    let (single, batches) =
        (answers.all("single/*").len() as i64, answers.sum("batches/*/ingested"));
    let (uploaded, signed) = (answers.sum("upload/ingested"), answers.sum("signed/accepted"));
    let letters = answers.all("deadLetters/*").into_iter();
    let parked = letters.map(|row| show(row, "<source> <status> after <attempts>: <reason>"));
    let repeated = "repeated: <repeated/body/status>; its key with another quantity: \
                    <contradicted/status>";
    let mut lines: Vec<Value> =
        answers.all("usageInvoice/lines/[source=usage]").into_iter().cloned().collect();
    let ratings: Vec<Value> = lines.iter().map(rating).collect();
    lines.push(json!({
        "metricName": "All", "total": answers.show("<usageInvoice/grandTotalMinor|minor> with tax"),
        "status": answers.get("usageInvoice/status"),
    }));
    let evaluated = answers.all("evaluated/results/*").into_iter();
    let evaluated = evaluated.map(|result| with_bands(result, &Value::Null, true));
    json!({
        "recorded": single + batches + uploaded + signed,
        "intake": [
            ["one by one", single, answers.show(repeated)],
            ["batches", batches, ""],
            ["CSV file", uploaded, parked.collect::<Vec<_>>()],
            ["signed by a third party", signed, answers.show("wrongly signed: <forged/status>")],
        ],
        "evaluated": evaluated.collect::<Vec<_>>(),
        "usageLines": lines,
        "ratings": ratings,
        "chart": days(answers),
    })
}

fn rating(line: &Value) -> Value {
    let of = &line["ratingBreakdown"];
    let mut row = with_bands(of, &of["percentBps"], false);
    row["metric"] = line["metricName"].clone();
    row["amountMinor"] = json!(sum(line, "amountMinor"));
    let acted = LIMITS.iter().filter(|(flag, _)| *get(of, flag) == true);
    row["limits"] = json!(acted.map(|(_, name)| *name).collect::<Vec<_>>().join(", "));
    row
}

/// The rating with its bands as a person calculates them: `9000 × 0.015 = 135`, with their ranges:
/// `(to 10000)`.
fn with_bands(rating: &Value, percent_bps: &Value, ranges: bool) -> Value {
    let percent = percent_bps.as_i64().map(|bps| Decimal::new(bps, 2).normalize());
    let band = |band: &Value| {
        let count = match &band["packages"] {
            Value::Null => show(band, "<quantity|number>"),
            _ => show(band, "<packages|number>"),
        };
        let price = match percent {
            Some(percent) => format!("{percent} %"),
            None => show(band, "<unitPrice|number>"),
        };
        let range = match &band["upTo"] {
            _ if !ranges => String::new(),
            Value::Null => show(band, " (above <from|number>)"),
            _ => show(band, " (to <upTo|number>)"),
        };
        format!("{count} × {price}{}{range}", show(band, " = <amount|number>"))
    };
    let mut row = rating.clone();
    row["bands"] = all(rating, "lines/*").into_iter().map(band).collect();
    row
}

/// The calls of each day as a chart, and below it what it shows.
fn days(answers: &Answers) -> Vec<String> {
    let days: Vec<Decimal> =
        answers.all("days/points/*/quantity").into_iter().map(decimal).collect();
    let most = days.iter().max().copied().unwrap_or_default().normalize();
    let period = answers.show("  <days/points/0/start|day> to <days/points/last/start|day>");
    let below = format!("{period}, at most {most} a day");
    let lines = chart::columns(&days).into_iter().map(|line| format!("  {line}"));
    lines.chain([below]).collect()
}
