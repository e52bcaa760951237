//! An invoice as its payment page shows it.

use actors::domain::billing::invoice::InvoiceLine;
use actors::domain::money::{Currency, Money};

use super::state::Loaded;
use crate::pages::bill::{BillSums, BillView, LineView};

/// The bill: lines net of discounts, then tax, credit, and what is left.
pub(super) fn view(loaded: &Loaded) -> BillView {
    let invoice = &loaded.invoice;
    let money = |minor| Money { minor, currency: invoice.currency };
    let sums = BillSums {
        net: money(invoice.totals.subtotal_minor - invoice.totals.discount_minor),
        tax: money(invoice.totals.tax_minor),
        credit: money(invoice.credit_applied_minor),
        settled: money(invoice.collectible_minor - invoice.outstanding_minor),
        outstanding: loaded.outstanding(),
    };
    let lines = loaded.lines.iter().map(|row| line(row, invoice.currency)).collect();
    BillView::new(&loaded.number(), invoice.due_date, lines, sums)
}

fn line(line: &InvoiceLine, currency: Currency) -> LineView {
    let amount = Money { minor: line.amount_minor, currency };
    let period = line.period_start.zip(line.period_end);
    LineView::new(&line.description, &line.quantity.to_string(), period, amount)
}
