//! What must hold for the metered usage: the server's figures beside each other and beside
//! arithmetic of our own.

use rust_decimal::{Decimal, RoundingStrategy};
use serde_json::{Value, json};

use super::events::{Usage, decimal};
use super::meters::{CALLS, METERS};
use crate::cli::demo::answers::{self, Answers, all, get, plain};
use crate::cli::demo::table::{Check, check, check_none};
use crate::cli::demo::year::tax;
use crate::cli::terminal::{grouped, major};

/// All checks, in the order of the tables.
pub(crate) fn checks(answers: &Answers, usage: &Usage) -> Vec<Check> {
    let (calls, total) = (usage.expected(CALLS), answers.sum("usageInvoice/grandTotalMinor"));
    let quantity = answers.total("lineEvents/*/quantity");
    let events = answers.all("lineEvents/*").len();
    let (of_days, days) =
        (answers.total("days/points/*/quantity"), answers.all("days/points/*").len());
    let after = answers.sum("usageInvoiceAfter/grandTotalMinor");
    vec![
        recorded(answers, usage),
        refused(answers),
        open_period(answers, usage),
        lines(answers, usage),
        breakdowns(answers),
        invoice(answers, usage),
        check(
            events == usage.calls().len() && quantity == calls.quantity(),
            format!("{events} events behind the line of the calls add up to {quantity}"),
        ),
        check(
            of_days == calls.quantity(),
            format!("{days} days of the series add up to {of_days}"),
        ),
        back_test(answers, usage),
        check(
            answers.get("late/late") == true && after == total,
            format!(
                "an event for the closed period is marked late; the invoice stays {}",
                major(after)
            ),
        ),
    ]
}

fn recorded(answers: &Answers, usage: &Usage) -> Check {
    let found = ["batches/*/ingested", "upload/ingested", "signed/accepted"];
    let found = answers.all("single/*").len() as i64
        + found.map(|path| answers.sum(path)).iter().sum::<i64>();
    let sent = usage.sent() as u64;
    let (good, found) = (found == sent as i64, grouped(found.unsigned_abs()));
    check(good, format!("{found} events recorded in four ways, {} sent", grouped(sent)))
}

fn refused(answers: &Answers) -> Check {
    let repeated = answers.text("repeated/body/status");
    let (other, forged) = (answers.get("contradicted/status"), answers.get("forged/status"));
    let parked = answers.all("deadLetters/*").len();
    check(
        repeated == "duplicate" && *other == 409 && *forged == 401 && parked == 1,
        format!(
            "a repeated event is a {repeated}, a contradicting one {other}, a forged call {forged}; \
             {parked} row parked"
        ),
    )
}

fn open_period(answers: &Answers, usage: &Usage) -> Check {
    let equal = METERS.iter().filter(|meter| {
        let row = answers.get(&format!("snapshot/metrics/[metricName={}]", meter.name));
        let used = Decimal::new(Usage::used_now(meter.name), 2);
        answers::decimal(&row["used"]) == used && row["periodStart"] == json!(usage.turn)
    });
    let (count, all) = (equal.count(), METERS.len());
    check(count == all, format!("{count} of {all} counters of the open period show what was sent"))
}

fn lines(answers: &Answers, usage: &Usage) -> Check {
    let wrong = METERS.iter().filter_map(|meter| {
        let (expected, name) = (usage.expected(meter.name), meter.name);
        let line = answers.get(&format!("usageInvoice/lines/[metricName={name}]"));
        let good = answers::decimal(&line["quantity"]) == expected.quantity()
            && line["amountMinor"] == expected.amount_minor
            && line["periodStart"] == json!(usage.start)
            && line["periodEnd"] == json!(usage.turn);
        let amount = major(expected.amount_minor);
        (!good).then(|| format!("{name} must be {amount} for {}", decimal(expected.hundredths)))
    });
    let count = answers.all("usageInvoice/lines/[source=usage]").len();
    let text = format!("{count} usage lines have the quantities and amounts of our own arithmetic");
    check_none(&wrong.collect::<Vec<_>>(), text, "usage lines")
}

/// The breakdown's bands add up to each amount; a limit that acted explains the rest.
fn breakdowns(answers: &Answers) -> Check {
    let adds_up = |line: &Value| {
        let of = &line["ratingBreakdown"];
        let sum: Decimal = all(of, "lines/*/amount").into_iter().map(answers::decimal).sum();
        let cents = (sum * Decimal::ONE_HUNDRED)
            .round_dp_with_strategy(0, RoundingStrategy::MidpointAwayFromZero);
        let limits = ["flags/minimumApplied", "flags/spendCapApplied"];
        sum == answers::decimal(&of["exactAmount"])
            && (limits.iter().any(|limit| *get(of, limit) == true)
                || cents == answers::decimal(&line["amountMinor"]))
    };
    let lines = answers.all("usageInvoice/lines/[source=usage]").into_iter();
    let wrong = lines.filter(|line| !adds_up(line)).map(|line| plain(&line["metricName"]));
    let text = "the bands of every breakdown add up to its amount";
    check_none(&wrong.collect::<Vec<_>>(), text, "bands that do not add up")
}

fn invoice(answers: &Answers, usage: &Usage) -> Check {
    let net = METERS.iter().map(|meter| usage.expected(meter.name).amount_minor).sum();
    let due = net + tax(net);
    let invoice = answers.get("usageInvoice");
    let good = invoice["grandTotalMinor"] == due
        && invoice["status"] == "paid"
        && invoice["outstandingMinor"] == 0;
    let (found, status) = (answers.sum("usageInvoice/grandTotalMinor"), plain(&invoice["status"]));
    check(good, format!("usage invoice of {} {status}, {} due", major(found), major(due)))
}

fn back_test(answers: &Answers, usage: &Usage) -> Check {
    let billed = usage.expected(CALLS).amount_minor;
    let other = usage.calls_at_flat_price();
    let figures = ["billedMinor", "wouldBeMinor", "differenceMinor"]
        .map(|name| answers.sum(&format!("backTest/periods/*/{name}")));
    let one = answers.all("backTest/periods/*").len() == 1;
    let (billed_text, other_text) = (major(billed), major(other));
    check(
        one && figures == [billed, other, other - billed],
        format!("back-test: {billed_text} was billed, {other_text} would have been"),
    )
}
