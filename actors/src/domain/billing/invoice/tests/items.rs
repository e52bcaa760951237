//! Documents of a contract's items: one that cannot be billed keeps no other from it.

use proptest::prelude::*;

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

#[test]
fn charges_for_which_a_deduction_alone_makes_room_wait_and_keep_no_small_one_back() {
    let large = 600_000_000_000_000;
    let items = [
        item(1, large, "Z", None),
        item(2, large, "Z", None),
        item(3, -400_000_000_000_000, "Z", None),
        item(4, 500, "Z", None),
    ];
    assert_eq!(billed(&items), Ok(vec![1, 3, 4]));
    assert_eq!(billed(&items[1..2]), Ok(vec![2]));
}

proptest! {
    /// By brute force: first come, first served, as long as the charges come to an amount, and the
    /// document with its tax does.
    #[test]
    fn of_items_beyond_all_amounts_as_many_are_billed_as_fit(
        charges in proptest::collection::vec(1_i64..900_000_000_000_000, 1..6),
        deduction in 0_i64..900_000_000_000_000,
        taxed in proptest::bool::ANY,
    ) {
        let (code, percent) = if taxed { ("S", Some("10")) } else { ("Z", None) };
        let mut items: Vec<_> =
            (1..).zip(&charges).map(|(id, minor)| item(id, *minor, code, percent)).collect();
        items.push(item(99, -deduction, code, percent));
        let (mut charged, mut fitting) = (0_i128, Vec::<u64>::new());
        for (id, minor) in (1..).zip(&charges) {
            let after = charged + i128::from(*minor);
            let net = after - i128::from(deduction);
            let tenth = (net.abs() + 5) / 10 * net.signum();
            let gross = net + if taxed { tenth } else { 0 };
            if after <= 1_000_000_000_000_000 && gross <= 1_000_000_000_000_000 {
                charged = after;
                fitting.push(id);
            }
        }
        fitting.push(99);
        match billed(&items) {
            Err(refusal) => {
                prop_assert_eq!(refusal, InvoiceRefusal::NegativeTotal);
                prop_assert!(charged < i128::from(deduction));
            }
            Ok(found) => prop_assert_eq!(found, fitting),
        }
    }
}
