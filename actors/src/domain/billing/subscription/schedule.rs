//! When terms begin. Term n starts n months or weeks after the first one, counted from the first
//! one itself, so a short month never moves the day.

use super::names::Frequency;
use crate::domain::time::Date;

const DAYS_OF_A_WEEK: i64 = 7;

/// The days on which terms of one frequency begin, for ever.
#[derive(Clone, Copy, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct Schedule {
    /// First day of the first term.
    #[n(0)]
    pub start: Date,
    #[n(1)]
    pub frequency: Frequency,
    /// The day of the month that terms aim at (1-31); above the day of `start` where a change of
    /// frequency fell on a short month.
    #[n(2)]
    pub day: u32,
}

/// Days from `start` up to, without, `end`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct Span {
    #[n(0)]
    pub start: Date,
    /// The first day after it.
    #[n(1)]
    pub end: Date,
}

impl Span {
    pub fn days(self) -> i64 {
        self.end.days_since(self.start)
    }

    pub fn contains(self, day: Date) -> bool {
        self.start <= day && day < self.end
    }

    /// Its days before another one; none where it begins later.
    #[must_use]
    pub fn before(self, day: Date) -> Self {
        Self { end: self.end.min(day).max(self.start), ..self }
    }
}

impl Schedule {
    /// Terms of `frequency` from `anchor` on.
    pub fn anchored(anchor: Date, frequency: Frequency) -> Self {
        Self { start: anchor, frequency, day: anchor.parts().2 }
    }

    /// Terms of `frequency` from `start` on, where `start` is the first day of a term of this
    /// schedule. Between frequencies of whole months the anchor's day of the month is kept
    ///; to or from weeks there is none to keep.
    pub fn followed_by(&self, start: Date, frequency: Frequency) -> Self {
        let both_in_months = self.frequency.months().and(frequency.months()).is_some();
        let day = if both_in_months { self.day } else { start.parts().2 };
        Self { start, frequency, day }
    }

    /// First day of term `n`, where 0 is the first term.
    pub fn term_start(&self, n: u32) -> Date {
        let Some(months) = self.frequency.months() else {
            return self.start.plus_days(i64::from(n) * DAYS_OF_A_WEEK);
        };
        if n == 0 {
            return self.start;
        }
        let (year, month, _) = self.start.parts();
        let first_of_month = Date::new(year, month, 1).unwrap_or(self.start);
        let target = first_of_month.plus_months(n.saturating_mul(months));
        let last = target.plus_months(1).plus_days(-1);
        last.min(target.plus_days(i64::from(self.day) - 1))
    }

    /// Term `n` from its first day to the first day of the next.
    pub fn term(&self, n: u32) -> Span {
        Span { start: self.term_start(n), end: self.term_start(n.saturating_add(1)) }
    }

    /// The number of the term that has `day` in it; 0 for days before the first term. Computed
    /// from the distance, not by walking.
    pub fn term_number(&self, day: Date) -> u32 {
        if day <= self.start {
            return 0;
        }
        let estimate = match self.frequency.months() {
            None => day.days_since(self.start) / DAYS_OF_A_WEEK,
            Some(months) => months_between(self.start, day) / i64::from(months),
        };
        let n = u32::try_from(estimate).unwrap_or(u32::MAX - 1);
        // Whole months say which term the month belongs to; the day may still lie before it.
        if self.term_start(n) > day { n.saturating_sub(1) } else { n }
    }

    /// The term that has `day` in it; the first term for days before it.
    pub fn covering(&self, day: Date) -> Span {
        self.term(self.term_number(day))
    }

    /// The first day of a term that is not before `day`.
    pub fn boundary_from(&self, day: Date) -> Date {
        let term = self.covering(day);
        if term.start >= day { term.start } else { term.end }
    }
}

fn months_between(from: Date, to: Date) -> i64 {
    let ((from_year, from_month, _), (to_year, to_month, _)) = (from.parts(), to.parts());
    i64::from(to_year - from_year) * 12 + i64::from(to_month) - i64::from(from_month)
}
