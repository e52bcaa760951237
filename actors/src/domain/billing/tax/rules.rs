//! Which category and rate a line gets.

use super::rates::rate_of;
use super::{TaxCategory, TaxKind, eu_country, is_vat_id_of};
use crate::domain::country::Country;
use crate::domain::quantity::TaxRate;
use crate::domain::time::Date;

/// What a line says of its own tax.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct StatedTax {
    #[n(0)]
    pub rate: Option<TaxRate>,
    #[n(1)]
    pub category: Option<TaxCategory>,
    #[n(2)]
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
    /// What decides instead, where the seller leaves it to the countries.
    pub automatic: Option<AutomaticTax>,
}

/// What tax depends on between a seller in the European Union and its customer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AutomaticTax {
    pub seller: Country,
    /// None of a customer who is outside the Union, or of whom no country in it is known.
    pub customer: Option<Country>,
    /// Whether the customer has a VAT id of its country.
    pub has_vat_id: bool,
    /// The day of issue.
    pub on: Date,
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

    /// The category that the kind says by itself.
    pub fn category_of_kind(self) -> Option<TaxCategory> {
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

    /// What is so stands beside nothing else on a document (EN 16931, BR-O-11).
    pub fn is_out_of_scope(self) -> bool {
        self.category == TaxCategory::OutOfScope
    }
}

impl TaxRules {
    /// The rate as stated, else this one.
    pub fn manual(default_rate: TaxRate) -> Self {
        Self { default_rate, automatic: None }
    }

    /// A category that was stated wins, then a rate, then the kind of what is sold. One that is
    /// stated to be `S` and finds no rate above 0 is left at 0, as `Z`.
    pub fn treat(&self, stated: StatedTax) -> TaxTreatment {
        let kind = stated.kind.unwrap_or(TaxKind::Standard);
        match (stated.category, stated.rate, self.automatic) {
            (None, None, Some(rule)) => rule.treat(kind),
            (Some(TaxCategory::Standard), None, Some(rule)) => rule.taxed(kind),
            _ => self.as_stated(stated),
        }
    }

    fn as_stated(&self, stated: StatedTax) -> TaxTreatment {
        match stated.category.or_else(|| stated.category_of_kind()) {
            None | Some(TaxCategory::Standard) => {
                TaxTreatment::of_rate(stated.rate.unwrap_or(self.default_rate))
            }
            Some(category) => TaxTreatment::untaxed(category),
        }
    }
}

impl AutomaticTax {
    /// `customer` is a country as it was written, `tax_id` what the customer goes by.
    pub fn between(
        seller: Country,
        customer: Option<&str>,
        tax_id: Option<&str>,
        on: Date,
    ) -> Self {
        let customer = customer.and_then(eu_country);
        let has_vat_id =
            customer.zip(tax_id).is_some_and(|(country, id)| is_vat_id_of(country, id));
        Self { seller, customer, has_vat_id, on }
    }

    /// At home the rates of the country; in another one none for who has a VAT id of it, who
    /// accounts for the tax, and else the rates of that country; outside the Union none.
    pub fn treat(&self, kind: TaxKind) -> TaxTreatment {
        let Some(customer) = self.customer else {
            return TaxTreatment::untaxed(TaxCategory::OutOfScope);
        };
        if kind == TaxKind::Exempt {
            return TaxTreatment::untaxed(TaxCategory::Exempt);
        }
        if customer != self.seller && self.has_vat_id {
            return TaxTreatment::untaxed(TaxCategory::ReverseCharge);
        }
        taxed_in(customer, kind, self.on)
    }

    /// Of a line that says that it is taxed: where the rule would not tax it, as at home.
    fn taxed(&self, kind: TaxKind) -> TaxTreatment {
        let found = self.treat(kind);
        let is_taxed = found.category == TaxCategory::Standard;
        if is_taxed { found } else { taxed_in(self.seller, kind, self.on) }
    }
}

fn taxed_in(country: Country, kind: TaxKind, on: Date) -> TaxTreatment {
    TaxTreatment::of_rate(rate_of(country, kind, on).unwrap_or(TaxRate::ZERO))
}
