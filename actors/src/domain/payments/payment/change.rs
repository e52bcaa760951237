//! What a rule makes of a payment.

use super::event::completed_event;
use super::{Payment, PaymentRefusal, PaymentStatus, PaysFor, Trigger, next_status};
use crate::domain::ids::ContractId;
use crate::domain::messages::{ContractMessage, PaymentNotice};
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
}

impl Change {
    /// A payment that has just begun.
    pub(super) fn begun(payment: Payment) -> Self {
        let mut change = Self { payment, events: Vec::new(), message: None };
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
        let mut change = Self { payment, events: Vec::new(), message: None };
        if to != from {
            change.enter(from, now);
        }
        Ok(change)
    }

    fn enter(&mut self, from: PaymentStatus, now: Timestamp) {
        let status = self.payment.status;
        if status.completes() {
            self.events.push(completed_event(&self.payment));
        }
        let PaysFor::Invoice { contract, invoice } = self.payment.pays_for;
        let notice = || PaymentNotice {
            payment: self.payment.id,
            reference: self.payment.reference.clone(),
            invoice,
            amount: self.payment.amount,
            at: now,
        };
        self.message = match (from, status) {
            (_, PaymentStatus::ProviderCompleted) => {
                Some((contract, ContractMessage::PaymentSucceeded(notice())))
            }
            (PaymentStatus::ProviderCompleted, PaymentStatus::Failed) => {
                Some((contract, ContractMessage::PaymentReversed(notice())))
            }
            _ => None,
        };
    }
}
