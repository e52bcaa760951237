//! When a saved card is charged again, and when that is given up.

use proptest::prelude::*;

use super::*;

const CARD: SavedCardId = SavedCardId(1);
const ANOTHER: SavedCardId = SavedCardId(2);

fn day(number: i64) -> Date {
    Date::parse("2027-01-15").expect("a day").plus_days(number)
}

fn charge(attempt: u32, card: SavedCardId) -> Step {
    Step::Charge(SavedCharge { attempt, card })
}

/// Charges what is due on `today` and lets it fail.
fn fails(before: Collection, card: SavedCardId, code: FailureCode, today: i64) -> Collection {
    let Step::Charge(charge) = before.step(Some(card), day(today)) else {
        panic!("no charge on day {today}: {before:?}");
    };
    before.begun(charge).failed(card, Some(code), day(today))
}

#[test]
fn a_passing_failure_is_tried_again_after_three_five_and_seven_days() {
    let mut collection = Collection::from(day(0));
    for (today, next) in [(0, Some(3)), (3, Some(5)), (5, Some(7)), (7, None)] {
        assert_eq!(collection.due_on(), Some(day(today)));
        collection = fails(collection, CARD, FailureCode::ProviderTimeout, today);
        assert_eq!(collection.due_on(), next.map(day), "after day {today}");
    }
    assert_eq!((collection.gave_up, collection.attempts), (true, 4));
}

#[test]
fn what_was_interrupted_is_made_anew_at_once_and_counts_when_it_goes_on() {
    let mut collection = Collection::from(day(0));
    for interrupted in 1..=3 {
        collection = fails(collection, CARD, FailureCode::Interrupted, 0);
        assert!(collection.was_interrupted());
        assert_eq!((collection.due_on(), collection.attempts), (Some(day(0)), interrupted));
        assert_eq!(collection.step(Some(CARD), day(0)), charge(interrupted + 1, CARD));
    }
    let failed = fails(collection, CARD, FailureCode::Interrupted, 0);
    assert!(!failed.was_interrupted());
    assert_eq!((failed.due_on(), failed.first_failed_on), (Some(day(3)), Some(day(0))));
    let again = fails(failed, CARD, FailureCode::Interrupted, 3);
    assert_eq!((again.due_on(), again.gave_up), (Some(day(3)), false), "they are counted anew");
}

#[test]
fn the_days_count_from_the_first_failure_and_not_from_the_invoice() {
    let late = fails(Collection::from(day(0)), CARD, FailureCode::ProviderError, 2);
    assert_eq!(late.due_on(), Some(day(5)));
    // A clock that comes late finds the next day that is still ahead.
    let later = fails(late.clone(), CARD, FailureCode::ProviderError, 8);
    assert_eq!((later.due_on(), later.gave_up), (Some(day(9)), false));
    let over = fails(late, CARD, FailureCode::ProviderError, 20);
    assert_eq!((over.due_on(), over.gave_up), (None, true));
}

#[test]
fn what_is_refused_for_good_is_given_up_at_once() {
    for code in FailureCode::ALL.iter().filter(|code| code.retry() == Retry::Never) {
        let after = fails(Collection::from(day(0)), CARD, *code, 0);
        assert_eq!((after.due_on(), after.gave_up), (None, true), "{code:?}");
    }
}

#[test]
fn what_is_to_be_mended_waits_for_another_card_until_the_seventh_day() {
    let waits = fails(Collection::from(day(0)), CARD, FailureCode::AuthenticationRequired, 0);
    assert!(waits.waits_for_another());
    for (today, step) in [(3, Step::Wait(day(5))), (5, Step::Wait(day(7))), (7, Step::GiveUp)] {
        assert_eq!(waits.step(Some(CARD), day(today)), step, "day {today}");
        assert_eq!(waits.step(Some(ANOTHER), day(today)), charge(2, ANOTHER), "day {today}");
    }
}

#[test]
fn a_card_that_is_gone_gives_up_only_what_was_tried() {
    assert_eq!(Collection::from(day(0)).step(None, day(0)), Step::NoCard);
    let tried = fails(Collection::from(day(0)), CARD, FailureCode::ProviderTimeout, 0);
    assert_eq!(tried.step(None, day(3)), Step::GiveUp);
}

#[test]
fn an_attempt_that_was_begun_keeps_its_number_and_its_card() {
    let first = SavedCharge { attempt: 1, card: CARD };
    let begun = Collection::from(day(0)).begun(first);
    assert_eq!(begun.due_on(), Some(day(0)), "until it is known that there is a payment");
    for card in [Some(CARD), Some(ANOTHER), None] {
        assert_eq!(begun.step(card, day(9)), Step::Charge(first));
    }
    let known = Collection { payment: Some(PaymentId(7)), ..begun };
    assert_eq!(known.due_on(), None);
}

proptest! {
    /// However its attempts fail and whenever its clock looks, a collection comes to an end, with
    /// no more than four attempts, each with a number of its own, and no later than it looks after
    /// the seventh day.
    #[test]
    fn every_collection_ends(
        looks in prop::collection::vec((1_i64..4, 0_usize..3, any::<bool>()), 0..40),
    ) {
        let codes = [
            FailureCode::ProviderTimeout, FailureCode::AuthenticationRequired, FailureCode::Declined,
        ];
        let (mut collection, mut today, mut newest) = (Collection::from(day(0)), 0, 1);
        for (more, code, new_card) in looks {
            newest += u64::from(new_card);
            let card = SavedCardId(newest);
            if collection.due_on().is_some_and(|due| due <= day(today)) {
                let before = collection.attempts;
                match collection.step(Some(card), day(today)) {
                    Step::Charge(charge) => {
                        prop_assert_eq!(charge.attempt, before + 1);
                        collection = collection.begun(charge);
                        collection = collection.failed(card, Some(codes[code]), day(today));
                    }
                    Step::Wait(next) => {
                        prop_assert!(next > day(today));
                        collection.next_on = Some(next);
                    }
                    Step::GiveUp => collection = collection.given_up(),
                    Step::NoCard => prop_assert!(false, "there is a card"),
                }
            }
            prop_assert!(collection.attempts <= 4);
            if let (Some(first), Some(next)) = (collection.first_failed_on, collection.next_on) {
                prop_assert!(next <= first.plus_days(7));
            }
            prop_assert_eq!(collection.gave_up, collection.next_on.is_none());
            today += more;
        }
    }
}
