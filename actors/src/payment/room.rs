//! The state of a payment room and its dispatcher.

use std::collections::BTreeMap;

use storage::{ReadError, Store};

use super::handle::{Command, PaymentTools};
use crate::domain::ids::{PaymentId, SellerId};
use crate::domain::payments::payment::{Change, Payment, PaymentRefusal};
use crate::domain::refusal::Refusal;
use crate::domain::time::Timestamp;
use crate::room::{Desk, Room};
use crate::tables::PAYMENTS;
use crate::timers::{TimerKind, Timers};

/// One payment's room.
#[derive(Debug)]
pub struct PaymentRoom {
    pub(super) seller: SellerId,
    pub(super) id: PaymentId,
    /// Absent until the payment is begun.
    pub(super) payment: Option<Payment>,
    pub(super) timers: Timers,
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
        Ok(Self { seller, id, payment, timers })
    }

    async fn handle(&mut self, command: Command, desk: &Desk<Self>) {
        let now = desk.now();
        match command {
            Command::Start { new, card, reply } => {
                let change = Payment::start(*new, &card, now);
                self.write(desk, change, reply);
            }
            Command::Answered { key, outcome, reply } => {
                let wait = desk.tools().settle_seconds;
                self.change(desk, reply, |payment| payment.answered(&key, outcome, wait, now));
            }
            Command::BuyerAnswered { answer, reply } => {
                self.change(desk, reply, |payment| payment.buyer_answered(answer, now));
            }
            Command::Cancel { reply } => self.change(desk, reply, |payment| payment.cancel(now)),
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
    payment.next_timer().map(|(at, _)| (TimerKind::Payment, at)).into_iter().collect()
}

/// A decision of the rules, or their refusal in words.
pub(super) type Decided = Result<Change, PaymentRefusal>;
