//! Documents of a contract's items: one that cannot be billed keeps no other from it.

use super::fixtures::*;
use crate::domain::billing::contract::{ComponentType, PricedItem};
use crate::domain::billing::invoice::*;
use crate::domain::billing::tax::{StatedTax, TaxCategory};
use crate::domain::ids::{InvoiceId, LineItemId};
use crate::domain::quantity::{Quantity, TaxRate};

/// An item of this amount in the category of a code; the seller's own rate is 0.
fn item(id: u64, amount_minor: i64, code: &str, percent: Option<&str>) -> PricedItem {
    PricedItem {
        id: LineItemId(id),
        component: ComponentType::OneTime,
        description: "Set-up".to_owned(),
        quantity: Quantity::ONE,
        amount_minor,
        tax: StatedTax { rate: percent.map(rate), category: TaxCategory::parse(code), kind: None },
        completed: true,
    }
}

/// Which of the items a document of them bills.
fn billed(items: &[PricedItem]) -> Result<Vec<u64>, InvoiceRefusal> {
    let untaxed = SellerFacts { default_tax_rate: TaxRate::ZERO, ..seller() };
    let (what, terms) = ((InvoiceId(5), Origin::OneTime), Terms::first(&contract()));
    let document = compose_items(what, &contract(), &untaxed, terms, items, on("2026-11-21"))?;
    Ok(document.lines.iter().filter_map(|line| line.item).map(|id| id.0).collect())
}

#[test]
fn what_cannot_be_billed_stays_behind_and_is_refused_once_it_is_alone() {
    let without_rate = item(1, 100, "S", None);
    let delivered = item(2, 100, "K", None);
    let good = item(3, 100, "S", Some("19"));
    assert_eq!(billed(&[without_rate.clone(), delivered.clone(), good]), Ok(vec![3]));
    let refused = |field, problem| Err(InvoiceRefusal::Line { index: 0, field, problem });
    assert_eq!(billed(&[without_rate]), refused("taxCategory", "S needs a taxRate above 0"));
    let day = "is required for taxCategory K: the day of delivery";
    assert_eq!(billed(&[delivered]), refused("periodEnd", day));
}

#[test]
fn what_is_outside_the_scope_of_tax_is_billed_apart() {
    let (outside, taxed) = (|id| item(id, 100, "O", None), |id| item(id, 100, "S", Some("19")));
    assert_eq!(billed(&[outside(1), taxed(2), outside(3)]), Ok(vec![1, 3]));
    assert_eq!(billed(&[taxed(2), outside(3)]), Ok(vec![2]));
    assert_eq!(billed(&[outside(3)]), Ok(vec![3]));
}

#[test]
fn a_side_that_cannot_be_billed_keeps_nothing_of_the_other_from_its_document() {
    let (off, taxed) = (item(1, -100, "O", None), item(2, 500, "S", Some("19")));
    assert_eq!(billed(&[off.clone(), taxed.clone()]), Ok(vec![2]));
    assert_eq!(billed(std::slice::from_ref(&off)), Err(InvoiceRefusal::NegativeTotal));
    assert_eq!(billed(&[off, taxed, item(3, 150, "O", None)]), Ok(vec![1, 3]));
    let beyond = item(4, 900_000_000_000_000, "S", Some("19"));
    assert_eq!(billed(&[beyond, item(3, 150, "O", None)]), Ok(vec![3]));
}
