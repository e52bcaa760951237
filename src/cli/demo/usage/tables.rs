//! The tables of the metered usage.

use rust_decimal::Decimal;
use serde_json::{Value, json};

use super::events::Usage;
use super::meters::{CALLS, METERS, Meter};
use crate::cli::demo::answers::{Answers, all, decimal, get, show, sum};
use crate::cli::demo::{chart, table};
use crate::cli::terminal::{Terminal, grouped};

/// How many events behind a line are shown.
const EVENTS: usize = 5;

/// The limits that may act on an amount, as the breakdown names them.
const LIMITS: [(&str, &str); 4] = [
    ("flags/includedUnitsApplied", "included units"),
    ("flags/usageCapApplied", "usage cap"),
    ("flags/minimumApplied", "minimum"),
    ("flags/spendCapApplied", "spend cap"),
];

pub(crate) fn print(terminal: Terminal, answers: &Answers, usage: &Usage) {
    let (contract, Usage { start, turn, .. }) = (answers.text("metered/id"), usage);
    terminal.heading(&format!(
        "Metered usage on contract {contract}, from {start} on (its first period ended {turn})"
    ));
    table::print(
        terminal,
        &METERS.iter().map(Meter::row).collect::<Vec<_>>(),
        &[
            ("Metric", "<name>"),
            ("Aggregation", "<aggregation>"),
            ("Unit", "<unit>"),
            ("Price in EUR", "<words>"),
        ],
    );

    terminal.heading("Events, by the way they came in");
    let columns = [("Way", "<0>"), (">Recorded", "<1>"), ("Besides", "<2>")];
    table::print(terminal, &intake(answers), &columns);

    terminal.heading("The open period, live");
    table::print(
        terminal,
        answers.all("snapshot/metrics/*"),
        &[
            ("Metric", "<metricName>"),
            (">Used", "<used|number>"),
            (">Included", "<includedUnits|number>"),
            (">Of the plan", "<percentOfPlan> %"),
            ("Period", "<periodStart> → <periodEnd>"),
        ],
    );

    terminal.heading(&format!("What {CALLS} would cost, before anybody uses them"));
    let evaluated: Vec<Value> = answers
        .all("evaluated/results/*")
        .into_iter()
        .map(|result| with_bands(result, &Value::Null, true))
        .collect();
    table::print(
        terminal,
        &evaluated,
        &[
            (">Quantity", "<quantity|number>"),
            ("Bands", "<bands>"),
            (">Amount", "<amountMinor|minor>"),
        ],
    );
    invoice(terminal, answers);

    let count = grouped(answers.all("lineEvents/*").len() as u64);
    terminal.heading(&format!("The first of {count} events behind the line of {CALLS}"));
    table::print(
        terminal,
        answers.all("lineEvents/*").into_iter().take(EVENTS),
        &[
            ("Event", "<eventId>"),
            ("Occurred", "<occurredAt>"),
            (">Quantity", "<quantity|number>"),
            ("Key", "<idempotencyKey>"),
        ],
    );

    terminal.heading(&format!("{CALLS} a day"));
    let days = answers.all("days/points/*/quantity").into_iter().map(decimal);
    let days: Vec<Decimal> = days.collect();
    chart::columns(&days).iter().for_each(|line| terminal.line(&format!("  {line}")));
    let most = days.iter().max().copied().unwrap_or_default().normalize();
    let period = show(answers.get("days"), "<points/0/start|day> to <points/last/start|day>");
    terminal.line(&format!("  {period}, at most {most} a day"));

    terminal.heading(&format!("{CALLS} at 0.012 each instead: a back-test on what was recorded"));
    table::print(
        terminal,
        answers.all("backTest/periods/*"),
        &[
            ("Period", "<periodStart> → <periodEnd>"),
            (">Quantity", "<quantity|number>"),
            (">Billed", "<billedMinor|minor>"),
            (">Would be", "<wouldBeMinor|minor>"),
            (">Difference", "<differenceMinor|minor>"),
        ],
    );
}

fn intake(answers: &Answers) -> Vec<Value> {
    let letters = answers.all("deadLetters/*").into_iter();
    let parked = letters.map(|row| show(row, "<source> <status> after <attempts>: <reason>"));
    let parked = parked.collect::<Vec<_>>().join("\n");
    let (repeated, other) =
        (answers.text("repeated/body/status"), answers.text("contradicted/status"));
    let repeated = format!("repeated: {repeated}; its key with another quantity: {other}");
    let forged = format!("wrongly signed: {}", answers.text("forged/status"));
    vec![
        json!(["one by one", answers.all("single/*").len(), repeated]),
        json!(["batches", answers.sum("batches/*/ingested"), ""]),
        json!(["CSV file", answers.sum("upload/ingested"), parked]),
        json!(["signed by a third party", answers.sum("signed/accepted"), forged]),
    ]
}

fn invoice(terminal: Terminal, answers: &Answers) {
    let (number, paid) =
        (answers.text("usageInvoice/invoiceNumber"), answers.text("usagePayment/outcome"));
    terminal.heading(&format!("Usage invoice {number}, {paid}"));
    let lines = answers.all("usageInvoice/lines/[source=usage]");
    let all = json!({
        "metricName": "All",
        "total": show(answers.get("usageInvoice"), "<grandTotalMinor|minor> with tax"),
        "status": answers.get("usageInvoice/status"),
    });
    table::print(
        terminal,
        lines.iter().copied().chain([&all]),
        &[
            ("Metric", "<metricName>"),
            ("Period", "<periodStart> → <periodEnd>"),
            (">Quantity", "<quantity|number>"),
            (">Amount", "<amountMinor|minor><total>"),
            ("Status", "<status>"),
        ],
    );

    terminal.heading("How each amount came about (ratingBreakdown)");
    let lines: Vec<Value> = lines
        .into_iter()
        .map(|line| {
            let of = &line["ratingBreakdown"];
            let mut row = with_bands(of, &of["percentBps"], false);
            row["metric"] = line["metricName"].clone();
            row["amountMinor"] = json!(sum(line, "amountMinor"));
            let acted = LIMITS.iter().filter(|(flag, _)| *get(of, flag) == true);
            row["limits"] = json!(acted.map(|(_, name)| *name).collect::<Vec<_>>().join(", "));
            row
        })
        .collect();
    table::print(
        terminal,
        &lines,
        &[
            ("Metric", "<metric>"),
            (">Used", "<usedUnits|number>"),
            (">Billable", "<billableUnits|number>"),
            ("Bands", "<bands>"),
            ("Limits", "<limits>"),
            (">Exact", "<exactAmount|number>"),
            (">Amount", "<amountMinor|minor>"),
        ],
    );
    table::print(terminal, &lines, &[("Metric", "<metric>"), ("Formula", "<formula>")]);
}

/// The rating with its bands as a person reckons them: `9000 × 0.015 = 135`, with their ranges:
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
