//! Which tax the lines of a credit note take over of the invoice that it corrects.

use super::fixtures::*;
use crate::domain::billing::invoice::*;
use crate::domain::billing::tax::{StatedTax, TaxCategory, TaxKind};
use crate::domain::ids::InvoiceId;

/// A line of this name, amount and rate, in the category of a code.
fn sold(name: &str, minor: i64, percent: &str, code: &str) -> NewLine {
    let category = TaxCategory::parse(code);
    let tax = StatedTax { category, ..taxed(percent) };
    let (period_start, period_end) = (Some(day("2026-11-01")), Some(day("2026-11-08")));
    NewLine { description: name.to_owned(), tax, period_start, period_end, ..line("1", minor) }
}

/// A line of a note that says nothing of its tax, or no more than its rate.
fn off(name: &str, minor: i64, percent: Option<&str>) -> NewLine {
    let tax = StatedTax::of_rate(percent.map(rate));
    NewLine { description: name.to_owned(), tax, ..line("1", minor) }
}

fn invoice_of(lines: Vec<NewLine>) -> (Invoice, Vec<InvoiceLine>) {
    let composed = compose(&request(lines)).expect("an invoice");
    let lines = composed.lines.clone();
    (issue(composed, 1, Some(link())).invoice, lines)
}

fn note_over(
    (invoice, known): &(Invoice, Vec<InvoiceLine>),
    lines: Vec<NewLine>,
) -> Result<Composed, InvoiceRefusal> {
    let asked = NewInvoice {
        contract: None,
        invoice_type: Some(InvoiceType::CreditNote),
        corrects: invoice.number.map(|number| number.to_string()),
        ..request(lines)
    };
    let filled = asked.filled(invoice, known)?;
    let (facts, seller) = (contract(), seller());
    compose_correction(InvoiceId(6), invoice, &facts, &seller, &filled, on("2026-11-25"))
}

/// Category and rate of each line.
fn taxes(
    note: Result<Composed, InvoiceRefusal>,
) -> Result<Vec<(&'static str, String)>, InvoiceRefusal> {
    let of = |line: &InvoiceLine| (line.tax_category.name(), line.tax_rate.to_string());
    Ok(note?.lines.iter().map(of).collect())
}

fn expected(of: &[(&'static str, &str)]) -> Result<Vec<(&'static str, String)>, InvoiceRefusal> {
    Ok(of.iter().map(|(code, percent)| (*code, (*percent).to_owned())).collect())
}

#[test]
fn lines_of_one_description_are_told_apart_by_their_amounts() {
    let known = invoice_of(vec![
        sold("Menu", 5_000, "0", "Z"),
        sold("Menu", 2_900, "7", "S"),
        sold("Menu", 2_900, "7", "S"),
    ]);
    let note = |lines: Vec<NewLine>| taxes(note_over(&known, lines));
    let menu = |minor| off("Menu", minor, None);
    assert_eq!(note(vec![menu(2_900)]), expected(&[("S", "7")]));
    assert_eq!(note(vec![menu(2_900), menu(5_000)]), expected(&[("S", "7"), ("Z", "0")]));
    assert_eq!(note(vec![menu(1_000)]), Err(InvoiceRefusal::RateOfSeveral(0)));
    // A line of the invoice is there once.
    let again = vec![menu(5_000), off("Menu", 1, Some("7")), menu(5_000)];
    assert_eq!(note(again), Err(InvoiceRefusal::RateOfSeveral(2)));
}

#[test]
fn lines_of_one_description_and_amount_stand_for_themselves_where_the_note_has_them_all() {
    let known = invoice_of(vec![sold("Plan", 10_000, "19", "S"), sold("Plan", 10_000, "7", "S")]);
    let plan = |percent| off("Plan", 10_000, percent);
    let whole = note_over(&known, vec![plan(None), plan(None)]).expect("a note");
    let totals = whole.invoice.totals;
    assert_eq!((totals.tax_minor, totals.grand_total_minor), (-2_600, -22_600));
    assert_eq!(taxes(Ok(whole)), expected(&[("S", "19"), ("S", "7")]));
    assert_eq!(note_over(&known, vec![plan(None)]), Err(InvoiceRefusal::RateOfSeveral(0)));
    // Whichever says its rate, the other one is what is left.
    let rest = taxes(note_over(&known, vec![plan(None), plan(Some("19"))]));
    assert_eq!(rest, expected(&[("S", "7"), ("S", "19")]));
}

#[test]
fn a_rate_that_is_stated_alone_takes_its_category_from_the_invoice() {
    for code in ["E", "AE", "K", "G", "O"] {
        let known = invoice_of(vec![sold("Work", 1_000, "0", code)]);
        for name in ["Work", "Goodwill"] {
            let note = note_over(&known, vec![off(name, 400, Some("0"))]);
            assert_eq!(taxes(note), expected(&[(code, "0")]), "{name}");
        }
    }
    // The day of delivery comes with its category.
    let known = invoice_of(vec![sold("Work", 1_000, "0", "K")]);
    let note = note_over(&known, vec![off("Work", 400, Some("0"))]).expect("a note");
    assert_eq!(note.lines[0].period_end, Some(day("2026-11-08")));
    // What a line says by itself stays so, and so does a rate that the invoice does not have.
    let mut kind = off("Work", 400, Some("0"));
    kind.tax.kind = Some(TaxKind::Exempt);
    assert_eq!(taxes(note_over(&known, vec![kind])), expected(&[("E", "0")]));
    let known = invoice_of(vec![sold("Work", 1_000, "19", "S")]);
    let note = note_over(&known, vec![off("Work", 400, Some("0"))]);
    assert_eq!(taxes(note), expected(&[("Z", "0")]));
}

#[test]
fn several_categories_at_the_stated_rate_are_asked_for_where_no_line_tells() {
    let known = invoice_of(vec![sold("Work", 1_000, "0", "AE"), sold("Course", 500, "0", "E")]);
    let note = |name, percent| taxes(note_over(&known, vec![off(name, 100, percent)]));
    assert_eq!(note("Course", Some("0")), expected(&[("E", "0")]));
    for percent in [Some("0"), None] {
        assert_eq!(note("Goodwill", percent), Err(InvoiceRefusal::CategoryOfSeveral(0)));
    }
    let stated = sold("Goodwill", 100, "0", "AE");
    assert_eq!(taxes(note_over(&known, vec![stated])), expected(&[("AE", "0")]));
}

#[test]
fn a_category_that_is_stated_alone_takes_its_rate_from_the_invoice() {
    let note = |known: &[NewLine], name: &str, code: &str| {
        let tax = StatedTax { category: TaxCategory::parse(code), ..StatedTax::default() };
        let line = NewLine { tax, ..off(name, 400, None) };
        taxes(note_over(&invoice_of(known.to_vec()), vec![line]))
    };
    let work = sold("Work", 1_000, "19", "S");
    for name in ["Work", "Goodwill"] {
        assert_eq!(note(std::slice::from_ref(&work), name, "S"), expected(&[("S", "19")]));
    }
    let several = [work.clone(), sold("Book", 1_000, "7", "S"), sold("Course", 500, "0", "E")];
    assert_eq!(note(&several, "Book", "S"), expected(&[("S", "7")]));
    assert_eq!(note(&several, "Goodwill", "S"), Err(InvoiceRefusal::RateOfSeveral(0)));
    // Of a category that the invoice does not have there is nothing to take over.
    assert_eq!(note(&several, "Work", "E"), expected(&[("E", "0")]));
}

#[test]
fn a_kind_that_is_stated_alone_is_taxed_as_it_says() {
    let note = |known: &[NewLine]| {
        let tax = StatedTax { kind: TaxKind::parse("exempt"), ..StatedTax::default() };
        let line = NewLine { tax, ..off("Work", 400, None) };
        taxes(note_over(&invoice_of(known.to_vec()), vec![line]))
    };
    let work = sold("Work", 1_000, "19", "S");
    assert_eq!(note(std::slice::from_ref(&work)), expected(&[("E", "0")]));
    assert_eq!(note(&[work, sold("Course", 500, "0", "E")]), expected(&[("E", "0")]));
}
