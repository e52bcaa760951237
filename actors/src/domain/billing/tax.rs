//! Tax on the lines of a document: how each is treated, and what it comes to.
//!
//! The lines of one rate are taxed together: the tax of their sum is rounded half up once, then
//! shared among them so that they add up to it.

mod category;
mod eu;
mod rates;
mod rules;
mod summary;
#[cfg(test)]
mod tests;
mod vat_id;

use rust_decimal::Decimal;

use crate::domain::money::{MoneyError, allocate_largest_remainder, round_half_up};
use crate::domain::quantity::TaxRate;

pub use category::{TaxCategory, TaxKind};
pub use eu::{eu_country, is_in_eu};
pub use rates::{CountryRate, RateKind, rates_begin, rates_of};
pub use rules::{AutomaticTax, StatedTax, TaxRules, TaxTreatment};
pub use summary::{TaxSubtotal, added, at_rate, summarize};
pub use vat_id::is_vat_id_of;

/// The tax of each line, in minor units, in the order of `lines`: a line is its net amount
/// (at most 10^15 minor units, negative for a deduction) and its rate.
pub fn tax_by_line(lines: &[(i64, TaxRate)]) -> Result<Vec<i64>, MoneyError> {
    by_rate(lines, shares)
}

/// The tax of each line of a document that goes on from earlier ones, as [`tax_by_line`] gives it:
/// so much that the lines of a rate and what those had at it are together taxed as their sum is.
/// All nets are 0 or more, and so are the taxes.
pub fn tax_beyond(
    lines: &[(i64, TaxRate)],
    earlier: &[TaxSubtotal],
) -> Result<Vec<i64>, MoneyError> {
    by_rate(lines, |nets, rate| {
        let (net_minor, tax_minor) = at_rate(earlier, rate);
        if nets.iter().all(|net| *net == 0) {
            return Ok(vec![0; nets.len()]);
        }
        let together = tax_on(&[&[net_minor], nets].concat(), rate)?;
        Ok(allocate_largest_remainder((together - tax_minor).max(0), nets))
    })
}

/// The taxes of lines whose rates are taxed each for itself: `shares` of its nets.
fn by_rate(
    lines: &[(i64, TaxRate)],
    shares: impl Fn(&[i64], TaxRate) -> Result<Vec<i64>, MoneyError>,
) -> Result<Vec<i64>, MoneyError> {
    let mut taxes = vec![0; lines.len()];
    let mut rates: Vec<TaxRate> = lines.iter().map(|(_, rate)| *rate).collect();
    rates.sort_unstable();
    rates.dedup();
    for rate in rates {
        let of_rate: Vec<usize> = (0..lines.len()).filter(|i| lines[*i].1 == rate).collect();
        let nets: Vec<i64> = of_rate.iter().map(|i| lines[*i].0).collect();
        for (index, tax) in of_rate.into_iter().zip(shares(&nets, rate)?) {
            taxes[index] = tax;
        }
    }
    Ok(taxes)
}

/// The tax on the sum of `nets`, shared among them.
///
/// Charges and deductions are shared apart. In one common proportion, a charge that a deduction
/// nearly takes back would blow half a rounded unit up to any size.
fn shares(nets: &[i64], rate: TaxRate) -> Result<Vec<i64>, MoneyError> {
    let charges: Vec<i64> = nets.iter().map(|net| *net.max(&0)).collect();
    let deductions: Vec<i64> = nets.iter().map(|net| -*net.min(&0)).collect();
    let whole = tax_on(nets, rate)?;
    let on_charges = tax_on(&charges, rate)?;
    let on_deductions = on_charges - whole;
    let added = allocate_largest_remainder(on_charges, &charges);
    let taken = allocate_largest_remainder(on_deductions, &deductions);
    Ok(added.into_iter().zip(taken).map(|(added, taken)| added - taken).collect())
}

/// A net amount with its tax, minor units.
pub fn with_tax(net_minor: i64, rate: TaxRate) -> Result<i64, MoneyError> {
    Ok(net_minor + tax_on(&[net_minor], rate)?)
}

fn tax_on(nets: &[i64], rate: TaxRate) -> Result<i64, MoneyError> {
    let sum: i128 = nets.iter().map(|net| i128::from(*net)).sum();
    let base = crate::domain::money::bounded(sum)?;
    // 10^15 times a rate of seven digits is far within the 28 digits of a decimal: exact.
    round_half_up(Decimal::from(base) * rate.percent() / Decimal::ONE_HUNDRED)
}
