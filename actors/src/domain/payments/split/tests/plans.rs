//! What captures and refunds move, step by step.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use crate::domain::payments::share::ShareMove;
use crate::domain::payments::wallet::OWN;

fn plan(minors: &[i64]) -> Plan {
    Plan::of((1..).zip(minors).map(|(n, minor)| PlanShare { payee: PayeeId(n), minor: *minor }))
}

fn take(balances: &mut BTreeMap<PayeeId, i64>, moves: &ShareMoves) {
    for (who, what, minor) in moves {
        assert!(*minor > 0);
        let sign = if *what == ShareMove::Credited { 1 } else { -1 };
        *balances.entry(*who).or_default() += sign * minor;
    }
}

#[test]
fn a_capture_brings_each_party_its_part_and_the_seller_the_rest() {
    let plan = plan(&[600, 300]);
    let moves = capture_moves(&plan, 1_000, 0, 500);
    let expected = [(PayeeId(1), 300), (PayeeId(2), 150), (OWN, 50)];
    assert_eq!(moves, expected.map(|(who, minor)| (who, ShareMove::Credited, minor)));
    assert_eq!(capture_moves(&plan, 1_000, 500, 500), []);
}

#[test]
fn a_payment_without_a_split_is_the_sellers() {
    let moves = capture_moves(&Plan::default(), 1_000, 0, 1_000);
    assert_eq!(moves, [(OWN, ShareMove::Credited, 1_000)]);
}

#[test]
fn nobody_is_notified_of_nothing() {
    let moves = capture_moves(&plan(&[1_000]), 1_000, 0, 1_000);
    assert_eq!(moves, [(PayeeId(1), ShareMove::Credited, 1_000)]);
}

#[test]
fn shares_of_one_payee_are_one() {
    let twice = [(1, 5), (2, 0), (1, 7)].map(|(n, minor)| PlanShare { payee: PayeeId(n), minor });
    assert_eq!(Plan::of(twice).lines(), [PlanShare { payee: PayeeId(1), minor: 12 }]);
}

/// Largest remainder is not monotone: of 6, 6 and 2 parts of 14, the third has a unit of 3 and
/// none of 4.
#[test]
fn a_unit_that_rounding_takes_back_goes_the_other_way() {
    let plan = plan(&[600, 600]);
    let three = credited(&plan, 1_400, 3);
    assert_eq!(three, [(PayeeId(1), 1), (PayeeId(2), 1), (OWN, 1)]);
    assert_eq!(
        capture_moves(&plan, 1_400, 3, 4),
        [
            (PayeeId(1), ShareMove::Credited, 1),
            (PayeeId(2), ShareMove::Credited, 1),
            (OWN, ShareMove::TakenBack, 1),
        ]
    );
    let all = credited(&plan, 1_400, 1_400);
    assert_eq!(refund_moves(&all, 3, 4)[2], (OWN, ShareMove::Credited, 1));
}

proptest! {
    /// However a payment is captured and refunded in steps, each party has what one capture and
    /// one refund of the sums would have left it with, and money in is money out.
    #[test]
    fn steps_come_to_the_same_as_one(
        minors in proptest::collection::vec(1_i64..400, 0..6),
        kept in 1_i64..400,
        captures in proptest::collection::vec(1_i64..300, 1..6),
        refunds in proptest::collection::vec(1_i64..300, 0..9),
    ) {
        let plan = plan(&minors);
        let whole = minors.iter().sum::<i64>() + kept;
        let mut balances = BTreeMap::new();
        let (mut captured, mut refunded) = (0, 0);
        for more in captures {
            let after = (captured + more).min(whole);
            take(&mut balances, &capture_moves(&plan, whole, captured, after));
            captured = after;
            prop_assert_eq!(balances.values().sum::<i64>(), captured);
            for (who, minor) in credited(&plan, whole, captured) {
                prop_assert_eq!(balances.get(&who).copied().unwrap_or(0), minor);
            }
        }
        let credited = credited(&plan, whole, captured);
        for more in refunds {
            let after = (refunded + more).min(captured);
            take(&mut balances, &refund_moves(&credited, refunded, after));
            refunded = after;
            prop_assert_eq!(balances.values().sum::<i64>(), captured - refunded);
            prop_assert!(balances.values().all(|minor| *minor >= 0));
        }
        let back = given_back(&credited, refunded);
        for ((who, had), (_, gave)) in credited.iter().zip(back) {
            prop_assert_eq!(balances.get(who).copied().unwrap_or(0), had - gave);
        }
    }
}
