//! Which subscription meters a day, and what usage periods there are.
//!
//! The metering subscription of a day is the oldest one that serves it. Days are served by
//! arithmetic on schedules, not by begun terms: usage follows the wall clock, also where the
//! lifecycle has not run, runs on a test clock, or is switched off.

mod served;
#[cfg(test)]
mod tests;

use self::served::Served;
use crate::domain::billing::subscription::{Span, Subscription};
use crate::domain::ids::SubscriptionId;
use crate::domain::time::Date;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    /// The oldest subscription first.
    served: Vec<Served>,
}

/// Days that are measured and rated together: the part of a term, or of a trial, in which its
/// subscription is the metering one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UsagePeriod {
    pub subscription: SubscriptionId,
    /// Its days, at least one.
    pub span: Span,
    pub term: Span,
    /// Whether it lies in a trial: measured, and closed at 0.
    pub trial: bool,
    /// Whether the subscription ends in it before the term does.
    pub cut: bool,
    pub last: bool,
}

impl Coverage {
    pub fn of<'a>(subscriptions: impl Iterator<Item = &'a Subscription>) -> Self {
        let mut served: Vec<_> = subscriptions.filter_map(Served::of).collect();
        served.sort_by_key(|one| one.subscription);
        Self { served }
    }

    /// Takes note of a subscription as it is now; says whether that changed any day.
    pub fn update(&mut self, subscription: &Subscription) -> bool {
        let now = Served::of(subscription);
        let place = self.served.binary_search_by_key(&subscription.id, |one| one.subscription);
        let before = place.ok().map(|place| &self.served[place]);
        if before == now.as_ref() {
            return false;
        }
        let first_day = before.into_iter().chain(&now).map(Served::first_day).min();
        let place_of_it = place.unwrap_or_else(|place| place);
        // Where the oldest serves from then on for ever, no younger one meters a day.
        let changes = place_of_it == 0
            || first_day.is_none_or(|first_day| !self.served[0].serves_on_from(first_day));
        match (place, now) {
            (Ok(place), Some(now)) => self.served[place] = now,
            (Ok(place), None) => drop(self.served.remove(place)),
            (Err(place), Some(now)) => self.served.insert(place, now),
            (Err(_), None) => {}
        }
        changes
    }

    /// The period that a day belongs to; nothing where no subscription covers it.
    pub fn period_of(&self, day: Date) -> Option<UsagePeriod> {
        let place = self.served.iter().position(|one| one.covers(day))?;
        let (one, older) = (&self.served[place], &self.served[..place]);
        let (term, trial) = one.term_of(day);
        let mut span = one.within(term, day);
        for other in older {
            span.start = other.end_before(day).map_or(span.start, |end| span.start.max(end));
            span.end = other.start_after(day).map_or(span.end, |start| span.end.min(start));
        }
        let last = one.ends == Some(span.end);
        let cut = last && span.end < term.end;
        Some(UsagePeriod { subscription: one.subscription, span, term, trial, cut, last })
    }

    /// All periods in order, without end while a subscription goes on.
    pub fn periods(&self) -> impl Iterator<Item = UsagePeriod> + '_ {
        let first = self.served.iter().map(Served::first_day).min();
        std::iter::successors(first.and_then(|day| self.from(day)), |period| {
            self.from(period.span.end)
        })
    }

    /// The periods from the one that has `day` in it on, or else from the next one on, in order.
    pub fn periods_from(&self, day: Date) -> impl Iterator<Item = UsagePeriod> + '_ {
        std::iter::successors(self.from(day), |period| self.from(period.span.end))
    }

    fn from(&self, day: Date) -> Option<UsagePeriod> {
        self.period_of(day).or_else(|| {
            let next = self.served.iter().filter_map(|one| one.start_after(day)).min()?;
            self.period_of(next)
        })
    }
}
