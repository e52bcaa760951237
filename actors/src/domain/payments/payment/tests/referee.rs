//! An independent referee: it watches payments through long sequences of commands, answers and
//! timers, and keeps books of its own of what was taken and given back.

mod action;
mod rules;
mod watched;

use proptest::prelude::*;

use self::action::Action;
use self::watched::Watched;
use super::fixtures::{by_hand, local, of_invoice, of_order, of_session, outside, plan};
use super::*;
use crate::domain::money::Currency;

fn kinds() -> impl Strategy<Value = NewPayment> {
    prop_oneof![
        1 => Just(of_invoice()),
        1 => Just(of_order()),
        3 => Just(by_hand()),
        1 => Just(local(Method::Multibanco)),
        1 => Just(local(Method::MbWay)),
        1 => Just(of_session()),
        1 => Just(NewPayment { capture: CaptureMode::Manual, ..of_session() }),
        1 => Just(NewPayment { forced: Some(FailureCode::SettlementFailed), ..of_order() }),
        1 => Just(NewPayment { demo: false, ..by_hand() }),
        1 => Just(outside(of_invoice())),
        1 => Just(outside(local(Method::MbWay))),
    ]
}

/// Amounts that do not divide well, shared by two payees and the seller.
fn splits() -> impl Strategy<Value = (i64, Option<Plan>)> {
    (3_i64..5_000, 0_i64..=100, 0_i64..=100).prop_map(|(whole, one, other)| {
        let first = whole * one / 100;
        let second = (whole - first) * other / 100;
        (whole, (one > 0).then(|| plan(first, second)))
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn the_books_balance_whatever_happens(
        new in kinds(),
        (whole, split) in splits(),
        actions in prop::collection::vec(Action::any(), 1..90),
    ) {
        let amount = Money::new(whole, Currency::EUR).expect("money");
        let mut watched = Watched::begin(NewPayment { amount, split, ..new });
        for action in actions {
            watched.carry_out(action);
        }
        watched.bring_to_rest();
    }
}

#[test]
fn the_referee_sees_payments_taken_shared_and_given_back() {
    let mut watched = Watched::begin(NewPayment { split: Some(plan(5_00, 2_50)), ..by_hand() });
    let actions = [
        Action::Hold,
        Action::Capture(40, false),
        Action::Succeed,
        Action::Refund(50),
        Action::Succeed,
    ];
    for action in actions {
        assert!(watched.carry_out(action), "{action:?} was refused");
    }
    assert_eq!((watched.taken, watched.returned), (5_00, 2_50));
    assert_eq!(watched.shares.values().sum::<i64>(), 2_50);
}
