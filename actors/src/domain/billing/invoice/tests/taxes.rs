//! Categories and rates of lines, and what a document says of them as a whole.

use proptest::prelude::*;

use super::fixtures::*;
use crate::domain::billing::invoice::*;
use crate::domain::billing::tax::{StatedTax, TaxCategory, TaxKind, TaxSubtotal};
use crate::domain::ids::InvoiceId;
use crate::domain::refusal::{Refusal, RefusalKind};

fn stated(rate: Option<&str>, category: Option<&str>, kind: Option<&str>) -> StatedTax {
    StatedTax {
        rate: rate.map(super::fixtures::rate),
        category: category.map(|code| TaxCategory::parse(code).expect("a category")),
        kind: kind.map(|name| TaxKind::parse(name).expect("a kind")),
    }
}

fn sold(minor: i64, tax: StatedTax) -> NewLine {
    NewLine { tax, period_end: Some(day("2026-11-21")), ..line("1", minor) }
}

#[test]
fn what_a_line_states_decides_how_it_is_taxed() {
    // The seller's own rate is 21.
    for (tax, expected) in [
        (stated(None, None, None), ("S", "21")),
        (stated(Some("9"), None, None), ("S", "9")),
        (stated(Some("0"), None, None), ("Z", "0")),
        (stated(None, None, Some("standard")), ("S", "21")),
        (stated(None, None, Some("reduced")), ("S", "21")),
        (stated(None, None, Some("zero")), ("Z", "0")),
        (stated(None, None, Some("exempt")), ("E", "0")),
        (stated(None, Some("S"), None), ("S", "21")),
        (stated(Some("0"), Some("AE"), None), ("AE", "0")),
        (stated(None, Some("K"), None), ("K", "0")),
        (stated(None, Some("G"), Some("exempt")), ("G", "0")),
        (stated(None, Some("O"), None), ("O", "0")),
    ] {
        let composed = compose(&request(vec![sold(1_000, tax)])).expect("an invoice");
        let (line, summary) = (&composed.lines[0], &composed.invoice.tax_summary);
        let found = (line.tax_category.name(), line.tax_rate.to_string());
        assert_eq!(found, (expected.0, expected.1.to_owned()), "{tax:?}");
        assert_eq!(line.tax_kind, tax.kind);
        let subtotal = TaxSubtotal {
            category: line.tax_category,
            rate: line.tax_rate,
            taxable_minor: 1_000,
            tax_minor: line.tax_minor,
        };
        assert_eq!(summary, &[subtotal]);
    }
}

#[test]
fn what_contradicts_itself_is_refused() {
    let at_end = |tax| NewLine { period_end: None, ..sold(1_000, tax) };
    for (lines, kind, text) in [
        (
            vec![sold(1, stated(Some("21"), Some("E"), None))],
            RefusalKind::Invalid,
            "lines[0].taxRate above 0 needs taxCategory S",
        ),
        (
            vec![sold(1, stated(Some("21"), None, Some("zero")))],
            RefusalKind::Invalid,
            "lines[0].taxRate above 0 needs taxCategory S",
        ),
        (
            vec![sold(1, stated(Some("0"), Some("S"), None))],
            RefusalKind::Invalid,
            "lines[0].taxRate must be above 0 for taxCategory S",
        ),
        (
            vec![at_end(stated(None, Some("K"), None))],
            RefusalKind::Invalid,
            "lines[0].periodEnd is required for taxCategory K: the day of delivery",
        ),
        (
            vec![sold(1, stated(None, Some("O"), None)), sold(1, stated(None, None, None))],
            RefusalKind::Unprocessable,
            "taxCategory O cannot stand beside others on one document",
        ),
    ] {
        let refusal = Refusal::from(compose(&request(lines)).expect_err("a refusal"));
        assert_eq!((refusal.kind, refusal.text.as_str()), (kind, text));
    }
    // The category asks for a rate that neither the line nor the seller has.
    let untaxed = SellerFacts { default_tax_rate: rate("0"), ..seller() };
    let asked = request(vec![sold(1, stated(None, Some("S"), None))]);
    let composed = compose_manual(InvoiceId(5), &contract(), &untaxed, &asked, on("2026-11-21"));
    let text = composed.expect_err("a refusal").to_string();
    assert_eq!(text, "lines[0].taxCategory S needs a taxRate above 0");
}

fn any_tax() -> impl Strategy<Value = StatedTax> {
    prop_oneof![
        Just(stated(None, None, None)),
        Just(stated(Some("9"), None, None)),
        (1_u32..=1_000_000).prop_map(|rate| taxed(&format!(
            "{}.{:04}",
            rate / 10_000,
            rate % 10_000
        ))),
        Just(stated(Some("0"), None, None)),
        Just(stated(None, Some("E"), None)),
        Just(stated(None, Some("AE"), None)),
        Just(stated(None, Some("K"), None)),
        Just(stated(None, None, Some("exempt"))),
    ]
}

proptest! {
    #[test]
    fn the_summary_adds_up_to_the_document(
        lines in proptest::collection::vec((-100_000_i64..1_000_000, any_tax()), 1..40),
    ) {
        let lines = lines.into_iter().map(|(minor, tax)| sold(minor, tax)).collect();
        let composed = match compose(&request(lines)) {
            Err(refusal) => {
                prop_assert_eq!(refusal, InvoiceRefusal::NegativeTotal);
                return Ok(());
            }
            Ok(composed) => composed,
        };
        let (invoice, lines) = (&composed.invoice, &composed.lines);
        let net = invoice.totals.subtotal_minor - invoice.totals.discount_minor;
        let sum = |part: fn(&TaxSubtotal) -> i64| invoice.tax_summary.iter().map(part).sum::<i64>();
        prop_assert_eq!(sum(|of| of.taxable_minor), net);
        prop_assert_eq!(sum(|of| of.tax_minor), invoice.totals.tax_minor);
        for of in &invoice.tax_summary {
            let mine = lines.iter().filter(|line| {
                (line.tax_category, line.tax_rate) == (of.category, of.rate)
            });
            let (nets, taxes): (Vec<_>, Vec<_>) =
                mine.map(|line| (line.amount_minor, line.tax_minor)).unzip();
            prop_assert!(!nets.is_empty());
            prop_assert_eq!(nets.iter().sum::<i64>(), of.taxable_minor);
            prop_assert_eq!(taxes.iter().sum::<i64>(), of.tax_minor);
            let taxed = of.category == TaxCategory::Standard;
            prop_assert_eq!(taxed, of.rate != rate("0"));
        }
        let mut kinds: Vec<_> = invoice.tax_summary.iter().map(|of| (of.category, of.rate)).collect();
        kinds.dedup();
        prop_assert_eq!(kinds.len(), invoice.tax_summary.len());
    }
}
