//! What a payment waits for.

use super::{Change, Payment, PaymentRefusal, Trigger};
use crate::domain::time::Timestamp;

/// What a payment's next timer does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PaymentTimer {
    /// Asks the provider again.
    AskAgain,
    /// Gives up on the buyer.
    Expire,
    /// Settles.
    Settle,
}

impl Payment {
    /// What happens next by itself, and when; `None` while nothing does. A call that is under
    /// way is given a while; then its answer counts as lost, with the process that waited for
    /// it perhaps.
    pub fn next_timer(&self) -> Option<(Timestamp, PaymentTimer)> {
        if self.awaits_provider() {
            let again = self.call.as_ref().and_then(|call| call.ask_again_at());
            return again.map(|at| (at, PaymentTimer::AskAgain));
        }
        let expires = self.expires_at.map(|at| (at, PaymentTimer::Expire));
        expires.or(self.settle_at.map(|at| (at, PaymentTimer::Settle)))
    }

    /// Does what the next timer says, if its time has come.
    ///
    /// # Errors
    /// [`PaymentRefusal::NotDue`] when there is no timer or its time has not come.
    pub fn timer_rang(&self, now: Timestamp) -> Result<Change, PaymentRefusal> {
        let (_, timer) =
            self.next_timer().filter(|(at, _)| *at <= now).ok_or(PaymentRefusal::NotDue)?;
        match timer {
            PaymentTimer::AskAgain => self.ask_again(now),
            PaymentTimer::Expire => self.give_up(Trigger::Expire, now),
            PaymentTimer::Settle => self.settle(now),
        }
    }
}
