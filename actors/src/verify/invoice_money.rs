//! What invoices say of their money: what is outstanding, what stored credit has paid, and what
//! credit notes take off.

use storage::{ReadError, Scan};

use super::invoices::percent_of;
use super::reading::Reading;
use super::run::Found;
use crate::domain::billing::invoice::{Invoice, InvoiceStatus, digest_of};
use crate::domain::billing::tax::{TaxSubtotal, added, at_rate};
use crate::domain::ids::{InvoiceId, SellerId};
use crate::listing::Facet;
use crate::tables::{DRAWN_CREDIT, INVOICE_NUMBERS, INVOICES, PLACES};

/// What is still to come is what neither money nor credit nor credit notes have settled.
pub(super) fn outstanding(invoice: &Invoice, grand: i128, found: &mut Found<'_>) {
    let note = invoice.is_credit_note();
    let applied = i128::from(invoice.credit_applied_minor);
    let collectible = if note { 0 } else { grand - applied };
    found.same("collectible amount", collectible, i128::from(invoice.collectible_minor));
    let counted = invoice.payments.iter().filter(|payment| payment.reversed_at.is_none());
    let paid: i128 = counted.map(|payment| i128::from(payment.amount_minor)).sum();
    let deposits = invoice.deposits.iter().map(|deposit| i128::from(deposit.counted_minor));
    let [credited, given_back, returned] =
        [invoice.credited_minor, invoice.given_back_minor, invoice.credit_returned_minor]
            .map(i128::from);
    let asked = match invoice.status {
        InvoiceStatus::Voided | InvoiceStatus::WrittenOff => 0,
        _ => collectible - paid - deposits.sum::<i128>() - (credited - given_back - returned),
    };
    found.same("outstanding amount", asked, i128::from(invoice.outstanding_minor));
    let within = note || (0..=grand).contains(&credited);
    found.holds("credit notes within their invoice", within, &(credited, grand));
    let paid_back = invoice.given_back.iter().filter(|given| given.payment.is_none());
    let paid_back: i128 = paid_back.map(|given| i128::from(given.amount_minor)).sum();
    let within = paid_back <= given_back;
    found.holds("money that became credit within what was given back", within, &invoice.given_back);
    let within = (0..=applied).contains(&returned);
    found.holds("credit that came back within what was drawn", within, &(returned, applied));
}

/// What an invoice says of stored credit is what it has drawn and what came back.
pub(super) fn credit(
    reading: &Reading,
    key: &(SellerId, InvoiceId),
    invoice: &Invoice,
    found: &mut Found<'_>,
) -> Result<(), ReadError> {
    if invoice.credit_applied_minor == 0 {
        return Ok(());
    }
    let (mut drawn, mut returned) = (0_i128, 0_i128);
    for row in reading.scan(DRAWN_CREDIT, Scan::prefix(key)) {
        let (_, row) = row?;
        drawn += i128::from(row.amount_minor);
        returned += i128::from(row.returned_minor);
    }
    let stated = [invoice.credit_applied_minor, invoice.credit_returned_minor].map(i128::from);
    found.same("stored credit of an invoice", [drawn, returned], stated);
    Ok(())
}

/// A credit note is counted by the invoice that it corrects, and an invoice counts those there
/// are.
pub(super) fn notes(
    reading: &Reading,
    seller: SellerId,
    invoice: &Invoice,
    found: &mut Found<'_>,
) -> Result<(), ReadError> {
    if let (true, Some(number)) = (invoice.is_credit_note(), invoice.corrects) {
        let series = number.series;
        let row = (seller, series.year, series.month, number.order);
        let corrected = match reading.get(INVOICE_NUMBERS, &row)? {
            Some(numbered) => reading.get(INVOICES, &(seller, numbered.document))?,
            None => None,
        };
        let note = -invoice.totals.grand_total_minor;
        let counted = corrected.is_some_and(|of| of.credited_minor >= note);
        found.holds("credit note that its invoice counts", counted, &number);
    }
    let Some(number) = invoice.number.filter(|_| invoice.credited_minor > 0) else { return Ok(()) };
    let place = (seller, Facet::InvoiceCorrects as u8, digest_of(&number.to_string()));
    let (mut sum, mut count, mut taxes) = (0_i128, 0, Vec::new());
    for key in reading.scan(PLACES, Scan::prefix(&place)).keys() {
        let note = reading.get(INVOICES, &(seller, InvoiceId(key?.3)))?;
        let note = note.filter(|note| note.is_credit_note() && note.corrects == Some(number));
        let Some(note) = note else { continue };
        sum -= i128::from(note.totals.grand_total_minor);
        count += 1;
        let of_note: Vec<_> = note.tax_summary.iter().map(TaxSubtotal::negated).collect();
        taxes = added(&taxes, &of_note).unwrap_or_default();
    }
    found.same("credit notes of an invoice", sum, i128::from(invoice.credited_minor));
    // Of notes from before it was kept nothing stands there.
    if !invoice.credited_taxes.is_empty() {
        found.same("tax of the credit notes of an invoice", &taxes, &invoice.credited_taxes);
    }
    for of in &taxes {
        let (net, tax) = at_rate(&taxes, of.rate);
        let exact = percent_of(i128::from(net), of.rate);
        // Notes were once rounded each for itself.
        let near = exact.is_some_and(|exact| (exact - i128::from(tax)).abs() <= count / 2);
        found.holds("tax of the credit notes at one rate", near, &of.rate);
    }
    Ok(())
}
