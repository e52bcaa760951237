//! Which line of the corrected document a line of a credit note takes its tax from.

use std::collections::BTreeSet;

use crate::domain::billing::invoice::lines::gross;
use crate::domain::billing::invoice::{InvoiceLine, InvoiceRefusal, NewLine};
use crate::domain::billing::tax::{StatedTax, TaxCategory};

/// Gives the lines of a credit note the tax of those that they take off, as far as they do not
/// state it: of the corrected line with their description, else of all of them where they are taxed
/// alike. Several of one description are told apart by their amounts; of those of one amount each
/// stands for itself only where the note has them all.
pub(super) fn taxed_as(
    mut lines: Vec<NewLine>,
    corrected: &[InvoiceLine],
) -> Result<Vec<NewLine>, InvoiceRefusal> {
    let mut known = Known { corrected, repeated: BTreeSet::new() };
    // Those that say most of their tax leave the fewest for the others.
    let mut order: Vec<usize> = (0..lines.len()).collect();
    order.sort_by_key(|index| definiteness(&lines[*index]));
    for (at, index) in order.iter().enumerate() {
        let line = &lines[*index];
        let alike = order[at..].iter().filter(|other| are_alike(&lines[**other], line)).count();
        let source = known.source_of(line, alike);
        if !says_all(line.tax)
            && let Some(source) = source.map_err(|several| several.refusal(*index))?
        {
            lines[*index].take_over(source);
        }
    }
    Ok(lines)
}

/// The lines of the corrected document, and which of them the note repeats already.
struct Known<'a> {
    corrected: &'a [InvoiceLine],
    repeated: BTreeSet<usize>,
}

/// Lines that could be meant are taxed differently.
enum Several {
    Rates,
    Categories,
}

impl<'a> Known<'a> {
    /// The line that `line` takes its tax from. `alike`: how many of the note, with it, cannot be
    /// told from it. None where there is no line of the tax that it states.
    fn source_of(
        &mut self,
        line: &NewLine,
        alike: usize,
    ) -> Result<Option<&'a InvoiceLine>, Several> {
        let corrected = self.corrected;
        let fitting = || corrected.iter().enumerate().filter(|(_, known)| fits(line.tax, known));
        let named = |known: &InvoiceLine| known.description == line.description;
        let mut meant: Vec<_> = fitting().filter(|(_, known)| named(known)).collect();
        if meant.is_empty() {
            meant = fitting().collect();
        }
        let amount_minor = amount_of(line);
        let is_free = |index: &usize| !self.repeated.contains(index);
        let same = meant.iter().filter(|(index, known)| {
            is_free(index) && named(known) && Some(known.amount_minor) == amount_minor
        });
        let same: Vec<_> = same.copied().collect();
        let sources = if same.is_empty() { &meant } else { &same };
        let Some((first, source)) = sources.first() else { return Ok(None) };
        let is_other =
            |(_, known): &&(usize, &InvoiceLine)| known.tax_treatment() != source.tax_treatment();
        // In which order they are taken makes no difference where all of them are.
        let has_all = !same.is_empty() && alike >= same.len();
        if !has_all && let Some((_, other)) = sources.iter().find(is_other) {
            let one_rate = other.tax_rate == source.tax_rate;
            return Err(if one_rate { Several::Categories } else { Several::Rates });
        }
        if !same.is_empty() {
            self.repeated.insert(*first);
        }
        Ok(Some(source))
    }
}

impl Several {
    fn refusal(self, index: usize) -> InvoiceRefusal {
        match self {
            Self::Rates => InvoiceRefusal::RateOfSeveral(index),
            Self::Categories => InvoiceRefusal::CategoryOfSeveral(index),
        }
    }
}

impl NewLine {
    fn take_over(&mut self, source: &InvoiceLine) {
        self.tax.rate = Some(source.tax_rate);
        self.tax.category = Some(source.tax_category);
        // The day of delivery is part of what such a line says of its tax.
        let asks_for_day = source.tax_category == TaxCategory::IntraCommunity;
        if asks_for_day && self.period_start.is_none() && self.period_end.is_none() {
            (self.period_start, self.period_end) = (source.period_start, source.period_end);
        }
    }
}

/// Whether nothing of its tax is to be taken over. A kind beside a rate says the category too, and
/// every category but `S` says the rate.
fn says_all(stated: StatedTax) -> bool {
    match stated.category {
        Some(TaxCategory::Standard) => stated.rate.is_some(),
        Some(_) => true,
        None => stated.rate.is_some() && stated.kind.is_some(),
    }
}

fn definiteness(line: &NewLine) -> u8 {
    match line.tax {
        stated if says_all(stated) => 0,
        StatedTax { rate: Some(_), .. } | StatedTax { category: Some(_), .. } => 1,
        _ => 2,
    }
}

/// Whether a line of the corrected document is taxed as is stated.
fn fits(stated: StatedTax, known: &InvoiceLine) -> bool {
    let is_of_kind = || stated.kind.is_some() && stated.kind == known.tax_kind;
    let category = stated.category.or_else(|| stated.category_of_kind());
    stated.rate.is_none_or(|rate| rate == known.tax_rate)
        && (category.is_none_or(|category| category == known.tax_category)
            || (stated.category.is_none() && is_of_kind()))
}

fn are_alike(a: &NewLine, b: &NewLine) -> bool {
    let tax = |line: &NewLine| (line.tax.rate, line.tax.category, line.tax.kind);
    tax(a) == tax(b) && a.description == b.description && amount_of(a) == amount_of(b)
}

/// What a line comes to, where that is an amount.
fn amount_of(line: &NewLine) -> Option<i64> {
    let gross = gross(line.quantity, line.unit_price_minor).ok()?;
    Some(gross - line.discount_minor.unwrap_or(0))
}
