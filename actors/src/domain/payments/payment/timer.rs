use super::{Change, Payment, PaymentRefusal, PaymentStatus, ProviderCall, Trigger};
use crate::domain::time::Timestamp;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PaymentTimer {
    AskAgain,
    Expire,
    Release,
    Settle,
}

impl Payment {
    /// What happens next by itself, and when; `None` while nothing does. A call that is under
    /// way is given a while; then its answer counts as lost, with the process that waited for
    /// it perhaps.
    pub fn next_timer(&self) -> Option<(Timestamp, PaymentTimer)> {
        let settles = self.settle_at.filter(|_| self.demo).map(|at| (at, PaymentTimer::Settle));
        if self.awaits_provider() {
            let again = self.call.as_ref().and_then(ProviderCall::ask_again_at);
            let again = again.map(|at| (at, PaymentTimer::AskAgain));
            // Settlement does not wait for a refund; it is recorded beside it. What fails to settle
            // waits, since the refund takes its part of the money first.
            let settles = settles
                .filter(|_| self.status == PaymentStatus::RefundPending && !self.fails_to_settle());
            return again.into_iter().chain(settles).min_by_key(|(at, _)| *at);
        }
        let expires = self.expires_at.map(|at| (at, PaymentTimer::Expire));
        let released = self.hold_ends_at.map(|at| (at, PaymentTimer::Release));
        expires.or(released).or(settles)
    }

    pub fn run_timer(&self, now: Timestamp) -> Result<Change, PaymentRefusal> {
        let (_, timer) =
            self.next_timer().filter(|(at, _)| *at <= now).ok_or(PaymentRefusal::NotDue)?;
        match timer {
            PaymentTimer::AskAgain => self.ask_again(now),
            PaymentTimer::Expire | PaymentTimer::Release => self.give_up(Trigger::Expire, now),
            PaymentTimer::Settle if self.fails_to_settle() => self.fail_settlement(now),
            PaymentTimer::Settle => self.settle(now),
        }
    }
}
