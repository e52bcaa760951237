//! Lives that go up, down, rest and end, against a calendar that knows nothing of terms, claims
//! and prorations: each day costs its share of the month, quarter or year that it lies in, at the
//! price that held on it.

use std::collections::BTreeMap;

use chrono::{Days, Months, NaiveDate};
use proptest::prelude::*;

use super::account::Account;
use super::fixtures::day;
use super::life::check_document;
use crate::domain::billing::subscription::{
    Cancel, CancelMode, Frequency, NewSubscription, PlanChange,
};
use crate::domain::time::Date;

/// Billionths of a minor unit.
const FINE: i128 = 1_000_000_000;

/// What a customer was promised, day by day.
struct Calendar {
    anchor: NaiveDate,
    frequency: Frequency,
    price_minor: i64,
    /// The first day that is not paid, when it was paused.
    rests_from: Option<NaiveDate>,
    /// The first day that is not paid any more.
    ends: Option<NaiveDate>,
    /// The sum of prices by the days of their term.
    owed: BTreeMap<i64, i128>,
}

impl Calendar {
    fn term(&self, n: u32) -> NaiveDate {
        match self.frequency.months() {
            Some(months) => self.anchor + Months::new(months * n),
            None => self.anchor + Days::new(7 * u64::from(n)),
        }
    }

    /// The term that a day lies in: its first day, and the first day of the next.
    fn around(&self, day: NaiveDate) -> (NaiveDate, NaiveDate) {
        let mut n = 0;
        while self.term(n + 1) <= day {
            n += 1;
        }
        (self.term(n), self.term(n + 1))
    }

    fn is_resting(&self, day: NaiveDate) -> bool {
        self.rests_from.is_some_and(|from| from <= day)
    }

    fn add(&mut self, day: NaiveDate) {
        if self.ends.is_some_and(|end| end <= day) || self.is_resting(day) {
            return;
        }
        let (start, end) = self.around(day);
        *self.owed.entry((end - start).num_days()).or_default() += i128::from(self.price_minor);
    }

    fn pause(&mut self, today: NaiveDate) {
        self.rests_from = Some(self.around(today).1);
    }

    /// The end that a cancel of today means, as things stand.
    fn end(&self, today: NaiveDate, cancel: &Cancel) -> NaiveDate {
        let at = match (cancel.mode, cancel.at) {
            (CancelMode::AtDate, Some(at)) => calendar(at),
            (CancelMode::PeriodEnd, _) if !self.is_resting(today) => self.around(today).1,
            _ => today,
        };
        if cancel.prorate {
            return at;
        }
        // A term that has begun by then is paid to its end.
        if at > today { self.around(at - Days::new(1)).1 } else { self.around(today).1 }
    }

    fn fine(&self) -> i128 {
        self.owed.iter().map(|(of, sum)| sum * FINE / i128::from(*of)).sum()
    }
}

fn calendar(date: Date) -> NaiveDate {
    let (year, month, day) = date.parts();
    NaiveDate::from_ymd_opt(year, month, day).expect("a day")
}

/// Does one thing to the subscription; a refused one changes nothing, here and there.
fn act(account: &mut Account, calendar: &mut Calendar, (what, number): (u8, i64), today: Date) {
    let now = self::calendar(today);
    match what {
        0..4 if calendar.rests_from.is_none() => {
            let price_minor = number * 37;
            let change = PlanChange { price_minor: Some(price_minor), ..PlanChange::default() };
            if account.change_plan(1, today, &change).is_ok() {
                calendar.price_minor = price_minor;
            }
        }
        4 if account.pause(1, today).is_ok() => calendar.pause(now),
        5 => {
            let paused = calendar.rests_from.is_some();
            if account.resume(1, today).is_ok() {
                if paused { calendar.rests_from = None } else { calendar.ends = None }
            }
        }
        6 | 7 => {
            let at = Some(today.plus_days(number % 50));
            let cancel = match number % 4 {
                0 => Cancel { mode: CancelMode::AtDate, at, prorate: true, ..Cancel::default() },
                1 => Cancel { mode: CancelMode::AtDate, at, ..Cancel::default() },
                _ => Cancel::default(),
            };
            let ends = calendar.end(now, &cancel);
            if account.cancel(1, today, &cancel).is_ok() {
                calendar.ends = Some(ends);
            }
        }
        _ => {}
    }
}

fn running(account: &Account) -> bool {
    account.subscriptions.values().all(|sub| !sub.status.is_final())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn documents_bill_the_days_that_were_promised(
        frequency in prop::sample::select(Frequency::ALL),
        price_minor in 0_i64..100_000,
        start in 0_i64..400,
        days in prop::collection::vec(((0_u8..40, 0_i64..3_000), 0_u8..12), 1..300),
        last_is_prorated in any::<bool>(),
    ) {
        let mut today = day("2027-01-01").plus_days(start);
        let new = NewSubscription {
            frequency,
            start_date: today,
            ..NewSubscription::monthly("2027-01-01", price_minor)
        };
        let mut account = Account::default();
        account.begin(1, new);
        let mut promised = Calendar {
            anchor: calendar(today),
            frequency,
            price_minor,
            rests_from: None,
            ends: None,
            owed: BTreeMap::new(),
        };
        for (deed, bills) in days {
            if bills == 0 {
                account.bill(today);
            }
            act(&mut account, &mut promised, deed, today);
            promised.add(calendar(today));
            today = today.plus_days(1);
        }
        let last = Cancel {
            mode: CancelMode::Immediately,
            prorate: last_is_prorated,
            ..Cancel::default()
        };
        let ends = promised.end(calendar(today), &last);
        // Days of a billed term are given back while credits are on only.
        if account.cancel(1, today, &last).is_ok() {
            promised.ends = Some(ends);
        } else if running(&account) {
            account.cancel(1, today, &Cancel::default()).expect("canceled");
            promised.ends = Some(promised.end(calendar(today), &Cancel::default()));
        }
        for _ in 0..400 {
            promised.add(calendar(today));
            today = today.plus_days(1);
        }
        while account.bill(today) {}
        account.documents.iter().for_each(check_document);
        prop_assert_eq!(account.open_charge(), 0, "a charge was forgotten");
        let billed = i128::from(account.billed_minor() - account.open_credit());
        let lines: usize = account.documents.iter().map(|document| document.lines.len()).sum();
        let roundings = i128::try_from(lines + 2 * account.prorations.len()).expect("few");
        let away = (billed * FINE - promised.fine()).abs();
        prop_assert!(
            away <= roundings * FINE,
            "billed {}, promised {} billionths, {} roundings", billed, promised.fine(), roundings
        );
    }
}
