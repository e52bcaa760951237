use proptest::prelude::*;

use super::fixtures::*;
use crate::domain::billing::invoice::*;
use crate::domain::billing::test_clock::Moment;
use crate::domain::ids::InvoiceId;

/// A line as whole numbers: billionths of a quantity, price, discount out of 1000 parts of the
/// gross, ten-thousandths of a percent.
type Plain = (u64, i64, u32, u32);

fn plain_line() -> impl Strategy<Value = Plain> {
    let quantity = prop_oneof![
        Just(0_u64),
        (1_u64..20).prop_map(|units| units * 1_000_000_000),
        0_u64..50_000_000_000,
    ];
    let rate = prop_oneof![Just(0_u32), Just(90_000), Just(210_000), 0_u32..=1_000_000];
    (quantity, -200_000_i64..1_000_000, 0_u32..=1000, rate)
}

/// `numerator / denominator` rounded half up, away from zero; the denominator is above 0.
fn rounded(numerator: i128, denominator: i128) -> i128 {
    (2 * numerator.abs() + denominator) / (2 * denominator) * numerator.signum()
}

fn gross_of((quantity, price, _, _): Plain) -> i128 {
    rounded(i128::from(quantity) * i128::from(price), 1_000_000_000)
}

fn discount_of(line: Plain) -> i128 {
    gross_of(line).max(0) * i128::from(line.2) / 1000
}

fn stated((quantity_billionths, price, parts, percent): Plain) -> NewLine {
    let text = format!(
        "{}.{:09}",
        quantity_billionths / 1_000_000_000,
        quantity_billionths % 1_000_000_000
    );
    let discount = discount_of((quantity_billionths, price, parts, percent));
    NewLine {
        discount_minor: Some(i64::try_from(discount).expect("small")),
        tax: taxed(&format!("{}.{:04}", percent / 10_000, percent % 10_000)),
        ..line(&text, price)
    }
}

/// Subtotal, discount and tax of a document by exact fractions.
fn referee(lines: &[Plain]) -> (i128, i128, i128) {
    let mut bases = std::collections::BTreeMap::<u32, i128>::new();
    for line in lines {
        *bases.entry(line.3).or_default() += gross_of(*line) - discount_of(*line);
    }
    (
        lines.iter().map(|line| gross_of(*line)).sum(),
        lines.iter().map(|line| discount_of(*line)).sum(),
        bases.into_iter().map(|(rate, base)| rounded(base * i128::from(rate), 1_000_000)).sum(),
    )
}

proptest! {
    #[test]
    fn documents_are_what_exact_fractions_say(lines in proptest::collection::vec(plain_line(), 1..25)) {
        let (subtotal, discount, tax) = referee(&lines);
        let grand = subtotal - discount + tax;
        let composed = compose(&request(lines.iter().copied().map(stated).collect()));
        if grand < 0 {
            prop_assert_eq!(composed, Err(InvoiceRefusal::NegativeTotal));
            return Ok(());
        }
        let composed = composed.expect("an invoice");
        let totals = composed.invoice.totals;
        prop_assert_eq!(i128::from(totals.subtotal_minor), subtotal);
        prop_assert_eq!(i128::from(totals.discount_minor), discount);
        prop_assert_eq!(i128::from(totals.tax_minor), tax);
        prop_assert_eq!(i128::from(totals.grand_total_minor), grand);
        prop_assert_eq!(composed.invoice.collectible_minor, totals.grand_total_minor);
        prop_assert_eq!(composed.invoice.outstanding_minor, totals.grand_total_minor);
        let lined: i64 = composed.lines.iter().map(|line| line.amount_minor + line.tax_minor).sum();
        prop_assert_eq!(lined, totals.grand_total_minor);
        for (line, plain) in composed.lines.iter().zip(&lines) {
            prop_assert_eq!(i128::from(line.amount_minor), gross_of(*plain) - discount_of(*plain));
        }
    }
}

#[test]
fn lines_take_their_own_rate_or_the_sellers() {
    let lines = vec![line("1.5", 333), NewLine { tax: taxed("0"), ..line("3", 100) }];
    let composed = compose(&request(lines)).expect("an invoice");
    let rows: Vec<_> = composed
        .lines
        .iter()
        .map(|line| (line.id.0, line.amount_minor, line.tax_rate, line.tax_minor))
        .collect();
    // 1.5 × 3.33 is 4.995, rounded half up to 5.00.
    let first = 5 << 16;
    assert_eq!(rows, [(first + 1, 500, rate("21"), 105), (first + 2, 300, rate("0"), 0)]);
    let own = |index| InvoiceLineId::new(InvoiceId(5), index);
    assert!(composed.lines.iter().enumerate().all(|(index, line)| line.id == own(index)));
    assert_eq!(composed.lines[0].source, LineSource::Project);
}

#[test]
fn the_document_spans_what_its_lines_bill() {
    let lined = |start: Option<&str>, end: Option<&str>| NewLine {
        period_start: start.map(day),
        period_end: end.map(day),
        ..line("1", 100)
    };
    let lines = vec![
        lined(Some("2026-11-01"), Some("2026-12-01")),
        lined(None, None),
        lined(Some("2026-10-15"), None),
        lined(None, Some("2026-11-15")),
    ];
    let invoice = compose(&request(lines)).expect("an invoice").invoice;
    assert_eq!(invoice.period_start, Some(day("2026-10-15")));
    assert_eq!(invoice.period_end, Some(day("2026-12-01")));
}

#[test]
fn the_due_date_counts_from_the_later_of_issue_and_engine_date() {
    let asked = request(vec![line("1", 100)]);
    let due = |engine: &str, stated: Option<&str>| {
        let moment = Moment { engine: day(engine).start(), ..on("2026-11-21") };
        let asked = NewInvoice { due_date: stated.map(day), ..asked.clone() };
        let composed = compose_manual(InvoiceId(5), &contract(), &seller(), &asked, moment);
        let invoice = composed.expect("an invoice").invoice;
        assert_eq!(invoice.issue_date, day("2026-11-21"));
        invoice.due_date.expect("a due date").to_string()
    };
    assert_eq!(due("2026-11-21", None), "2026-12-05");
    assert_eq!(due("2027-06-01", None), "2027-06-15");
    assert_eq!(due("2026-01-01", None), "2026-12-05");
    assert_eq!(due("2027-06-01", Some("2026-11-21")), "2026-11-21");
}

#[test]
fn what_the_request_states_of_the_recipient_stands_over_what_is_known() {
    let stated = StatedBillTo {
        company_name: Some("Engines Ltd".to_owned()),
        name: Some("  ".to_owned()),
        ..StatedBillTo::default()
    };
    let asked = NewInvoice { bill_to: stated, ..request(vec![line("1", 100)]) };
    let printed = compose(&asked).expect("an invoice").invoice.bill_to;
    assert_eq!(printed.email.as_str(), "ada@example.com");
    assert_eq!(printed.name.as_deref(), Some("Ada Byron"));
    assert_eq!(printed.company_name.as_deref(), Some("Engines Ltd"));
}
