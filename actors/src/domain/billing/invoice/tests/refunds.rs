//! Refunds of money that came for an invoice, and the credit that was made of it.

use super::fixtures::*;
use crate::domain::billing::invoice::*;
use crate::domain::ids::{CreditEntryId, PaymentId};

/// An invoice over 12.10 that was paid with 20.00, the surplus being in a lot.
fn overpaid() -> Invoice {
    let paid = pay(&sent(), payment(1, 2_000), on("2026-11-25")).expect("taken").expect("counted");
    assert_eq!(paid.surplus_minor, 790);
    let (lot, payment) = (Some(CreditEntryId(7)), Some(PaymentId(1)));
    let mut invoice = paid.change.invoice;
    invoice.note_given_back(GivenBack { lot, amount_minor: 790, payment });
    invoice
}

/// What is taken of the lot in all once so much of the payment is refunded, step by step, and
/// what was refunded of money that counts. `left`: what is there of the lot.
fn refunded(steps: &[i64], left: i64) -> (i64, i64) {
    let (mut invoice, mut taken) = (overpaid(), 0);
    for step in steps {
        let after = refund(&invoice, &[(PaymentId(1), *step)], |_| left - taken);
        taken += after.credit.iter().map(|(_, minor)| minor).sum::<i64>();
        invoice = after.invoice;
    }
    (taken, invoice.refunded_minor())
}

#[test]
fn what_was_too_much_goes_back_before_what_counts() {
    for (steps, expected) in [
        (&[790][..], (790, 0)),
        (&[500, 790], (790, 0)),
        (&[790, 790], (790, 0)),
        (&[1_000], (790, 210)),
        (&[500, 2_000], (790, 1_210)),
    ] {
        assert_eq!(refunded(steps, 790), expected, "{steps:?}");
    }
}

#[test]
fn of_credit_that_is_spent_a_refund_is_of_the_money_that_counts() {
    for (steps, left, expected) in [
        (&[790][..], 0, (0, 790)),
        (&[790], 300, (300, 490)),
        (&[2_000], 0, (0, 1_210)),
        (&[100, 790], 300, (300, 490)),
    ] {
        assert_eq!(refunded(steps, left), expected, "{steps:?} of {left}");
    }
}

#[test]
fn a_refund_that_was_counted_before_surpluses_were_told_apart_stays_as_it_was() {
    // 15.00 had gone: all that counts, and 2.90 of the lot.
    let mut invoice = overpaid();
    invoice.payments[0].refunded_minor = 1_500;
    invoice.given_back[0].amount_minor = 500;
    assert_eq!(invoice.refunded_minor(), 1_210);
    let after = refund(&invoice, &[(PaymentId(1), 2_000)], |_| 500);
    assert_eq!(after.credit, [(CreditEntryId(7), 500)]);
    assert_eq!(after.invoice.refunded_minor(), 1_210);
}
