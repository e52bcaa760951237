//! What must hold in the metering chapter: the server's figures beside each other and beside
//! arithmetic of our own.

use rust_decimal::{Decimal, RoundingStrategy};

use super::meter::Meter;
use super::plan::{Plan, TAX_PERCENT, decimal};
use super::records::{UsageLine, Used};
use super::{Metered, hundredths};
use crate::cli::demo::checks::Check;
use crate::cli::terminal::{grouped, major};

/// All checks, in the order of the tables.
pub(in crate::cli::demo) fn checks(metered: &Metered) -> Vec<Check> {
    vec![
        recorded(metered),
        turned_away(metered),
        open_period(metered),
        lines(metered),
        explained(metered),
        total(metered),
        events(metered),
        days(metered),
        back_test(metered),
        late(metered),
    ]
}

fn check(good: bool, text: String) -> Check {
    Check { good, text }
}

fn recorded(metered: &Metered) -> Check {
    let (plan, intake) = (&metered.plan, &metered.intake);
    let sent = [plan.present(), plan.calls(), plan.logins(), plan.storage(), plan.sales()];
    let sent: u64 = sent.iter().map(|events| events.len() as u64).sum();
    let found = intake.single + intake.batched + intake.csv + intake.inbound;
    let (found_text, sent_text) = (grouped(found), grouped(sent));
    check(found == sent, format!("{found_text} events recorded in four ways, {sent_text} sent"))
}

fn turned_away(metered: &Metered) -> Check {
    let intake = &metered.intake;
    let parked = intake.parked.len();
    let good = intake.repeated == "duplicate"
        && intake.contradicted == 409
        && intake.forged == 401
        && parked == 1;
    check(
        good,
        format!(
            "a repeated event is a {}, a contradicting one {}, a forged call {}; {parked} row parked",
            intake.repeated, intake.contradicted, intake.forged
        ),
    )
}

fn open_period(metered: &Metered) -> Check {
    let equal = |meter: &Meter| {
        let of_meter = |used: &&Used| used.metric_name == meter.name();
        metered.snapshot.iter().find(of_meter).is_some_and(|used| {
            hundredths(used.used) == Some(Plan::used_now(*meter))
                && used.period_start == Some(metered.plan.turn)
        })
    };
    let (count, all) = (Meter::ALL.iter().filter(|meter| equal(meter)).count(), Meter::ALL.len());
    check(count == all, format!("{count} of {all} counters of the open period show what was sent"))
}

fn lines(metered: &Metered) -> Check {
    let mut wrong = Vec::new();
    for meter in Meter::ALL {
        let expected = metered.plan.expected(meter);
        let found = metered.explained.lines.iter().find(|line| line.metric_name == meter.name());
        let good = found.is_some_and(|line| {
            hundredths(line.quantity) == Some(expected.hundredths)
                && line.amount_minor == expected.amount_minor
                && (line.period_start, line.period_end) == (metered.plan.start, metered.plan.turn)
        });
        if !good {
            let quantity = decimal(expected.hundredths);
            let amount = major(expected.amount_minor);
            wrong.push(format!("{} must be {amount} for {quantity}", meter.name()));
        }
    }
    let count = metered.explained.lines.len();
    let text = match wrong.as_slice() {
        [] => format!("{count} usage lines have the quantities and amounts of our own arithmetic"),
        wrong => format!("usage lines: {}", wrong.join(", ")),
    };
    check(wrong.is_empty() && count == Meter::ALL.len(), text)
}

/// The breakdown's bands add up to each amount; a limit that acted explains the rest.
fn explained(metered: &Metered) -> Check {
    let wrong = metered.explained.lines.iter().find(|line| !adds_up(line));
    match wrong {
        None => check(true, "the bands of every breakdown add up to its amount".to_owned()),
        Some(line) => check(false, format!("the bands of {} do not add up", line.metric_name)),
    }
}

fn adds_up(line: &UsageLine) -> bool {
    let flags = line.rating_breakdown.flags;
    let sum: Decimal = line.rating_breakdown.lines.iter().map(|band| band.amount).sum();
    let cents = sum * Decimal::ONE_HUNDRED;
    let rounded = cents.round_dp_with_strategy(0, RoundingStrategy::MidpointAwayFromZero);
    if sum != line.rating_breakdown.exact_amount {
        return false;
    }
    let limited = flags.minimum_applied || flags.spend_cap_applied;
    limited || rounded == Decimal::from(line.amount_minor)
}

fn total(metered: &Metered) -> Check {
    let net: i64 = Meter::ALL.map(|meter| metered.plan.expected(meter).amount_minor).iter().sum();
    // One rate on all lines: rounded half up once on their sum.
    let due = net + (net * TAX_PERCENT * 2 + 100).div_euclid(200);
    let invoice = &metered.invoice;
    let good = invoice.grand_total_minor == due
        && invoice.status == "paid"
        && invoice.outstanding_minor == 0;
    let (found, due) = (major(invoice.grand_total_minor), major(due));
    check(good, format!("usage invoice of {found} {}, {due} due", invoice.status))
}

fn events(metered: &Metered) -> Check {
    let sent = metered.plan.calls();
    let events = &metered.explained.events;
    let sum: Decimal = events.iter().map(|event| event.quantity).sum();
    let expected = metered.plan.expected(Meter::Calls).hundredths;
    let good = events.len() == sent.len() && hundredths(sum) == Some(expected);
    let count = events.len();
    check(good, format!("{count} events behind the line of the calls add up to {sum}"))
}

fn days(metered: &Metered) -> Check {
    let days = &metered.explained.days;
    let sum: Decimal = days.iter().map(|day| day.quantity).sum();
    let good = hundredths(sum) == Some(metered.plan.expected(Meter::Calls).hundredths);
    check(good, format!("{} days of the series add up to {sum}", days.len()))
}

fn back_test(metered: &Metered) -> Check {
    let (billed, other) =
        (metered.plan.expected(Meter::Calls).amount_minor, metered.plan.calls_at_flat_price());
    let good = matches!(metered.explained.tested.as_slice(), [one]
        if one.billed_minor == billed
            && one.would_be_minor == other
            && one.difference_minor == other - billed);
    let (billed, other) = (major(billed), major(other));
    check(good, format!("back-test: {billed} was billed, {other} would have been"))
}

fn late(metered: &Metered) -> Check {
    let good = metered.late.late && metered.total_after == metered.invoice.grand_total_minor;
    let total = major(metered.total_after);
    check(good, format!("an event for the closed period is marked late; the invoice stays {total}"))
}
