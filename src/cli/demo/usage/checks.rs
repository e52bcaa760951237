//! What must hold for the metered usage: the server's figures beside each other and beside
//! arithmetic of our own.

use rust_decimal::{Decimal, RoundingStrategy};
use serde_json::Value;

use crate::cli::demo::answers::{Answers, all, decimal, get, plain, show};
use crate::cli::demo::table::{Check, check, check_none};

pub(crate) fn checks(answers: &Answers) -> Vec<Check> {
    vec![open_period(answers), lines(answers), breakdowns(answers)]
}

fn open_period(answers: &Answers) -> Check {
    let metrics = answers.texts("meters/*/metric/name");
    let equal = metrics.iter().filter(|name| {
        let row = answers.get(&format!("snapshot/metrics/[metricName={name}]"));
        let used = answers.get(&format!("usage/expected/{name}/usedNow"));
        decimal(&row["used"]) == decimal(used) && row["periodStart"] == *answers.get("usage/turn")
    });
    let (count, all) = (equal.count(), metrics.len());
    check(count == all, format!("{count} of {all} counters of the open period show what was sent"))
}

fn lines(answers: &Answers) -> Check {
    let metrics = answers.texts("meters/*/metric/name");
    let wrong = metrics.iter().filter_map(|name| {
        let line = answers.get(&format!("usageInvoice/lines/[metricName={name}]"));
        let expected = answers.get(&format!("usage/expected/{name}"));
        let good = decimal(&line["quantity"]) == decimal(&expected["quantity"])
            && line["amountMinor"] == expected["amountMinor"]
            && line["periodStart"] == *answers.get("usage/start")
            && line["periodEnd"] == *answers.get("usage/turn");
        (!good)
            .then(|| show(expected, &format!("{name} must be <amountMinor|minor> for <quantity>")))
    });
    let text = "each usage line has the quantity and the amount of our own arithmetic";
    check_none(&wrong.collect::<Vec<_>>(), text, "usage lines")
}

/// The breakdown's bands add up to each amount; a limit that acted explains the rest.
fn breakdowns(answers: &Answers) -> Check {
    let adds_up = |line: &Value| {
        let of = &line["ratingBreakdown"];
        let sum: Decimal = all(of, "lines/*/amount").into_iter().map(decimal).sum();
        let cents = (sum * Decimal::ONE_HUNDRED)
            .round_dp_with_strategy(0, RoundingStrategy::MidpointAwayFromZero);
        let limits = ["flags/minimumApplied", "flags/spendCapApplied"];
        sum == decimal(&of["exactAmount"])
            && (limits.iter().any(|limit| *get(of, limit) == true)
                || cents == decimal(&line["amountMinor"]))
    };
    let lines = answers.all("usageInvoice/lines/[source=usage]").into_iter();
    let wrong = lines.filter(|line| !adds_up(line)).map(|line| plain(&line["metricName"]));
    let text = "the bands of every breakdown add up to its amount";
    check_none(&wrong.collect::<Vec<_>>(), text, "bands that do not add up")
}
