//! The tables of the metering chapter.

use comfy_table::Cell;
use rust_decimal::Decimal;

use super::Metered;
use super::chart;
use super::meter::Meter;
use super::records::{Band, Flags};
use crate::cli::terminal::{Terminal, grouped, major, status};

/// How many events behind a line are shown.
const EVENTS: usize = 5;

/// Prints everything that happened.
pub(in crate::cli::demo) fn print(terminal: Terminal, metered: &Metered) {
    let plan = &metered.plan;
    terminal.heading(&format!(
        "Metered usage on contract {}, from {} on (its first period ended {})",
        metered.contract, plan.start, plan.turn
    ));
    prices(terminal);
    intake(terminal, metered);
    snapshot(terminal, metered);
    evaluation(terminal, metered);
    invoice(terminal, metered);
    breakdown(terminal, metered);
    events(terminal, metered);
    days(terminal, metered);
    back_test(terminal, metered);
}

fn prices(terminal: Terminal) {
    let mut table = terminal.table(&["Metric", "Aggregation", "Unit", "Price in EUR"], &[]);
    for meter in Meter::ALL {
        let registered = meter.registration();
        let text = |name: &str| registered[name].as_str().unwrap_or_default().to_owned();
        let price = meter.price_words().to_owned();
        table.add_row(vec![meter.name().to_owned(), text("aggregation"), text("unit"), price]);
    }
    terminal.show(&table);
}

fn intake(terminal: Terminal, metered: &Metered) {
    terminal.heading("Events, by the way they came in");
    let of = &metered.intake;
    let mut table = terminal.table(&["Way", "Recorded", "Besides"], &[1]);
    let parked = of.parked.iter().map(|letter| {
        format!("{} {} after {}: {}", letter.source, letter.status, letter.attempts, letter.reason)
    });
    let rows = [
        (
            "one by one",
            of.single,
            format!(
                "repeated: {}; its key with another quantity: {}",
                of.repeated, of.contradicted
            ),
        ),
        ("batches", of.batched, String::new()),
        ("CSV file", of.csv, parked.collect::<Vec<_>>().join("\n")),
        ("signed by a third party", of.inbound, format!("wrongly signed: {}", of.forged)),
    ];
    for (way, recorded, besides) in rows {
        table.add_row(vec![way.to_owned(), grouped(recorded), besides]);
    }
    terminal.show(&table);
}

fn snapshot(terminal: Terminal, metered: &Metered) {
    terminal.heading("The open period, live");
    let header = ["Metric", "Used", "Included", "Of the plan", "Period"];
    let mut table = terminal.table(&header, &[1, 2, 3]);
    let text = |number: Option<Decimal>| number.map_or_else(String::new, quantity);
    for used in &metered.snapshot {
        let share = used.percent_of_plan.map_or_else(String::new, |share| format!("{share} %"));
        let period = match (used.period_start, used.period_end) {
            (Some(start), Some(end)) => format!("{start} → {end}"),
            _ => String::new(),
        };
        table.add_row(vec![
            used.metric_name.clone(),
            quantity(used.used),
            text(used.included_units),
            share,
            period,
        ]);
    }
    terminal.show(&table);
}

fn evaluation(terminal: Terminal, metered: &Metered) {
    terminal.heading(&format!("What {} would cost, before anybody uses them", Meter::Calls.name()));
    let mut table = terminal.table(&["Quantity", "Bands", "Amount"], &[0, 2]);
    for one in &metered.evaluated {
        let bands = one.lines.iter().map(|of| format!("{} ({})", band(of, None), range(of)));
        let bands = bands.collect::<Vec<_>>().join("\n");
        table.add_row(vec![quantity(one.quantity), bands, major(one.amount_minor)]);
    }
    terminal.show(&table);
}

fn invoice(terminal: Terminal, metered: &Metered) {
    let invoice = &metered.invoice;
    terminal.heading(&format!("Usage invoice {}, {}", invoice.invoice_number, metered.paid));
    let header = ["Metric", "Period", "Quantity", "Amount", "Status"];
    let mut table = terminal.table(&header, &[2, 3]);
    for line in &metered.explained.lines {
        table.add_row(vec![
            Cell::new(&line.metric_name),
            Cell::new(format!("{} → {}", line.period_start, line.period_end)),
            Cell::new(quantity(line.quantity)),
            Cell::new(major(line.amount_minor)),
        ]);
    }
    let total = format!("{} with tax", major(invoice.grand_total_minor));
    table.add_row(vec![
        Cell::new("All"),
        Cell::new(""),
        Cell::new(""),
        Cell::new(total),
        status(&invoice.status),
    ]);
    terminal.show(&table);
}

fn breakdown(terminal: Terminal, metered: &Metered) {
    terminal.heading("How each amount came about (ratingBreakdown)");
    let header = ["Metric", "Used", "Billable", "Bands", "Limits", "Exact", "Amount"];
    let mut table = terminal.table(&header, &[1, 2, 5, 6]);
    for line in &metered.explained.lines {
        let of = &line.rating_breakdown;
        table.add_row(vec![
            line.metric_name.clone(),
            quantity(of.used_units),
            quantity(of.billable_units),
            of.lines.iter().map(|line| band(line, of.percent_bps)).collect::<Vec<_>>().join("\n"),
            limits(of.flags),
            quantity(of.exact_amount),
            major(line.amount_minor),
        ]);
    }
    terminal.show(&table);
    let mut table = terminal.table(&["Metric", "Formula"], &[]);
    for line in &metered.explained.lines {
        table.add_row(vec![&line.metric_name, &line.rating_breakdown.formula]);
    }
    terminal.show(&table);
}

fn events(terminal: Terminal, metered: &Metered) {
    let events = &metered.explained.events;
    let (name, count) = (Meter::Calls.name(), grouped(events.len() as u64));
    terminal.heading(&format!("The first of {count} events behind the line of {name}"));
    let mut table = terminal.table(&["Event", "Occurred", "Quantity", "Key"], &[2]);
    for event in events.iter().take(EVENTS) {
        table.add_row(vec![
            event.event_id.to_string(),
            event.occurred_at.to_string(),
            quantity(event.quantity),
            event.idempotency_key.clone(),
        ]);
    }
    terminal.show(&table);
}

fn days(terminal: Terminal, metered: &Metered) {
    let days = &metered.explained.days;
    terminal.heading(&format!("{} a day", Meter::Calls.name()));
    let quantities: Vec<Decimal> = days.iter().map(|day| day.quantity).collect();
    for line in chart::columns(&quantities) {
        terminal.line(&format!("  {line}"));
    }
    let most = quantities.iter().copied().max().unwrap_or_default();
    if let (Some(first), Some(last)) = (days.first(), days.last()) {
        let (first, last) = (first.start.date(), last.start.date());
        terminal.line(&format!("  {first} to {last}, at most {} a day", quantity(most)));
    }
}

fn back_test(terminal: Terminal, metered: &Metered) {
    let name = Meter::Calls.name();
    terminal.heading(&format!("{name} at 0.012 each instead: a back-test on what was recorded"));
    let header = ["Period", "Quantity", "Billed", "Would be", "Difference"];
    let mut table = terminal.table(&header, &[1, 2, 3, 4]);
    for period in &metered.explained.tested {
        table.add_row(vec![
            format!("{} → {}", period.period_start, period.period_end),
            quantity(period.quantity),
            major(period.billed_minor),
            major(period.would_be_minor),
            major(period.difference_minor),
        ]);
    }
    terminal.show(&table);
}

/// A band as a person reckons it: `9000 × 0.015 = 135`.
fn band(band: &Band, percent_bps: Option<i64>) -> String {
    let count = quantity(band.packages.unwrap_or(band.quantity));
    let amount = quantity(band.amount);
    let price = band.unit_price.map(quantity);
    let share = || percent_bps.map(|bps| format!("{} %", quantity(Decimal::new(bps, 2))));
    match price.or_else(share) {
        Some(price) => format!("{count} × {price} = {amount}"),
        None => format!("{count}: {amount}"),
    }
}

fn range(band: &Band) -> String {
    match band.up_to {
        Some(up_to) => format!("to {}", quantity(up_to)),
        None => format!("above {}", quantity(band.from)),
    }
}

fn limits(flags: Flags) -> String {
    let named = [
        (flags.included_units_applied, "included units"),
        (flags.usage_cap_applied, "usage cap"),
        (flags.minimum_applied, "minimum"),
        (flags.spend_cap_applied, "spend cap"),
    ];
    let acted = named.iter().filter(|(acted, _)| *acted).map(|(_, name)| *name);
    acted.collect::<Vec<_>>().join(", ")
}

fn quantity(number: Decimal) -> String {
    number.normalize().to_string()
}
