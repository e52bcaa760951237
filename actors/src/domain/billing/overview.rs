//! How a seller's business stands: what subscriptions bring a month and how that moved, what was
//! billed and collected, what is outstanding.
//!
//! What subscriptions brought in earlier months is counted back from what they bring now, by the
//! [`RecurringMove`]s since then. Of a contract on a test clock all money counts in the month that
//! its document is about: the wall clock, which stamps documents, stands still there.
//!
//! All else comes from sums to which each object has added its
//! [contributions](contributions::Contribution).

pub mod contributions;
mod month;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashMap};

use self::contributions::{Counted, Monthly, SumOf, of_invoice};
pub use self::month::Month;
use super::invoice::Invoice;
use super::subscription::RecurringMove;
use crate::domain::ids::SubscriptionId;
use crate::domain::money::{Currency, Money};
use crate::domain::time::Date;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Overview {
    pub active_contracts: u64,
    pub active_subscriptions: u64,
    pub customers: u64,
    /// By code.
    pub currencies: Vec<CurrencyOverview>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CurrencyOverview {
    pub currency: Currency,
    /// What active subscriptions bring a month now, before tax.
    pub recurring_minor: i64,
    /// Oldest first.
    pub months: Vec<MonthFigures>,
    pub outstanding: Outstanding,
    pub failed_payments: FailedPayments,
}

/// The figures of a month. A subscription counts once, with what it brought at the month's end
/// beside what it brought at its beginning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MonthFigures {
    pub month: Month,
    /// Of what brought nothing before, above 0.
    pub new_minor: i64,
    pub expansion_minor: i64,
    /// What was taken off, above 0.
    pub contraction_minor: i64,
    /// What brings nothing any more, above 0.
    pub churned_minor: i64,
    /// At the end of the month.
    pub recurring_minor: i64,
    /// Grand totals of its documents, less credit notes; voided ones do not count.
    pub billed_minor: i64,
    /// Money that came for documents.
    pub collected_minor: i64,
}

/// What documents wait for, by the days that have passed since they were due.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outstanding {
    pub not_due_minor: i64,
    pub to_30_minor: i64,
    pub to_60_minor: i64,
    pub to_90_minor: i64,
    pub older_minor: i64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FailedPayments {
    pub count: u64,
    pub amount_minor: i64,
}

/// Gathers the figures of the months up to one.
#[derive(Debug)]
pub struct Gathering {
    last: Month,
    months: usize,
    counts: HashMap<Counted, u64>,
    currencies: HashMap<Currency, Gathered>,
}

#[derive(Debug, Default)]
struct Gathered {
    recurring_minor: i64,
    /// What a subscription brought at the beginning of a month, and at its end.
    moves: BTreeMap<(Month, SubscriptionId), (i64, i64)>,
    billed: BTreeMap<Month, i64>,
    collected: BTreeMap<Month, i64>,
    outstanding: Outstanding,
    failed: FailedPayments,
}

impl Gathering {
    /// Of `months` months, at least 1, that end with `last`.
    pub fn new(last: Month, months: usize) -> Self {
        Self { last, months: months.max(1), counts: HashMap::new(), currencies: HashMap::new() }
    }

    pub fn first(&self) -> Month {
        self.last.minus(self.months - 1)
    }

    /// The sums of all objects, on a day. A currency is told of where it has documents `since` a
    /// month, or at any time.
    pub fn sums(&mut self, sums: &HashMap<SumOf, i128>, since: Option<Month>, today: Date) {
        for (of, sum) in sums {
            let minor = i64::try_from(*sum).unwrap_or(if *sum < 0 { i64::MIN } else { i64::MAX });
            match *of {
                SumOf::Count(counted) => {
                    self.counts.insert(counted, u64::try_from(minor).unwrap_or(0));
                }
                SumOf::Recurring(currency) if minor > 0 => {
                    self.of(currency).recurring_minor = minor;
                }
                SumOf::Recurring(_) => {}
                SumOf::Month(currency, month, Monthly::Documents) => {
                    if minor > 0 && since.is_none_or(|since| month >= since) {
                        self.of(currency);
                    }
                }
                SumOf::Month(currency, month, of) => self.month(currency, month, of, minor),
                SumOf::Outstanding(currency, due) => self.outstanding(currency, due, minor, today),
            }
        }
    }

    fn month(&mut self, currency: Currency, month: Month, of: Monthly, minor: i64) {
        let (first, month) = (self.first(), month.min(self.last));
        if month < first || minor == 0 {
            return;
        }
        let gathered = self.of(currency);
        match of {
            Monthly::Billed => add(gathered.billed.entry(month).or_default(), minor),
            Monthly::Collected => add(gathered.collected.entry(month).or_default(), minor),
            Monthly::Documents => {}
        }
    }

    fn outstanding(&mut self, currency: Currency, due: Option<Date>, minor: i64, today: Date) {
        if minor != 0 {
            let late = due.map_or(0, |due| today.days_since(due));
            add(self.of(currency).outstanding.of_age(late), minor);
        }
    }

    /// Counts a document, which is in the sums by the wall clock, by the clock of its contract: on
    /// the `day` that it is about, where its clock stood when it was issued, and by the age that
    /// it has for the contract `today`.
    pub fn by_its_clock(&mut self, invoice: &Invoice, day: Option<Date>, wall: Date, today: Date) {
        for (of, minor) in of_invoice(invoice, invoice.status) {
            match of {
                SumOf::Month(currency, month, of) => {
                    if let Some(day) = day {
                        self.month(currency, month, of, -minor);
                        self.month(currency, Month::of(day), of, minor);
                    }
                }
                SumOf::Outstanding(currency, due) => {
                    self.outstanding(currency, due, -minor, wall);
                    self.outstanding(currency, due, minor, today);
                }
                SumOf::Count(_) | SumOf::Recurring(_) => {}
            }
        }
    }

    /// Moves come in order of their days.
    pub fn moved(&mut self, day: Date, moved: &RecurringMove) {
        let month = Month::of(day).min(self.last);
        let (before, after) = (moved.before_minor, moved.after_minor);
        let moves = &mut self.of(moved.currency).moves;
        moves.entry((month, moved.subscription)).or_insert((before, before)).1 = after;
    }

    pub fn failed(&mut self, amount: Money) {
        let failed = &mut self.of(amount.currency).failed;
        failed.count += 1;
        add(&mut failed.amount_minor, amount.minor);
    }

    pub fn finish(self) -> Overview {
        let (first, last) = (self.first(), self.last);
        let count = |of: Counted| self.counts.get(&of).copied().unwrap_or_default();
        let [active_contracts, active_subscriptions, customers] = Counted::ALL.map(count);
        let mut currencies: Vec<CurrencyOverview> = self
            .currencies
            .into_iter()
            .map(|(currency, gathered)| gathered.finish(currency, first, last))
            .collect();
        currencies.sort_by_key(|one| one.currency.code());
        Overview { active_contracts, active_subscriptions, customers, currencies }
    }

    fn of(&mut self, currency: Currency) -> &mut Gathered {
        self.currencies.entry(currency).or_default()
    }
}

impl Gathered {
    fn finish(self, currency: Currency, first: Month, last: Month) -> CurrencyOverview {
        let mut months: Vec<MonthFigures> = Vec::new();
        let mut month = last;
        let mut recurring_minor = self.recurring_minor;
        loop {
            let mut figures = MonthFigures {
                month,
                new_minor: 0,
                expansion_minor: 0,
                contraction_minor: 0,
                churned_minor: 0,
                recurring_minor,
                billed_minor: self.billed.get(&month).copied().unwrap_or_default(),
                collected_minor: self.collected.get(&month).copied().unwrap_or_default(),
            };
            let moves =
                self.moves.range((month, SubscriptionId(0))..=(month, SubscriptionId(u64::MAX)));
            for (_, (before, after)) in moves {
                figures.count(*before, *after);
                recurring_minor = recurring_minor.saturating_sub(after - before);
            }
            months.push(figures);
            if month <= first {
                break;
            }
            month = month.minus(1);
        }
        months.reverse();
        CurrencyOverview {
            currency,
            recurring_minor: self.recurring_minor,
            months,
            outstanding: self.outstanding,
            failed_payments: self.failed,
        }
    }
}

impl MonthFigures {
    fn count(&mut self, before: i64, after: i64) {
        match (before, after) {
            (0, after) => add(&mut self.new_minor, after),
            (before, 0) => add(&mut self.churned_minor, before),
            (before, after) if after > before => add(&mut self.expansion_minor, after - before),
            (before, after) => add(&mut self.contraction_minor, before - after),
        }
    }
}

impl Outstanding {
    fn of_age(&mut self, days_late: i64) -> &mut i64 {
        match days_late {
            ..=0 => &mut self.not_due_minor,
            1..=30 => &mut self.to_30_minor,
            31..=60 => &mut self.to_60_minor,
            61..=90 => &mut self.to_90_minor,
            _ => &mut self.older_minor,
        }
    }
}

fn add(to: &mut i64, minor: i64) {
    *to = to.saturating_add(minor);
}
