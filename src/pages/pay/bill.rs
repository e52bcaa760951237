//! An invoice as its payment page shows it.

use actors::domain::billing::invoice::InvoiceLine;
use actors::domain::money::{Currency, Money};

use super::state::Loaded;
use crate::pages::bill::{BillSums, BillView, LineView};
use crate::pages::language::Words;

/// The bill: lines before discounts, then discounts, tax, credit, and what is left.
pub(super) fn view(loaded: &Loaded) -> BillView {
    let invoice = &loaded.invoice;
    let money = |minor| Money { minor, currency: invoice.currency };
    let sums = BillSums {
        subtotal: money(invoice.totals.subtotal_minor),
        discount: money(invoice.totals.discount_minor),
        tax: money(invoice.totals.tax_minor),
        credit: money(invoice.credit_applied_minor),
        settled: money(invoice.collectible_minor - invoice.outstanding_minor),
        outstanding: loaded.outstanding(),
    };
    let lines = loaded.lines.iter().map(|row| line(loaded.t, row, invoice.currency)).collect();
    BillView::new(loaded.t, &loaded.number(), invoice.due_date, lines, sums)
}

fn line(t: &Words, line: &InvoiceLine, currency: Currency) -> LineView {
    let money = |minor| Money { minor, currency };
    let period = line.period_start.zip(line.period_end);
    let (quantity, gross) = (line.quantity.to_string(), money(line.gross_minor()));
    let view = LineView::new(t, &line.description, &quantity, period, gross);
    let of_changes: i64 = line.credits.iter().map(|credit| credit.amount_minor).sum();
    let view = line
        .credits
        .iter()
        .fold(view, |view, credit| view.less(t, &credit.description, money(credit.amount_minor)));
    match line.discount_minor - of_changes {
        0 => view,
        other => view.less(t, t.discount, money(other)),
    }
}
