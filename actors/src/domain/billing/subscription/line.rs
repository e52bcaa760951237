use rust_decimal::{Decimal, prelude::ToPrimitive};

use super::schedule::Span;
use super::term::{Charge, CutReason, Term};
use crate::domain::money::MoneyError;
use crate::domain::quantity::{Quantity, TaxRate};

/// What an invoice line says of a term.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TermLine {
    /// The subscription's words, and the days charged where the term is cut.
    pub description: String,
    pub quantity: Quantity,
    /// Minor units a unit, only where they times `quantity` give `amount_minor` exactly or by
    /// the rounding of the line formula.
    pub unit_price_minor: Option<i64>,
    /// Net before tax, minor units.
    pub amount_minor: i64,
    pub tax_rate: Option<TaxRate>,
    pub period: Span,
    /// Days charged and days of the uncut term, where they differ, and why.
    pub cut: Option<(i64, i64, CutReason)>,
}

impl Term {
    pub fn line(&self, description: Option<&str>) -> Result<TermLine, MoneyError> {
        let amount_minor = self.amount()?;
        let words = description.filter(|text| !text.is_empty()).unwrap_or("Subscription");
        let (description, unit_price_minor, cut) = match self.charge {
            Charge::Whole => (words.to_owned(), Some(self.price_minor), None),
            Charge::Days { of, reason, .. } => {
                let days = self.charged_days().days();
                let text = format!("{words} ({days} of {of} days)");
                (text, whole_unit_price(amount_minor, self.quantity), Some((days, of, reason)))
            }
        };
        Ok(TermLine {
            description,
            quantity: self.quantity,
            unit_price_minor,
            amount_minor,
            tax_rate: self.tax_rate,
            period: Span { start: self.start, end: self.end },
            cut,
        })
    }
}

fn whole_unit_price(amount: i64, quantity: Quantity) -> Option<i64> {
    let unit = Decimal::from(amount).checked_div(quantity.value())?.round();
    let exact = unit.checked_mul(quantity.value())? == Decimal::from(amount);
    if exact { unit.to_i64() } else { None }
}
