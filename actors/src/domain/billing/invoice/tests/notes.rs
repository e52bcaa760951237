//! The tax of several credit notes of one invoice.

use proptest::prelude::*;

use super::fixtures::*;
use crate::domain::billing::invoice::*;
use crate::domain::billing::tax::{StatedTax, TaxCategory, TaxSubtotal};
use crate::domain::ids::InvoiceId;
use crate::domain::refusal::Refusal;

/// A line of net amount and rate, named by its rate.
fn at_rate(minor: i64, percent: &str) -> NewLine {
    NewLine { description: percent.to_owned(), tax: taxed(percent), ..line("1", minor) }
}

/// An issued invoice of these lines, with them.
fn invoice_of(lines: Vec<NewLine>) -> (Invoice, Vec<InvoiceLine>) {
    let composed = compose(&request(lines)).expect("an invoice");
    let lines = composed.lines.clone();
    (issue(composed, 1, Some(link())).invoice, lines)
}

/// The corrected invoice after a note of these lines, and the note's tax.
fn noted(
    (invoice, known): &(Invoice, Vec<InvoiceLine>),
    lines: Vec<NewLine>,
) -> Result<(Invoice, i64), InvoiceRefusal> {
    let asked = NewInvoice {
        contract: None,
        invoice_type: Some(InvoiceType::CreditNote),
        corrects: invoice.number.map(|number| number.to_string()),
        ..request(lines)
    };
    let (today, facts) = (on("2026-11-25"), (contract(), seller()));
    let filled = asked.filled(invoice, known)?;
    let note = compose_correction(InvoiceId(6), invoice, &facts.0, &facts.1, &filled, today)?;
    let after = correct(invoice, &note.invoice.tax_summary, today)?.change.invoice;
    Ok((after, -note.invoice.totals.tax_minor))
}

#[test]
fn an_invoice_is_credited_in_full_piece_by_piece() {
    let cases: [(&str, &[i64], &[i64]); 4] = [
        // 76.92 of tax is 77; each piece alone would have 26, which is 78.
        ("7.7", &[333, 333, 333], &[26, 25, 26]),
        ("1", &[50, 50], &[1, 0]),
        // Each alone would have none.
        ("1", &[40, 40, 20], &[0, 1, 0]),
        ("0", &[10, 20], &[0, 0]),
    ];
    for (percent, pieces, taxes) in cases {
        let net = pieces.iter().sum();
        let (mut invoice, lines) = invoice_of(vec![at_rate(net, percent)]);
        for (piece, expected) in pieces.iter().zip(taxes) {
            let known = (invoice, lines.clone());
            let (after, tax) = noted(&known, vec![at_rate(*piece, percent)]).expect("a note");
            assert_eq!(tax, *expected, "{piece} at {percent}");
            invoice = after;
        }
        assert_eq!(invoice.creditable_minor(), 0);
        assert_eq!(invoice.credited_taxes, invoice.tax_summary);
    }
}

#[test]
fn no_more_tax_is_given_back_than_the_invoice_has() {
    let mut known = invoice_of(vec![at_rate(1000, "19"), at_rate(1000, "0")]);
    let text = |refused: Result<(Invoice, i64), InvoiceRefusal>| {
        Refusal::from(refused.expect_err("refused")).text
    };
    assert_eq!(
        text(noted(&known, vec![at_rate(1800, "19")])),
        "lines at 19 % amount to more than the corrected invoice has at that rate: credit notes \
         may take 1000 more minor units before tax off it"
    );
    let (after, tax) = noted(&known, vec![at_rate(600, "19")]).expect("a note");
    assert_eq!(tax, 114);
    known.0 = after;
    assert_eq!(
        noted(&known, vec![at_rate(401, "19")]).map(|_| ()),
        Err(InvoiceRefusal::CreditNoteBeyondRate { rate: rate("19"), left_minor: 400 })
    );
    // A rate of its own gives back no more tax than is left.
    assert_eq!(
        text(noted(&known, vec![at_rate(1000, "9")])),
        "lines give back more tax than the corrected invoice has: credit notes may give back 76 \
         more minor units of it"
    );
    let (after, tax) = noted(&known, vec![at_rate(100, "9")]).expect("a note");
    assert_eq!((tax, after.credited_minor), (9, 823));
    // What is billed without tax is taken off once, too.
    known.0 = after;
    let beyond = noted(&known, vec![at_rate(1001, "0")]).map(|_| ());
    let left = |left_minor| InvoiceRefusal::CreditNoteBeyondRate { rate: rate("0"), left_minor };
    assert_eq!(beyond, Err(left(1000)));
    known.0 = noted(&known, vec![at_rate(1000, "0")]).expect("a note").0;
    assert_eq!(noted(&known, vec![at_rate(1, "0")]).map(|_| ()), Err(left(0)));
}

#[test]
fn a_deduction_without_tax_lowers_what_notes_may_take_there() {
    let known = invoice_of(vec![at_rate(1000, "19"), at_rate(1000, "0"), at_rate(-200, "0")]);
    let beyond = noted(&known, vec![at_rate(801, "0")]).map(|_| ());
    let left = InvoiceRefusal::CreditNoteBeyondRate { rate: rate("0"), left_minor: 800 };
    assert_eq!(beyond, Err(left));
    assert!(noted(&known, vec![at_rate(800, "0")]).is_ok());
}

#[test]
fn each_category_at_0_is_taken_off_for_itself() {
    let sold = |minor: i64, code: &str| NewLine {
        description: code.to_owned(),
        tax: StatedTax { category: TaxCategory::parse(code), ..taxed("0") },
        ..line("1", minor)
    };
    let lines = [sold(1000, "E"), sold(500, "AE"), sold(300, "Z")];
    let work = at_rate(9000, "19");
    let mut known = invoice_of([vec![work.clone()], lines.to_vec()].concat());
    let beyond = |category, left_minor| {
        Err(InvoiceRefusal::CreditNoteBeyondCategory { category, left_minor })
    };
    let refused =
        |known: &(Invoice, Vec<InvoiceLine>), lines: Vec<NewLine>| noted(known, lines).map(|_| ());
    assert_eq!(refused(&known, vec![sold(1001, "E")]), beyond(TaxCategory::Exempt, 1000));
    // A category that is not there shares what is billed at its rate.
    let together = vec![sold(1000, "E"), sold(801, "G")];
    let left = |left_minor| InvoiceRefusal::CreditNoteBeyondRate { rate: rate("0"), left_minor };
    assert_eq!(refused(&known, together), Err(left(1800)));
    known.0 = noted(&known, vec![sold(1000, "E")]).expect("a note").0;
    assert_eq!(refused(&known, vec![sold(1, "E")]), beyond(TaxCategory::Exempt, 0));
    for line in &lines[1..] {
        known.0 = noted(&known, vec![line.clone()]).expect("a note").0;
    }
    assert_eq!(refused(&known, vec![sold(1, "Z")]), Err(left(0)));
    // All else can still be taken off.
    known.0 = noted(&known, vec![work]).expect("a note").0;
    assert_eq!(known.0.creditable_minor(), 0);
}

#[test]
fn a_note_from_before_that_took_too_much_leaves_nothing_there_and_the_rest_untouched() {
    let mut known = invoice_of(vec![at_rate(1000, "19"), at_rate(500, "0")]);
    let of_sold = known.0.tax_summary.iter().find(|of| of.rate == rate("0")).expect("a part");
    let too_much = TaxSubtotal { taxable_minor: -900, ..*of_sold };
    let corrected = correct(&known.0, &[too_much], on("2026-11-22")).expect("corrected");
    known.0 = corrected.change.invoice;
    let left = InvoiceRefusal::CreditNoteBeyondRate { rate: rate("0"), left_minor: 0 };
    assert_eq!(noted(&known, vec![at_rate(1, "0")]).map(|_| ()), Err(left));
    assert!(noted(&known, vec![at_rate(500, "19")]).is_ok());
}

proptest! {
    /// However its lines are cut into notes, they take the whole invoice off, tax and all, and
    /// after each of them the tax given back is that on the sum of what it was given back for.
    #[test]
    fn notes_of_all_lines_come_out_even(
        lines in proptest::collection::vec(
            (
                proptest::collection::vec(1_i64..3000, 1..6),
                prop_oneof![Just(0_u32), Just(77_000), Just(190_000), 0_u32..=1_000_000],
            ),
            1..5,
        ),
        turns in any::<proptest::sample::Index>(),
    ) {
        let percent = |of: u32| format!("{}.{:04}", of / 10_000, of % 10_000);
        let whole = lines.iter().map(|(pieces, of)| at_rate(pieces.iter().sum(), &percent(*of)));
        let (mut invoice, known) = invoice_of(whole.collect());
        let mut pieces: Vec<(i64, u32)> =
            lines.iter().flat_map(|(pieces, of)| pieces.iter().map(|piece| (*piece, *of))).collect();
        let count = pieces.len();
        pieces.rotate_left(turns.index(count));
        for (index, (minor, of)) in pieces.iter().enumerate() {
            let asked = NewLine {
                tax: StatedTax::of_rate(Some(rate(&percent(*of)))),
                ..line("1", *minor)
            };
            let (after, _) = noted(&(invoice, known.clone()), vec![asked]).expect("a note");
            invoice = after;
            for subtotal in &invoice.credited_taxes {
                let at = |of: u32| rate(&percent(of)) == subtotal.rate;
                let before = pieces[..=index].iter().filter(|piece| at(piece.1));
                let net: i128 = before.map(|piece| i128::from(piece.0)).sum();
                let scaled = pieces.iter().find(|piece| at(piece.1)).expect("a piece").1;
                let exact = net * i128::from(scaled);
                prop_assert_eq!(i128::from(subtotal.taxable_minor), net);
                prop_assert_eq!(i128::from(subtotal.tax_minor), (exact + 500_000) / 1_000_000);
            }
        }
        prop_assert_eq!(invoice.creditable_minor(), 0);
        prop_assert_eq!(invoice.status, InvoiceStatus::Paid);
        prop_assert_eq!(&invoice.credited_taxes, &invoice.tax_summary);
    }
}
