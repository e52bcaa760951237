//! The tax of several credit notes of one invoice.

use proptest::prelude::*;

use super::fixtures::*;
use crate::domain::billing::invoice::*;
use crate::domain::billing::tax::StatedTax;
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
    // Without tax, a note may take more than is billed without it.
    known.0 = after;
    assert!(noted(&known, vec![at_rate(1200, "0")]).is_ok());
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
