//! What lines come to with tax, rate by rate: how much a document can carry.

use std::collections::BTreeMap;

use super::InvoiceLine;
use crate::domain::billing::tax::with_tax;
use crate::domain::money::{AMOUNT_LIMIT, bounded};
use crate::domain::quantity::TaxRate;

/// Leaves of lines what one document can carry: what would take it beyond all amounts stays behind.
/// Deductions make room for the tax of charges. These come to an amount by themselves, whatever is
/// taken off them: each sum that the document states of its lines is one.
pub(super) fn keep_within_bounds(lines: &mut Vec<InvoiceLine>) {
    let limit = i128::from(AMOUNT_LIMIT);
    let charge_of = |line: &InvoiceLine| i128::from(line.amount_minor.max(0));
    let charges: i128 = lines.iter().map(charge_of).sum();
    if charges <= limit && Nets::of(&*lines).grand_total() <= limit {
        return;
    }
    let mut nets = Nets::of(lines.iter().filter(|line| line.amount_minor < 0));
    let mut charged = 0;
    lines.retain(|line| {
        let after = charged + charge_of(line);
        let deducts = line.amount_minor < 0;
        let kept = deducts || after <= limit && nets.takes(line.amount_minor, line.tax_rate);
        if kept {
            charged = after;
        }
        kept
    });
}

/// The net amounts of a document's lines by rate, minor units.
#[derive(Clone, Debug, Default)]
pub(super) struct Nets(BTreeMap<TaxRate, i128>);

impl Nets {
    pub(super) fn of<'a>(lines: impl IntoIterator<Item = &'a InvoiceLine>) -> Self {
        let mut nets = Self::default();
        for line in lines {
            nets.add(line.amount_minor, line.tax_rate);
        }
        nets
    }

    pub(super) fn add(&mut self, minor: i64, rate: TaxRate) {
        *self.0.entry(rate).or_default() += i128::from(minor);
    }

    /// Adds an amount, unless it would take the document beyond what one can say.
    pub(super) fn takes(&mut self, minor: i64, rate: TaxRate) -> bool {
        self.add(minor, rate);
        let fits = self.grand_total() <= i128::from(AMOUNT_LIMIT);
        if !fits {
            self.add(-minor, rate);
        }
        fits
    }

    /// Net and tax, or more than any amount.
    pub(super) fn grand_total(&self) -> i128 {
        let gross = |(rate, net): (&TaxRate, &i128)| {
            let gross = bounded(*net).and_then(|net| with_tax(net, *rate)).ok()?;
            Some(i128::from(gross))
        };
        self.0.iter().map(gross).sum::<Option<i128>>().unwrap_or(i128::MAX)
    }

    /// How much of a credit of `open_minor`, above 0, the document takes: as much as leaves both
    /// its net and its grand total at 0 or above.
    pub(super) fn most_off(&self, open_minor: i64, rate: TaxRate) -> i64 {
        let stands = |off: i64| {
            let mut after = self.clone();
            after.add(-off, rate);
            after.0.values().sum::<i128>() >= 0 && after.grand_total() >= 0
        };
        // A larger credit never leaves more, so the largest that stands is found by halving.
        let (mut fits, mut beyond) = (0, open_minor + 1);
        while beyond - fits > 1 {
            let middle = fits + (beyond - fits) / 2;
            if stands(middle) { fits = middle } else { beyond = middle }
        }
        fits
    }
}
