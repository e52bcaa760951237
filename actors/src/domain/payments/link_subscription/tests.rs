use super::*;
use crate::domain::ids::SavedCardId;
use crate::domain::money::Currency;
use crate::domain::payments::card::{Brand, CardSummary, Expiry};
use crate::domain::payments::failure::FailureCode;
use crate::domain::payments::payment_link::PaymentLinkRefusal;
use crate::domain::payments::saved_card::SavedCharge;
use crate::domain::payments::terminal::Connector;
use crate::domain::platform::seller::Mode;
use crate::domain::testing::instant;
use crate::secrets::{Place, SecretBox};

const SELLER: SellerId = SellerId(1);

fn eur(minor: i64) -> Money {
    Money { minor, currency: Currency::EUR }
}

/// Noon of a day in 2027.
fn noon(day: &str) -> Timestamp {
    instant(&format!("2027-{day}T12:00:00Z"))
}

fn day(text: &str) -> Option<Date> {
    Date::parse(&format!("2027-{text}"))
}

fn new() -> NewLinkSubscription {
    NewLinkSubscription {
        title: "Coffee".to_owned(),
        amount: eur(1_900),
        frequency: Frequency::Monthly,
        trial_days: None,
        installments: None,
        commitment_terms: None,
        recipient: None,
    }
}

fn made(new: NewLinkSubscription) -> LinkSubscription {
    let of = (SELLER, LinkSubscriptionId(7), MailId(8));
    let made = LinkSubscription::create(new, of, "drawn".to_owned(), noon("01-31"));
    made.expect("a subscription").subscription
}

fn card(id: u64) -> SavedCard {
    let place = Place::SavedCard(SELLER, SavedCardId(id));
    SavedCard {
        id: SavedCardId(id),
        customer: None,
        card: CardSummary {
            brand: Brand::Visa,
            first6: "424242".to_owned(),
            last4: "4242".to_owned(),
            expiry: Expiry { year: 2030, month: 12 },
        },
        token: SecretBox::new(&[7; 32]).seal(place, b"token", [1; 24]),
        terminal: None,
        connector: Some(Connector::Simulator),
        demo: true,
        created_at: noon("01-31"),
    }
}

fn paid(of: &LinkSubscription, term: u32, on: &str) -> LinkSubscriptionChange {
    let kept = card(u64::from(term) + 1);
    let by = Paid { reference: "p", term, amount: of.amount, card: Some(&kept) };
    of.pay(&by, noon(on)).expect("counted")
}

fn due(
    of: &LinkSubscription,
    on: &str,
) -> (LinkSubscription, Option<SavedCharge>, Vec<&'static str>) {
    let (change, charge) = of.fall_due(Mode::Demo, noon(on)).expect("due");
    let told = kinds(&change);
    (change.subscription, charge, told)
}

fn kinds(change: &LinkSubscriptionChange) -> Vec<&'static str> {
    change.events.iter().map(|event| event.kind.name()).collect()
}

fn failed(
    of: &LinkSubscription,
    charge: Option<SavedCharge>,
    code: FailureCode,
    on: &str,
) -> LinkSubscriptionChange {
    of.charge_failed(charge.expect("a charge"), Some(code), noon(on)).expect("of matter")
}

#[test]
fn a_subscription_is_made_of_terms_that_can_be_kept() {
    let refused = |change: fn(&mut NewLinkSubscription)| {
        let mut asked = new();
        change(&mut asked);
        let of = (SELLER, LinkSubscriptionId(7), MailId(8));
        LinkSubscription::create(asked, of, String::new(), noon("01-31")).expect_err("refused")
    };
    for (change, expected) in [
        (
            (|new| new.title = " ".to_owned()) as fn(&mut NewLinkSubscription),
            LinkSubscriptionRefusal::Link(PaymentLinkRefusal::Title),
        ),
        (|new| new.amount.minor = 0, LinkSubscriptionRefusal::Link(PaymentLinkRefusal::Amount)),
        (|new| new.trial_days = Some(0), LinkSubscriptionRefusal::TrialDays),
        (|new| new.trial_days = Some(731), LinkSubscriptionRefusal::TrialDays),
        (|new| new.installments = Some(0), LinkSubscriptionRefusal::Installments),
        (|new| new.commitment_terms = Some(0), LinkSubscriptionRefusal::Commitment),
        (
            |new| {
                new.installments = Some(3);
                new.commitment_terms = Some(4);
            },
            LinkSubscriptionRefusal::Commitment,
        ),
    ] {
        assert_eq!(refused(change), expected);
    }
    let asks = made(new()).asks().expect("a card");
    assert_eq!((asks.term, asks.amount), (1, eur(1_900)));
}

#[test]
fn terms_are_charged_on_the_anchors_day_and_each_charge_has_its_own_number() {
    let first = paid(&made(new()), 1, "01-31");
    assert_eq!(kinds(&first), ["SubscriptionCharged"]);
    let mut now = first.subscription;
    assert_eq!((now.status, now.next_on), (LinkSubscriptionStatus::Active, day("02-28")));
    for (term, on, next) in [(2, "02-28", "03-31"), (3, "03-31", "04-30"), (4, "04-30", "05-31")] {
        assert_eq!(now.due_at(), day(on).map(Date::start));
        let (ordered, charge, told) = due(&now, on);
        assert_eq!((charge.expect("a charge").attempt, told), (term - 1, vec![]));
        let again = due(&ordered, on).1;
        assert_eq!(again, charge, "one that is not known to have begun is ordered again");
        let begun = ordered.charge_begun(charge.expect("a charge"), PaymentId(9)).expect("noted");
        assert_eq!(begun.subscription.due_at(), None, "its outcome is waited for");
        now = paid(&begun.subscription, term, on).subscription;
        assert_eq!((now.terms_paid, now.next_on), (term, day(next)));
    }
    let twice = Paid { reference: "p", term: 4, amount: now.amount, card: None };
    assert_eq!(now.pay(&twice, noon("05-01")), Err(LinkSubscriptionRefusal::TermPaid));
}

#[test]
fn a_trial_is_free_told_of_a_day_before_its_end_and_charged_after_it() {
    let tried = NewLinkSubscription { trial_days: Some(14), ..new() };
    let asked = made(tried.clone()).asks().expect("a card");
    assert_eq!((asked.term, asked.amount), (VERIFICATION, eur(0)));
    let begun = paid(&made(tried.clone()), VERIFICATION, "02-01");
    assert_eq!(kinds(&begun), [""; 0]);
    let trialing = begun.subscription;
    assert_eq!(trialing.status, LinkSubscriptionStatus::Trialing);
    assert_eq!((trialing.trial_end, trialing.asks()), (day("02-15"), None));
    assert_eq!(trialing.trial_told_at(), day("02-14").map(Date::start));
    let early = trialing.tell_trial_end(noon("02-13"));
    assert_eq!(early, Err(LinkSubscriptionRefusal::NotDue));
    let told = trialing.tell_trial_end(noon("02-14")).expect("told");
    assert_eq!(told.events[0].payload["source"], "payment_links");
    assert_eq!(told.subscription.trial_told_at(), None, "told once");
    let (ordered, charge, events) = due(&told.subscription, "02-15");
    assert_eq!(
        (events, ordered.status),
        (vec!["SubscriptionTrialEnded"], LinkSubscriptionStatus::Active)
    );
    assert!(charge.is_some());
    assert_eq!(paid(&ordered, 1, "02-15").subscription.next_on, day("03-15"));

    let short = NewLinkSubscription { trial_days: Some(1), ..tried };
    assert_eq!(kinds(&paid(&made(short), VERIFICATION, "02-01")), ["SubscriptionTrialWillEnd"]);
}

#[test]
fn a_passing_failure_is_tried_on_three_days_and_then_past_due_until_its_buyer_pays() {
    let mut now = paid(&made(new()), 1, "01-31").subscription;
    for on in ["02-28", "03-03", "03-05"] {
        let (ordered, charge, _) = due(&now, on);
        let after = failed(&ordered, charge, FailureCode::ProviderTimeout, on);
        assert_eq!(kinds(&after), [""; 0], "{on}");
        now = after.subscription;
        assert_eq!(now.asks(), None, "the card may yet pay");
    }
    assert_eq!(now.due_at(), day("03-07").map(Date::start));
    let (ordered, charge, _) = due(&now, "03-07");
    let over = failed(&ordered, charge, FailureCode::ProviderTimeout, "03-07");
    assert_eq!(kinds(&over), ["SubscriptionPastDue"]);
    assert_eq!(over.events[0].payload["failureCode"], 2003);
    let over = over.subscription;
    assert_eq!((over.status, over.due_at()), (LinkSubscriptionStatus::PastDue, None));
    assert_eq!(over.asks().map(|asked| asked.term), Some(2));
    let back = paid(&over, 2, "04-10");
    assert_eq!(back.events[0].payload["recovered"], true);
    assert_eq!(back.subscription.status, LinkSubscriptionStatus::Active);
    assert_eq!(back.subscription.next_on, day("04-30"), "no term began while it was past due");
    let next = due(&back.subscription, "04-30").1.expect("a charge");
    assert_eq!((next.attempt, next.card), (5, SavedCardId(3)), "a number and a card of its own");
}

#[test]
fn a_refusal_for_good_is_past_due_at_once_and_one_that_another_card_mends_waits_for_it() {
    let now = paid(&made(new()), 1, "01-31").subscription;
    let (ordered, charge, _) = due(&now, "02-28");
    let declined = failed(&ordered, charge, FailureCode::Declined, "02-28");
    assert_eq!(kinds(&declined), ["SubscriptionPastDue"]);

    let waits = failed(&ordered, charge, FailureCode::AuthenticationRequired, "02-28").subscription;
    assert_eq!(waits.asks().map(|asked| asked.term), Some(2));
    let mut waiting = waits;
    for (on, next) in [("03-03", "03-05"), ("03-05", "03-07")] {
        let (after, charge, _) = due(&waiting, on);
        assert_eq!((charge, after.due_at()), (None, day(next).map(Date::start)));
        waiting = after;
    }
    let (over, charge, told) = due(&waiting, "03-07");
    assert_eq!((charge, told), (None, vec!["SubscriptionPastDue"]));
    assert_eq!(over.status, LinkSubscriptionStatus::PastDue);
    let late =
        over.charge_failed(SavedCharge { attempt: 1, card: SavedCardId(2) }, None, noon("03-08"));
    assert_eq!(late, None, "what is known is not heard twice");
}

#[test]
fn terms_that_passed_while_nobody_was_charged_are_not_charged_later() {
    let now = paid(&made(new()), 1, "01-31").subscription;
    let (ordered, charge, _) = due(&now, "06-10");
    let begun = ordered.charge_begun(charge.expect("a charge"), PaymentId(9)).expect("noted");
    // Its outcome may be known in the next term only.
    for known_on in ["06-10", "07-02"] {
        let late = paid(&begun.subscription, 2, known_on).subscription;
        assert_eq!((late.terms_paid, late.next_on), (2, day("06-30")), "{known_on}");
    }
}

#[test]
fn a_term_that_was_paid_on_the_last_retry_does_not_take_the_next_ones_place() {
    let weekly = made(NewLinkSubscription { frequency: Frequency::Weekly, ..new() });
    let mut now = paid(&weekly, 1, "01-31").subscription;
    for on in ["02-07", "02-10", "02-12"] {
        let (ordered, charge, _) = due(&now, on);
        now = failed(&ordered, charge, FailureCode::ProviderTimeout, on).subscription;
    }
    let (ordered, _, _) = due(&now, "02-14");
    let late = paid(&ordered, 2, "02-14").subscription;
    assert_eq!((late.terms_paid, late.next_on), (2, day("02-14")));
}

#[test]
fn a_charge_that_was_interrupted_is_made_anew_in_a_minute() {
    let now = paid(&made(new()), 1, "01-31").subscription;
    let (ordered, charge, _) = due(&now, "02-28");
    let after = failed(&ordered, charge, FailureCode::Interrupted, "02-28").subscription;
    assert_eq!(after.due_at(), Some(noon("02-28").plus_seconds(60)));
    let soon = noon("02-28").plus_seconds(60);
    let (_, anew) = after.fall_due(Mode::Demo, soon).expect("due");
    let expected = charge.map(|before| SavedCharge { attempt: before.attempt + 1, ..before });
    assert_eq!(anew, expected, "under another number");
}

#[test]
fn instalments_end_a_subscription_and_its_commitment() {
    let mut now = made(NewLinkSubscription { installments: Some(2), ..new() });
    let first = paid(&now, 1, "01-31");
    assert_eq!(kinds(&first), ["SubscriptionInstallmentCharged"]);
    now = first.subscription;
    let early = now.cancel(CancelledBy::Buyer, noon("02-01"));
    assert_eq!(early, Err(LinkSubscriptionRefusal::Committed));
    let last = paid(&now, 2, "02-28");
    let told = ["SubscriptionInstallmentCharged", "SubscriptionCommitmentCompleted"];
    assert_eq!(kinds(&last), told);
    let over = last.subscription;
    assert_eq!(
        (over.status, over.next_on, over.due_at()),
        (LinkSubscriptionStatus::Completed, None, None)
    );
    assert_eq!(over.card, None, "nothing is charged any more");
    let ended = LinkSubscriptionRefusal::Ended(LinkSubscriptionStatus::Completed);
    assert_eq!(over.cancel(CancelledBy::Seller, noon("03-01")), Err(ended));
}

#[test]
fn a_buyer_may_cancel_once_the_commitment_is_paid_and_the_seller_at_any_time() {
    let bound = made(NewLinkSubscription { commitment_terms: Some(2), ..new() });
    let once = paid(&bound, 1, "01-31").subscription;
    assert!(!once.may_be_left() && !bound.may_be_left());
    let twice = paid(&once, 2, "02-28");
    assert_eq!(kinds(&twice), ["SubscriptionCharged", "SubscriptionCommitmentCompleted"]);
    let left = twice.subscription.cancel(CancelledBy::Buyer, noon("03-01"));
    let left = left.expect("allowed").expect("a change");
    assert_eq!(left.events[0].payload["cancelledBy"], "buyer");
    assert_eq!((left.subscription.due_at(), &left.subscription.card), (None, &None));
    assert_eq!(left.subscription.cancel(CancelledBy::Seller, noon("03-02")), Ok(None));
    assert!(once.cancel(CancelledBy::Seller, noon("02-01")).expect("allowed").is_some());
    let late = Paid { reference: "p", term: 3, amount: eur(1_900), card: None };
    let ended = LinkSubscriptionRefusal::Ended(LinkSubscriptionStatus::Cancelled);
    assert_eq!(left.subscription.pay(&late, noon("03-02")), Err(ended), "it goes back");

    let trial =
        made(NewLinkSubscription { trial_days: Some(7), commitment_terms: Some(2), ..new() });
    assert!(paid(&trial, VERIFICATION, "01-31").subscription.may_be_left(), "a trial is one");
}

#[test]
fn a_payment_that_fails_at_settlement_is_owed_again() {
    let now = paid(&made(new()), 1, "01-31").subscription;
    let now = paid(&now, 2, "02-28").subscription;
    let back = now.take_back(2, noon("03-01"));
    assert_eq!(kinds(&back), ["SubscriptionPastDue"]);
    assert_eq!(back.subscription.asks().map(|asked| asked.term), Some(2));
    let earlier = now.take_back(1, noon("03-01")).subscription;
    assert_eq!((earlier.terms_paid, earlier.terms_lost), (2, 1));
    assert_eq!(earlier.status, LinkSubscriptionStatus::Active);
}

#[test]
fn a_card_that_was_kept_in_demo_mode_is_none_once_the_account_is_live() {
    let of = paid(&made(new()), 1, "01-31").subscription;
    let (change, charge) = of.fall_due(Mode::Live, noon("02-28")).expect("due");
    let overdue = &change.subscription;
    assert_eq!((charge, overdue.status), (None, LinkSubscriptionStatus::PastDue));
    assert_eq!(kinds(&change), ["SubscriptionPastDue"]);
    assert_eq!(change.events[0].payload["failureCode"], 0);
    assert_eq!(overdue.asks(), Some(Asked { term: 2, amount: of.amount }));
    let live = SavedCard { demo: false, ..card(9) };
    let by = Paid { reference: "p", term: 2, amount: of.amount, card: Some(&live) };
    let again = overdue.pay(&by, noon("03-01")).expect("counted").subscription;
    let (_, charge) = again.fall_due(Mode::Live, noon("03-31")).expect("due");
    assert_eq!(charge.map(|charge| charge.card), Some(SavedCardId(9)));
}
