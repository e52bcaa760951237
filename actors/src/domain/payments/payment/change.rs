//! What a rule makes of a payment.

use super::event::{authorized_event, completed_event};
use super::{
    Payment, PaymentRefusal, PaymentStatus, Refund, RefundStatus, SpentKey, Trigger, next_status,
};
use crate::domain::ids::{ContractId, RefundId};
use crate::domain::messages::{ContractMessage, PaymentNotice};
use crate::domain::payments::failure::FailureCode;
use crate::domain::payments::split::ShareMoves;
use crate::domain::platform::event::NewEvent;
use crate::domain::time::Timestamp;

/// A payment as it is from now on, with what has to be told. The next provider call is
/// [`Payment::asking`], the next timer [`Payment::next_timer`].
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// The record to be written.
    pub payment: Payment,
    /// Events for the seller's webhooks.
    pub events: Vec<NewEvent>,
    /// A message to the contract whose invoice it pays.
    pub message: Option<(ContractId, ContractMessage)>,
    /// What it does to the wallets of those it is shared by.
    pub shares: ShareMoves,
    /// A refund that begins.
    pub refund: Option<Refund>,
    /// A refund that moved: which, where to, why, and the provider's name for it.
    pub refund_moved: Option<RefundMove>,
    /// A key that may be used again: what it was spent on did not happen.
    pub freed: Option<SpentKey>,
}

/// How a refund moved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefundMove {
    /// Which refund.
    pub id: RefundId,
    /// Where to.
    pub status: RefundStatus,
    /// Why it failed.
    pub failure: Option<FailureCode>,
    /// The provider's name for it.
    pub token: Option<String>,
}

impl Change {
    /// A payment as it stands, with nothing to tell.
    pub(super) fn quiet(payment: Payment) -> Self {
        Self {
            payment,
            events: Vec::new(),
            message: None,
            shares: Vec::new(),
            refund: None,
            refund_moved: None,
            freed: None,
        }
    }

    /// A payment of which nothing changes.
    pub fn nothing(payment: &Payment) -> Self {
        Self::quiet(payment.clone())
    }

    /// A payment that has just begun.
    pub(super) fn begun(payment: Payment) -> Self {
        let mut change = Self::quiet(payment);
        if change.payment.status.completes() {
            change.events.push(completed_event(&change.payment));
        }
        change
    }

    /// `payment` after `trigger`, with all that entering the new status brings along.
    ///
    /// # Errors
    /// [`PaymentRefusal::Move`] where the state machine has no such move.
    pub(super) fn by(
        payment: &Payment,
        trigger: Trigger,
        now: Timestamp,
        edit: impl FnOnce(&mut Payment),
    ) -> Result<Self, PaymentRefusal> {
        let from = payment.status;
        let to = next_status(from, trigger).ok_or(PaymentRefusal::Move { from, trigger })?;
        let mut payment = payment.clone();
        payment.status = to;
        payment.updated_at = now;
        edit(&mut payment);
        if to != PaymentStatus::ProviderPending {
            payment.expires_at = None;
        }
        if to != PaymentStatus::Authorized {
            payment.hold_ends_at = None;
        }
        let mut change = Self::quiet(payment);
        if to != from {
            change.enter(from, now);
        }
        Ok(change)
    }

    fn enter(&mut self, from: PaymentStatus, now: Timestamp) {
        let status = self.payment.status;
        // A payment that falls back after a partial refund told of its status before.
        if status.completes() && from != PaymentStatus::RefundPending {
            self.events.push(completed_event(&self.payment));
        }
        if status == PaymentStatus::Authorized && self.payment.waits_for_capture() {
            self.events.push(authorized_event(&self.payment));
        }
        let Some((contract, invoice)) = self.payment.pays_for.invoice() else { return };
        let notice = || PaymentNotice {
            payment: self.payment.id,
            reference: self.payment.reference.clone(),
            invoice,
            amount: self.payment.amount,
            at: now,
        };
        let first = matches!(from, PaymentStatus::ProviderPending | PaymentStatus::Authorized);
        self.message = match (from, status) {
            (_, PaymentStatus::ProviderCompleted) if first => {
                Some((contract, ContractMessage::PaymentSucceeded(notice())))
            }
            (PaymentStatus::ProviderCompleted, PaymentStatus::Failed) => {
                Some((contract, ContractMessage::PaymentReversed(notice())))
            }
            _ => None,
        };
    }
}
