//! What time brings to a payment: a lost answer is asked for, its buyer is looked after and given up,
//! after the capture the money settles, or fails to, and what nobody wants goes back.

use super::{Change, Payment, PaymentRefusal, PaymentStatus, ProviderCall, Trigger};
use crate::domain::payments::failure::FailureCode;
use crate::domain::time::Timestamp;

/// How often the provider of a live payment is asked for its funds, in seconds.
pub(super) const FUNDS_SECONDS: i64 = 3600;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PaymentTimer {
    AskAgain,
    /// The processor is asked whether the buyer has acted.
    Look,
    Expire,
    Release,
    Settle,
    /// The refund of a payment that nobody wants is tried again.
    GiveBack,
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
        let looks = self.looks_at().map(|at| (at, PaymentTimer::Look));
        let waits = expires.into_iter().chain(looks).min_by_key(|(at, _)| *at);
        let released = self.hold_ends_at.map(|at| (at, PaymentTimer::Release));
        let returns = self.gives_back_at().map(|at| (at, PaymentTimer::GiveBack));
        let paid = settles.into_iter().chain(returns).min_by_key(|(at, _)| *at);
        waits.or(released).or(paid)
    }

    pub fn run_timer(&self, now: Timestamp) -> Result<Change, PaymentRefusal> {
        let (_, timer) =
            self.next_timer().filter(|(at, _)| *at <= now).ok_or(PaymentRefusal::NotDue)?;
        match timer {
            PaymentTimer::AskAgain => self.ask_again(now),
            PaymentTimer::Look => self.look_again(now),
            PaymentTimer::Expire | PaymentTimer::Release => {
                self.give_up(Trigger::Expire, false, now)
            }
            PaymentTimer::Settle if self.fails_to_settle() => self.fail_settlement(now),
            PaymentTimer::Settle => self.settle(now),
            PaymentTimer::GiveBack => self.give_back_again(now),
        }
    }
}

impl Payment {
    /// The amount is available to the seller and those it is shared with. While a refund is under
    /// way or has failed, this is recorded beside the status, which stays. What was held and not
    /// captured is let go, after the refund if one is under way.
    pub fn settle(&self, now: Timestamp) -> Result<Change, PaymentRefusal> {
        if self.settled_at.is_some() {
            return Err(PaymentRefusal::NotDue);
        }
        if !self.is_letting_go() {
            self.check_captured()?;
        }
        let trigger = if self.is_deposit() { Trigger::ConfirmDeposit } else { Trigger::Settle };
        let mut change = Change::by(self, trigger, now, |payment| {
            payment.settled_at = Some(now);
            payment.settle_at = None;
            payment.release_rest(now);
        })?;
        change.payment.settlement_untold = change.payment.status == self.status;
        Ok(change.with_settled_shares())
    }

    /// What was taken could not be settled (4001): what it paid for is open again.
    pub fn fail_settlement(&self, now: Timestamp) -> Result<Change, PaymentRefusal> {
        self.check_captured()?;
        let change = Change::by(self, Trigger::FailSettlement, now, |payment| {
            payment.failure = Some(FailureCode::SettlementFailed.into());
            payment.settle_at = None;
            payment.capture_closed = true;
        })?;
        Ok(change.with_lost_shares(self))
    }

    /// Nothing can be captured of what has settled, so what is being captured goes before.
    fn check_captured(&self) -> Result<(), PaymentRefusal> {
        let capturing = self.status == PaymentStatus::ProviderCompleted && self.awaits_provider();
        if capturing { Err(PaymentRefusal::InFlight) } else { Ok(()) }
    }

    /// When the provider of a live payment is asked whether its funds are available; `None` while
    /// there is nothing to ask.
    pub fn funds_asked_at(&self) -> Option<Timestamp> {
        self.settle_at.filter(|_| !self.demo && self.settled_at.is_none())
    }

    /// The funds of what was captured when they were asked for, in minor units, are available. What
    /// was captured since settles in its own time.
    pub fn funds_available(&self, captured: i64, now: Timestamp) -> Result<Change, PaymentRefusal> {
        if self.captured() != captured {
            return Ok(Change::nothing(self));
        }
        self.settle(now)
    }

    /// The funds are not available yet: they are asked for again later.
    pub fn funds_pending(&self, now: Timestamp) -> Result<Change, PaymentRefusal> {
        self.funds_asked_at().ok_or(PaymentRefusal::NotDue)?;
        let mut change = Change::nothing(self);
        change.payment.settle_at = Some(now.plus_seconds(FUNDS_SECONDS));
        Ok(change)
    }

    pub(super) fn fails_to_settle(&self) -> bool {
        self.forced == Some(FailureCode::SettlementFailed)
    }
}
