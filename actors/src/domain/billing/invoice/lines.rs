//! Line and total arithmetic: a line's gross is its quantity times its price,
//! rounded half up; its net is the gross less the discount; tax is taken on the nets.

use rust_decimal::{Decimal, prelude::ToPrimitive};

use crate::domain::billing::invoice::{InvoiceLine, InvoiceLineId, InvoiceRefusal};
use crate::domain::billing::tax::{TaxCategory, TaxSubtotal, summarize, tax_by_line};
use crate::domain::ids::InvoiceId;
use crate::domain::money::{MoneyError, bounded, round_half_up};
use crate::domain::quantity::{Quantity, TaxRate};

/// The most categories and rates on one document, and on all credit notes of one, so that its row stays within its bounds.
pub(super) const MAX_TAX_SUBTOTALS: usize = 1_000;

/// What the lines of a document add up to, in minor units.
#[derive(Clone, Copy, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct Totals {
    /// All lines before discounts.
    #[n(0)]
    pub subtotal_minor: i64,
    /// All discounts, 0 or more.
    #[n(1)]
    pub discount_minor: i64,
    #[n(2)]
    pub tax_minor: i64,
    #[n(3)]
    pub grand_total_minor: i64,
}

/// `quantity` × `unit_price_minor`, rounded half up to a minor unit.
pub(super) fn gross(quantity: Quantity, unit_price_minor: i64) -> Result<i64, MoneyError> {
    // Whatever lies within 10^15 with nine decimals is exact in a decimal of 28 digits.
    quantity
        .value()
        .checked_mul(Decimal::from(unit_price_minor))
        .ok_or(MoneyError::TooLarge)
        .and_then(round_half_up)
}

/// The whole price of one that gives exactly this amount, if there is one.
pub(super) fn whole_unit_price(amount_minor: i64, quantity: Quantity) -> Option<i64> {
    let price = Decimal::from(amount_minor).checked_div(quantity.value())?.normalize();
    let whole = price.to_i64().filter(|_| price.is_integer())?;
    let product = quantity.value().checked_mul(Decimal::from(whole))?;
    (product == Decimal::from(amount_minor)).then_some(whole)
}

/// Gives the lines of `invoice` their ids and their tax, and adds them up. The lines come with
/// amount, discount and rate.
pub(super) fn total(
    invoice: InvoiceId,
    lines: &mut [InvoiceLine],
) -> Result<Totals, InvoiceRefusal> {
    if lines.len() > super::MAX_DOCUMENT_LINES {
        return Err(InvoiceRefusal::TooManyLines(super::MAX_DOCUMENT_LINES));
    }
    let taxes = tax_by_line(&taxed(lines))?;
    add_up(invoice, lines, taxes)
}

/// The net amounts of lines with their rates.
pub(super) fn taxed(lines: &[InvoiceLine]) -> Vec<(i64, TaxRate)> {
    lines.iter().map(|line| (line.amount_minor, line.tax_rate)).collect()
}

/// Gives the lines of `invoice` their ids and these taxes, and adds them up.
pub(super) fn add_up(
    invoice: InvoiceId,
    lines: &mut [InvoiceLine],
    taxes: Vec<i64>,
) -> Result<Totals, InvoiceRefusal> {
    for (index, (line, tax)) in lines.iter_mut().zip(taxes).enumerate() {
        line.id = InvoiceLineId::new(invoice, index);
        line.tax_minor = tax;
    }
    let sum = |part: fn(&InvoiceLine) -> i64| {
        lines.iter().map(|line| i128::from(part(line))).sum::<i128>()
    };
    let subtotal = sum(InvoiceLine::gross_minor);
    let discount = sum(|line| line.discount_minor);
    let tax = sum(|line| line.tax_minor);
    Ok(Totals {
        subtotal_minor: bounded(subtotal)?,
        discount_minor: bounded(discount)?,
        tax_minor: bounded(tax)?,
        grand_total_minor: bounded(subtotal - discount + tax)?,
    })
}

/// What the taxed lines of a document add up to by category and rate.
pub(super) fn tax_summary(lines: &[InvoiceLine]) -> Result<Vec<TaxSubtotal>, InvoiceRefusal> {
    let taxed = |line: &InvoiceLine| (line.tax_treatment(), line.amount_minor, line.tax_minor);
    let summary = summarize(lines.iter().map(taxed))?;
    let outside = |of: &TaxSubtotal| of.category == TaxCategory::OutOfScope;
    if summary.len() > 1 && summary.iter().any(outside) {
        return Err(InvoiceRefusal::OutOfScopeBesideOthers);
    }
    if summary.len() > MAX_TAX_SUBTOTALS {
        return Err(InvoiceRefusal::TooManyTaxRates(MAX_TAX_SUBTOTALS));
    }
    Ok(summary)
}
