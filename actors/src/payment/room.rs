//! The state of a payment room and its dispatcher.

use std::collections::BTreeMap;

use storage::{ReadError, Store};

use super::command::{Answer, Command};
use super::handle::PaymentTools;
use crate::domain::ids::{PaymentId, RefundId, SellerId};
use crate::domain::payments::payment::{Change, Payment, PaymentRefusal, Refund};
use crate::domain::refusal::Refusal;
use crate::domain::time::Timestamp;
use crate::room::{Desk, Recent, Room};
use crate::tables::PAYMENTS;
use crate::timers::{TimerKind, Timers};

/// One payment's room.
pub struct PaymentRoom {
    pub(super) seller: SellerId,
    pub(super) id: PaymentId,
    /// Absent until the payment is begun.
    pub(super) payment: Option<Payment>,
    pub(super) timers: Timers,
    /// Refunds that were written lately.
    pub(super) refunds: Recent<RefundId, Refund>,
    /// Keys that were spent lately.
    pub(super) spent: Recent<(String, String), bool>,
    /// The key of the call that this process makes: somebody will bring its answer.
    pub(super) asking: Option<String>,
    /// Those who wait for that answer.
    pub(super) waiting: Vec<Answer>,
}

impl std::fmt::Debug for PaymentRoom {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PaymentRoom").field("id", &self.id).finish_non_exhaustive()
    }
}

impl Room for PaymentRoom {
    type Id = (SellerId, PaymentId);
    type Command = Command;
    type Tools = PaymentTools;
    const KIND: &'static str = "payment";

    fn load(
        (seller, id): (SellerId, PaymentId),
        store: &Store,
        _: &PaymentTools,
    ) -> Result<Self, ReadError> {
        let payment = store.get(PAYMENTS, &(seller, id))?;
        // Timers are always written with the change that wants them, so these are on disk.
        let timers = Timers::known(payment.as_ref().map(wanted_timers).unwrap_or_default());
        let (refunds, spent) = (Recent::default(), Recent::default());
        let (asking, waiting) = (None, Vec::new());
        Ok(Self { seller, id, payment, timers, refunds, spent, asking, waiting })
    }

    async fn handle(&mut self, command: Command, desk: &Desk<Self>) {
        let (now, windows) = (desk.now(), desk.tools().windows);
        match command {
            Command::Start { start, reply } => self.start(desk, *start, reply),
            Command::Answered { key, outcome, reply } => {
                self.change(desk, reply, |payment| payment.answered(&key, outcome, &windows, now));
            }
            Command::Settled { reply } => self.settled(desk, reply),
            Command::TryAgain { reply } => {
                self.change(desk, reply, |payment| payment.retry(&windows, now));
            }
            Command::BuyerAnswered { answer, reply } => {
                self.change(desk, reply, |payment| payment.buyer_answered(answer, now));
            }
            Command::Attempt { attempt, reply } => {
                self.change(desk, reply, |payment| payment.attempt(&attempt, &windows, now));
            }
            Command::Finalize { minor, spend, reply } => self.finalize(desk, minor, spend, reply),
            Command::Capture { minor, last, spend, reply } => {
                self.capture(desk, minor, last, spend, reply);
            }
            Command::Refund { new, spend, reply } => self.refund(desk, *new, spend, reply),
            Command::RefundAgain { refund, reply } => self.refund_again(desk, refund, reply),
            Command::Cancel { reply } => self.change(desk, reply, |payment| payment.cancel(now)),
            Command::Resolve { outcome, reply } => {
                self.change(desk, reply, |payment| payment.resolved(outcome, &windows, now));
            }
            Command::FundsAvailable { reply } => {
                self.change(desk, reply, |payment| payment.settle(now));
            }
            Command::FundsPending { reply } => {
                self.change(desk, reply, |payment| payment.funds_pending(now));
            }
            Command::TimerRang { reply } => {
                self.change(desk, reply, |payment| payment.timer_rang(now));
            }
            #[cfg(feature = "faults")]
            Command::Panic { .. } => panic!("a test asked the payment room to panic"),
        }
    }
}

impl PaymentRoom {
    /// The payment as it stands.
    ///
    /// # Errors
    /// When there is none.
    pub(super) fn payment(&self) -> Result<&Payment, Refusal> {
        self.payment.as_ref().ok_or_else(Refusal::missing)
    }
}

/// The timers that a payment wants as it stands.
pub(super) fn wanted_timers(payment: &Payment) -> BTreeMap<TimerKind, Timestamp> {
    let next = payment.next_timer().map(|(at, _)| (TimerKind::Payment, at));
    let funds = payment.funds_asked_at().map(|at| (TimerKind::Settlement, at));
    next.into_iter().chain(funds).collect()
}

/// A decision of the rules, or their refusal in words.
pub(super) type Decided = Result<Change, PaymentRefusal>;
