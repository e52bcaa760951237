use storage::Record;

use proptest::prelude::*;

use super::*;
use crate::domain::money::{AMOUNT_LIMIT, Currency};
use crate::domain::payments::safeguarding::{SafeguardingAccount, SafeguardingStatus};
use crate::domain::platform::seller::{NewSeller, Seller};

const DAY: i64 = 24 * 3_600;

fn at(second: i64) -> Timestamp {
    Timestamp::parse("2026-11-20T09:00:00Z").expect("an instant").plus_seconds(second)
}

fn seller() -> Seller {
    let new = NewSeller::parse("Byron Ltd", "ada@example.com", None, None).expect("valid");
    let live = new.live(SellerId(1), uuid::Uuid::nil(), 1_000_001, at(0));
    Seller { mode: Mode::Demo, ..live }
}

fn account() -> SafeguardingAccount {
    SafeguardingAccount::of_sandbox(SellerId(1), at(0))
}

fn asked(minor: i64, due_at: Option<Timestamp>) -> NewTopup {
    NewTopup { amount: Money::new(minor, Currency::EUR).expect("money"), due_at }
}

fn draft(new: NewTopup) -> Result<Draft, TopupRefusal> {
    Draft::compose(new, &seller(), Some(&account()), TopupId(7), at(0))
}

fn invoice(minor: i64) -> TopupInvoice {
    draft(asked(minor, None)).expect("composed").issue(1)
}

fn deposit(reference: &str, minor: i64) -> NewDeposit {
    let amount = Money::new(minor, Currency::EUR).expect("money");
    NewDeposit { amount, reference: reference.to_owned() }
}

#[test]
fn a_due_date_leaves_the_days_of_grace_before_the_end() {
    let range = TopupRefusal::DueAtRange(23);
    for (due, expected) in [
        (None, Ok(at(0))),
        // Earlier on the day of issue: clocks differ.
        (Some(at(-9 * 3_600)), Ok(at(-9 * 3_600))),
        (Some(at(-10 * 3_600)), Err(range.clone())),
        (Some(at(23 * DAY)), Ok(at(23 * DAY))),
        (Some(at(23 * DAY + 1)), Err(range)),
    ] {
        assert_eq!(draft(asked(500, due)).map(|draft| draft.issue(1).due_at), expected);
    }
    let patient = Seller { grace_days: 90, ..seller() };
    let on_time =
        |due| Draft::compose(asked(5, Some(due)), &patient, Some(&account()), TopupId(7), at(0));
    assert!(on_time(at(0)).is_ok());
    assert_eq!(on_time(at(1)), Err(TopupRefusal::DueAtRange(0)));
}

#[test]
fn an_invoice_needs_an_active_account_of_its_currency_and_mode() {
    let none = Err(TopupRefusal::NoSafeguarding("EUR".to_owned()));
    let with = |seller: &Seller, account: Option<&SafeguardingAccount>| {
        Draft::compose(asked(5, None), seller, account, TopupId(7), at(0)).map(|_| ())
    };
    let shut = SafeguardingAccount { status: SafeguardingStatus::Closed, ..account() };
    let pounds = Currency::parse("GBP").expect("pounds");
    let other = SafeguardingAccount { currency: pounds, ..account() };
    let live = Seller { mode: Mode::Live, ..seller() };
    assert_eq!(with(&seller(), Some(&account())), Ok(()));
    for (seller, account) in [
        (&seller(), None),
        (&seller(), Some(&shut)),
        (&seller(), Some(&other)),
        (&live, Some(&account())),
    ] {
        assert_eq!(with(seller, account), none);
    }
}

#[test]
fn it_stands_as_the_time_and_the_money_say() {
    use TopupStatus::{Expired, Issued, Overdue, Paid, PartiallyPaid};
    let fresh = invoice(500);
    assert_eq!(fresh.number.to_string(), "1000001-2611AAA");
    let paid = |minor| TopupInvoice { received_minor: minor, ..fresh.clone() };
    for (received, second, expected) in [
        (0, 0, Issued),
        (0, 7 * DAY - 1, Issued),
        (0, 7 * DAY, Overdue),
        (0, 30 * DAY - 1, Overdue),
        (0, 30 * DAY, Expired),
        (499, 0, PartiallyPaid),
        (499, 7 * DAY, Overdue),
        (499, 30 * DAY, Expired),
        (500, 0, Paid),
        (500, 31 * DAY, Paid),
        (600, 31 * DAY, Paid),
    ] {
        let status = paid(received).status(at(second));
        assert_eq!(status, expected, "{received} received, {second} seconds on");
    }
    assert_eq!((paid(499).outstanding_minor(), paid(600).outstanding_minor()), (1, 0));
}

#[test]
fn a_deposit_is_taken_once_by_its_reference() {
    let fresh = invoice(500);
    let first = fresh.deposited(&deposit("T1", 300), at(1)).expect("taken").expect("new");
    assert_eq!(first.received_minor, 300);
    assert_eq!(first.deposited(&deposit("T1", 300), at(2)), Ok(None));
    let other = first.deposited(&deposit("T1", 301), at(2));
    assert_eq!(other, Err(TopupRefusal::ReferenceUsed));
    let second = first.deposited(&deposit("T2", 300), at(40 * DAY)).expect("taken").expect("new");
    assert_eq!((second.received_minor, second.deposits.len()), (600, 2));
    let crowns = Money::new(5, Currency::parse("SEK").expect("crowns")).expect("money");
    let foreign = NewDeposit { amount: crowns, ..deposit("T3", 1) };
    let refused = second.deposited(&foreign, at(3));
    assert_eq!(refused, Err(TopupRefusal::Currency(Currency::EUR)));
    let full = TopupInvoice { received_minor: AMOUNT_LIMIT, ..fresh };
    assert_eq!(full.deposited(&deposit("T1", 1), at(1)), Err(TopupRefusal::TooLarge));
}

#[test]
fn the_deposits_of_an_invoice_fit_its_row() {
    let reference = |n: usize| format!("{n}{}", "\u{1F9FE}".repeat(138 - n / 10));
    let mut invoice = invoice(500);
    for n in 0..64 {
        let one = NewDeposit { reference: reference(n), ..deposit("", 1) };
        invoice = invoice.deposited(&one, at(1)).expect("taken").expect("new");
    }
    assert!(invoice.encode().len() < 60 * 1024);
    let more = invoice.deposited(&deposit("more", 1), at(1));
    assert_eq!(more, Err(TopupRefusal::TooManyDeposits(64)));
    let again = NewDeposit { reference: reference(0), ..deposit("", 1) };
    assert_eq!(invoice.deposited(&again, at(2)), Ok(None));
}

#[test]
fn rows_are_read_back() {
    let taken = invoice(500).deposited(&deposit("T1", 300), at(1)).expect("taken").expect("new");
    assert_eq!(TopupInvoice::decode(TopupInvoice::VERSION, &taken.encode()), Ok(taken));
}

proptest! {
    #[test]
    fn what_came_is_the_sum_of_its_deposits(
        asked in 1..10_000_i64,
        deposits in prop::collection::vec((0..6_u8, 1..4_000_i64), 0..12),
    ) {
        let mut known = std::collections::BTreeMap::new();
        let mut standing = invoice(asked);
        for (name, minor) in deposits {
            let new = deposit(&format!("T{name}"), minor);
            match standing.deposited(&new, at(1)) {
                Ok(Some(after)) => {
                    prop_assert_eq!(known.insert(name, minor), None);
                    standing = after;
                }
                Ok(None) => prop_assert_eq!(known.get(&name), Some(&minor)),
                Err(refusal) => {
                    prop_assert_eq!(refusal, TopupRefusal::ReferenceUsed);
                    prop_assert_ne!(known.get(&name), Some(&minor));
                }
            }
            let sum: i64 = known.values().sum();
            prop_assert_eq!(standing.received_minor, sum);
            prop_assert_eq!(standing.outstanding_minor(), (asked - sum).max(0));
            let paid = standing.status(at(0)) == TopupStatus::Paid;
            prop_assert_eq!(paid, sum >= asked);
        }
    }
}
