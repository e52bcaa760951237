//! Which category and rate a line gets.

use super::{TaxCategory, TaxKind};
use crate::domain::quantity::TaxRate;

/// What a line says of its own tax.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StatedTax {
    pub rate: Option<TaxRate>,
    pub category: Option<TaxCategory>,
    pub kind: Option<TaxKind>,
}

/// How a line is taxed. A rate above 0 has the category `S`, and every other has the rate 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TaxTreatment {
    pub category: TaxCategory,
    pub rate: TaxRate,
}

/// What holds for the lines of one document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TaxRules {
    /// The rate of lines that state none.
    pub default_rate: TaxRate,
}

impl StatedTax {
    pub fn of_rate(rate: Option<TaxRate>) -> Self {
        Self { rate, ..Self::default() }
    }

    /// The field that contradicts another one, and how.
    pub fn contradiction(self) -> Option<(&'static str, &'static str)> {
        let category = self.category.or_else(|| self.category_of_kind())?;
        let taxed = self.rate? != TaxRate::ZERO;
        match (category == TaxCategory::Standard, taxed) {
            (true, false) => Some(("taxRate", "must be above 0 for taxCategory S")),
            (false, true) => Some(("taxRate", "above 0 needs taxCategory S")),
            _ => None,
        }
    }

    fn category_of_kind(self) -> Option<TaxCategory> {
        match self.kind? {
            TaxKind::Standard | TaxKind::Reduced => None,
            TaxKind::Zero => Some(TaxCategory::ZeroRated),
            TaxKind::Exempt => Some(TaxCategory::Exempt),
        }
    }
}

impl TaxTreatment {
    pub fn untaxed(category: TaxCategory) -> Self {
        Self { category, rate: TaxRate::ZERO }
    }

    pub fn of_rate(rate: TaxRate) -> Self {
        Self { category: TaxCategory::of_rate(rate), rate }
    }
}

impl TaxRules {
    /// A category that was stated wins, then a rate, then the kind of what is sold. One that is
    /// stated to be `S` and finds no rate above 0 is left at 0, as `Z`.
    pub fn treat(&self, stated: StatedTax) -> TaxTreatment {
        match stated.category.or_else(|| stated.category_of_kind()) {
            None | Some(TaxCategory::Standard) => {
                TaxTreatment::of_rate(stated.rate.unwrap_or(self.default_rate))
            }
            Some(category) => TaxTreatment::untaxed(category),
        }
    }
}
