//! What a document says of its tax as a whole.

use std::collections::BTreeMap;

use super::{TaxCategory, TaxTreatment};
use crate::domain::money::{MoneyError, bounded};
use crate::domain::quantity::TaxRate;

/// The lines of one category and rate together. Amounts are minor units.
#[derive(Clone, Copy, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct TaxSubtotal {
    #[n(0)]
    pub category: TaxCategory,
    #[n(1)]
    pub rate: TaxRate,
    /// Net of discounts, before tax.
    #[n(2)]
    pub taxable_minor: i64,
    #[n(3)]
    pub tax_minor: i64,
}

impl TaxSubtotal {
    pub fn negated(&self) -> Self {
        Self { taxable_minor: -self.taxable_minor, tax_minor: -self.tax_minor, ..*self }
    }
}

/// Net and tax of one rate, whatever the category.
pub fn at_rate(subtotals: &[TaxSubtotal], rate: TaxRate) -> (i64, i64) {
    let of_rate = subtotals.iter().filter(|of| of.rate == rate);
    of_rate.fold((0, 0), |(net, tax), of| (net + of.taxable_minor, tax + of.tax_minor))
}

/// The subtotals of lines, each with its treatment, net amount and tax, in the order of the
/// categories and then of the rates.
pub fn summarize(
    lines: impl IntoIterator<Item = (TaxTreatment, i64, i64)>,
) -> Result<Vec<TaxSubtotal>, MoneyError> {
    let mut sums: BTreeMap<TaxTreatment, (i128, i128)> = BTreeMap::new();
    for (treatment, net, tax) in lines {
        let (nets, taxes) = sums.entry(treatment).or_default();
        *nets += i128::from(net);
        *taxes += i128::from(tax);
    }
    let subtotal = |(TaxTreatment { category, rate }, (taxable, tax))| {
        let (taxable_minor, tax_minor) = (bounded(taxable)?, bounded(tax)?);
        Ok(TaxSubtotal { category, rate, taxable_minor, tax_minor })
    };
    sums.into_iter().map(subtotal).collect()
}

/// Two summaries as one.
pub fn added(a: &[TaxSubtotal], b: &[TaxSubtotal]) -> Result<Vec<TaxSubtotal>, MoneyError> {
    let part = |of: &TaxSubtotal| {
        (TaxTreatment { category: of.category, rate: of.rate }, of.taxable_minor, of.tax_minor)
    };
    summarize(a.iter().chain(b).map(part))
}
