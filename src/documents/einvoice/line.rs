//! The lines of a document as quantity times price, less allowances.

use actors::domain::billing::invoice::InvoiceLine;
use actors::domain::billing::tax::TaxCategory;
use actors::domain::money::major_units;
use actors::domain::quantity::TaxRate;
use actors::domain::time::Date;
use rust_decimal::Decimal;

use crate::documents::document::Document;

#[derive(Debug)]
pub(super) struct Line {
    /// Its place in the document, from 1.
    pub(super) id: usize,
    pub(super) name: String,
    /// Below zero for a deduction: prices are never.
    pub(super) quantity: Decimal,
    pub(super) price: Decimal,
    /// What so many of it cost the price, where that is not one.
    pub(super) price_of: Option<Decimal>,
    /// Above zero; a charge, if `adds`.
    pub(super) discount: Option<Discount>,
    pub(super) net: Decimal,
    pub(super) category: TaxCategory,
    pub(super) rate: Option<TaxRate>,
    /// First and last day.
    pub(super) period: Option<(Date, Date)>,
}

#[derive(Debug)]
pub(super) struct Discount {
    pub(super) amount: Decimal,
    pub(super) adds: bool,
}

impl Discount {
    pub(super) fn reason(&self) -> &'static str {
        if self.adds { "Discount taken back" } else { "Discount" }
    }
}

pub(super) fn lines(document: &Document) -> Vec<Line> {
    (1..).zip(&document.lines).map(|(id, line)| Line::of(id, line, document)).collect()
}

impl Line {
    fn of(id: usize, of: &InvoiceLine, document: &Document) -> Self {
        let currency = document.invoice.currency;
        let major = |minor: i64| major_units(document.stated(minor), currency);
        let (quantity, price, price_of) = match of.unit_price_minor {
            Some(price) => (of.quantity.value(), major(price), None),
            None => priced_as_a_whole(of.quantity.value(), major(of.gross_minor())),
        };
        let turned = price.is_sign_negative() && !price.is_zero();
        let discount = major(of.discount_minor);
        let adds = discount.is_sign_negative();
        let last = of.period_end.map(|end| end.plus_days(-1));
        Self {
            id,
            name: of.description.clone(),
            quantity: if turned { -quantity } else { quantity },
            price: price.abs(),
            price_of,
            discount: (!discount.is_zero()).then(|| Discount { amount: discount.abs(), adds }),
            net: major(of.amount_minor),
            category: of.tax_category,
            rate: super::rate(of.tax_category, of.tax_rate),
            period: of.period_start.zip(last).filter(|(start, last)| start <= last),
        }
    }
}

/// An amount that no whole price of one comes to: the price of all of it.
fn priced_as_a_whole(quantity: Decimal, gross: Decimal) -> (Decimal, Decimal, Option<Decimal>) {
    if quantity.is_zero() {
        return (Decimal::ONE, gross, None);
    }
    (quantity, gross, Some(quantity))
}
