//! Collecting what an invoice asks for from a saved card: how far the attempts have come, and when
//! the next one is.
//!
//! The first attempt is made once the invoice is sent and its customer has a card. What failed for
//! a passing reason is tried again on the days of [`RETRY_DAYS`]; what waits for another card, on
//! the same days if there is one by then. What was refused for good ends the collection at once,
//! and so does a card that is gone. What was interrupted before anybody was charged is no attempt,
//! unless it goes on like this.

#[cfg(test)]
mod tests;

use crate::domain::ids::{PaymentId, SavedCardId};
use crate::domain::payments::failure::{FailureCode, Retry};
use crate::domain::payments::saved_card::SavedCharge;
use crate::domain::time::Date;

/// When a failed charge is made again, in days from the first one that failed.
pub const RETRY_DAYS: [i64; 3] = [3, 5, 7];

/// How many attempts in a row may be interrupted before the next one counts as failed.
const MOST_INTERRUPTED: u32 = 3;

/// How far the charges of an invoice to saved cards have come. All days are of the contract's
/// clock.
#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct Collection {
    /// How many attempts were begun.
    #[n(0)]
    pub attempts: u32,
    /// The attempt that was begun and has not come to an end.
    #[n(1)]
    pub under_way: Option<SavedCharge>,
    /// The payment that makes it, once there is one.
    #[n(2)]
    pub payment: Option<PaymentId>,
    #[n(3)]
    pub first_failed_on: Option<Date>,
    /// What the last attempt failed with; none where it was given up.
    #[n(4)]
    pub last_failure: Option<FailureCode>,
    /// The card that failed last.
    #[n(5)]
    pub failed_card: Option<SavedCardId>,
    /// The day of the next attempt; none once the collection has ended.
    #[n(6)]
    pub next_on: Option<Date>,
    /// Whether it ended in vain: the subscriptions of the invoice are past due by it, if it asked
    /// for money then.
    #[n(7)]
    pub gave_up: bool,
    /// How many attempts in a row were interrupted before anybody was charged.
    #[n(8)]
    #[cbor(default)]
    pub interrupted: u32,
}

/// What is to be done about a collection whose day has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// The card is charged, by this attempt; one that was begun before has the same number.
    Charge(SavedCharge),
    /// No card was ever there: nothing is collected before one is.
    NoCard,
    /// The card that failed is still the only one: it is looked again on this day.
    Wait(Date),
    GiveUp,
}

impl Collection {
    /// The collection of an invoice that goes out on `today`.
    pub fn from(today: Date) -> Self {
        Self {
            attempts: 0,
            under_way: None,
            payment: None,
            first_failed_on: None,
            last_failure: None,
            failed_card: None,
            next_on: Some(today),
            gave_up: false,
            interrupted: 0,
        }
    }

    /// The day on which something is to be done; none while an attempt is being made.
    pub fn due_on(&self) -> Option<Date> {
        self.next_on.filter(|_| self.payment.is_none())
    }

    /// What is to be done on `today`, with the `card` that can be charged then.
    pub fn step(&self, card: Option<SavedCardId>, today: Date) -> Step {
        if let Some(charge) = self.under_way {
            return Step::Charge(charge);
        }
        let Some(card) = card else {
            return if self.first_failed_on.is_some() { Step::GiveUp } else { Step::NoCard };
        };
        if self.waits_for_another() && self.failed_card == Some(card) {
            return self.retry_after(today).map_or(Step::GiveUp, Step::Wait);
        }
        Step::Charge(SavedCharge { attempt: self.attempts + 1, card })
    }

    /// Takes note that an attempt is begun.
    #[must_use]
    pub fn begun(self, charge: SavedCharge) -> Self {
        Self { attempts: charge.attempt, under_way: Some(charge), ..self }
    }

    /// The attempt that was begun is not made, and never will be.
    #[must_use]
    pub fn called_off(self) -> Self {
        Self { under_way: None, payment: None, ..self }
    }

    /// Takes note of how the attempt under way failed. After one that cannot be made again it has
    /// given up; one that was interrupted is made anew, under another number, as soon as somebody
    /// looks.
    #[must_use]
    pub fn failed(self, card: SavedCardId, failure: Option<FailureCode>, today: Date) -> Self {
        if failure == Some(FailureCode::Interrupted) && self.interrupted < MOST_INTERRUPTED {
            return Self { interrupted: self.interrupted + 1, ..self.called_off() };
        }
        let mut after = Self {
            interrupted: 0,
            under_way: None,
            payment: None,
            first_failed_on: self.first_failed_on.or(Some(today)),
            last_failure: failure,
            failed_card: Some(card),
            ..self
        };
        let for_good = failure.is_some_and(|code| code.retry() == Retry::Never);
        after.next_on = after.retry_after(today).filter(|_| !for_good);
        after.gave_up = after.next_on.is_none();
        after
    }

    /// Whether the last attempt was interrupted, and is to be made anew.
    pub fn was_interrupted(&self) -> bool {
        self.interrupted > 0 && self.under_way.is_none()
    }

    /// Ends in vain.
    #[must_use]
    pub fn given_up(self) -> Self {
        Self { under_way: None, payment: None, next_on: None, gave_up: true, ..self }
    }

    /// Whether it waits for its customer to save another card.
    pub fn waits_for_another(&self) -> bool {
        let fix_first = |code: FailureCode| code.retry() == Retry::FixFirst;
        self.last_failure.is_some_and(fix_first) && !self.gave_up
    }

    /// The first day of a retry behind `today`. Days that a clock has jumped over are not made up
    /// for.
    fn retry_after(&self, today: Date) -> Option<Date> {
        let first = self.first_failed_on?;
        RETRY_DAYS.iter().map(|days| first.plus_days(*days)).find(|day| *day > today)
    }
}
