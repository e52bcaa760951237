//! Calling the provider, beside the room: the call is on disk before it is made, and its answer
//! goes back to the room as a command.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures::FutureExt;

use super::Payments;
use super::calls::Ended;
use super::room::Step;
use crate::connector::{
    Cancel, Capture, Challenge, Charge, Confirm, Create, LookUp, Processor, Refund,
};
use crate::domain::money::Money;
use crate::domain::payments::failure::FailureCode;
use crate::domain::payments::payment::{
    BillingDetails, CallKind, Payment, ProviderCall, ProviderOutcome,
};
use crate::domain::payments::source::Source;
use crate::domain::payments::terminal::{Connector, Terminal};
use crate::kernel::{AskError, Once};
use crate::tables::TERMINALS;

/// How often a room that does not answer is given the provider's answer, before it is left to
/// the payment's timer.
const DELIVERIES: u32 = 3;

/// How many calls one command may lead to, one after the other: open, charge, capture, cancel.
const CALLS: u32 = 4;

impl Payments {
    /// Makes the call that a command has written down, and those that its answer leads to.
    /// Answers the payment as the last one left it.
    pub(super) async fn call_provider(
        &self,
        step: Step,
        source: Option<Source>,
    ) -> Result<Payment, AskError> {
        let mut step = step;
        for _ in 0..CALLS {
            let Some(call) = step.call.take() else { break };
            let outcome = self.ask_in_turn(&step.payment, &call, source.as_ref()).await;
            step = self.deliver(&step.payment, &call, outcome).await?;
        }
        Ok(step.payment)
    }

    pub(super) async fn call_provider_once(
        &self,
        step: Once<Step>,
        source: Option<Source>,
    ) -> Result<Once<Payment>, AskError> {
        match step {
            Once::Made(step) => self.call_provider(step, source).await.map(Once::Made),
            Once::Before => Ok(Once::Before),
        }
    }

    async fn deliver(
        &self,
        payment: &Payment,
        call: &ProviderCall,
        outcome: ProviderOutcome,
    ) -> Result<Step, AskError> {
        let (outcome, kept) = outcome.and_card();
        let sealed = kept.zip(payment.consent.as_ref()).map(|(token, consent)| {
            self.tools().processors.seal_card(payment.seller, consent.card, &token)
        });
        let mut delivered = Err(AskError::Unanswered);
        for _ in 0..DELIVERIES {
            let (key, outcome, sealed) = (call.key.clone(), outcome.clone(), sealed.clone());
            let decided = self.rooms.command((payment.seller, payment.id), move |room, cx| {
                room.change(cx, |payment| {
                    let payment = payment.clone().keeping(sealed.clone());
                    payment.answered(&key, outcome.clone(), &cx.tools().windows, cx.now())
                })
            });
            delivered = decided.await;
            if matches!(delivered, Ok(_) | Err(AskError::Refused(_))) {
                break;
            }
        }
        if delivered.as_ref().is_ok_and(|step| step.payment.stays_since(payment)) {
            let (seller, payment) = (payment.seller.0, payment.id.0);
            tracing::error!(seller, payment, "the processor does not give a payment back");
        }
        delivered
    }

    /// Asks when it is the terminal's turn. What was never sent has not begun anything.
    async fn ask_in_turn(
        &self,
        payment: &Payment,
        call: &ProviderCall,
        source: Option<&Source>,
    ) -> ProviderOutcome {
        const IN_VAIN: ProviderOutcome =
            ProviderOutcome::Unknown { doubt: FailureCode::ProviderTimeout };
        let tools = self.tools();
        let key = (payment.seller, payment.terminal);
        let asked = AssertUnwindSafe(self.ask(payment, call, source)).catch_unwind();
        // How far it came nobody knows: the processor is asked again, as after a lost answer.
        let asked = asked.map(|asked| {
            asked.unwrap_or_else(|_| {
                let (seller, payment) = (payment.seller.0, payment.id.0);
                tracing::error!(seller, payment, call = ?call.kind, "a call to a processor panicked");
                ProviderOutcome::Unknown { doubt: FailureCode::ProviderError }
            })
        });
        let in_vain = |outcome: &ProviderOutcome| *outcome == IN_VAIN;
        let ended = match self.store().is_held() {
            true => Ended::NotMade,
            false => tools.calls.make(key, tools.provider_timeout, asked, in_vain).await,
        };
        match ended {
            Ended::Answered(outcome) => outcome,
            Ended::NotMade
                if call.asked == 1 && matches!(call.kind, CallKind::Create | CallKind::Charge) =>
            {
                ProviderOutcome::Absent
            }
            Ended::TimedOut | Ended::NotMade => IN_VAIN,
        }
    }

    async fn ask(
        &self,
        payment: &Payment,
        call: &ProviderCall,
        source: Option<&Source>,
    ) -> ProviderOutcome {
        let Some(processor) = self.processor(payment) else {
            let doubt = FailureCode::ProviderError;
            return ProviderOutcome::Unknown { doubt };
        };
        if call.asked > 1 {
            let known = processor.look_up(self.lost(payment, call)).await;
            // What needs no card is made again where the provider knows nothing of it: under
            // one key it acts once.
            let lost = known == ProviderOutcome::Absent;
            let repeats = lost && !matches!(call.kind, CallKind::Create | CallKind::Charge);
            if !repeats {
                return known;
            }
        }
        self.make(&*processor, payment, call, source).await
    }

    async fn make(
        &self,
        processor: &dyn Processor,
        payment: &Payment,
        call: &ProviderCall,
        source: Option<&Source>,
    ) -> ProviderOutcome {
        let key = call.key.clone();
        let minor = call.minor.unwrap_or(payment.amount.minor);
        let amount = Money { minor, ..payment.amount };
        match (call.kind, payment.processor_token.clone(), source) {
            (CallKind::Create, _, Some(source)) => {
                processor.create(self.creation(payment, key, source)).await
            }
            (CallKind::Charge, Some(token), Some(source)) => {
                let charge = Charge {
                    key,
                    token,
                    source: source.clone(),
                    billing: billing_of(payment, source),
                    challenge: challenge_of(payment),
                    return_url: self.return_url(payment),
                    keeps_card: payment.consent.is_some(),
                };
                processor.charge(charge).await
            }
            (CallKind::Confirm, Some(token), _) => {
                processor.confirm(Confirm { key, token, amount }).await
            }
            (CallKind::Capture, Some(token), _) => {
                let (last, forced) = (call.last, payment.forced);
                processor.capture(Capture { key, token, amount, last, forced }).await
            }
            (CallKind::Cancel, Some(token), _) => processor.cancel(Cancel { key, token }).await,
            (CallKind::Refund, Some(token), _) => {
                let row = call
                    .refund
                    .and_then(|id| self.refund_row(payment.seller, payment.id, id).ok().flatten());
                let forced = row.as_ref().and_then(|refund| refund.forced);
                let reason = row.and_then(|refund| refund.reason);
                processor.refund(Refund { key, token, amount, reason, forced }).await
            }
            _ => processor.look_up(self.lost(payment, call)).await,
        }
    }

    fn creation(&self, payment: &Payment, key: String, source: &Source) -> Create {
        let description = payment.checkout.as_ref().and_then(|one| one.description.clone());
        Create {
            key,
            amount: payment.amount,
            reference: payment.reference.clone(),
            method: payment.method,
            source: source.clone(),
            billing: billing_of(payment, source),
            capture: payment.capture,
            challenge: challenge_of(payment),
            forced: payment.forced,
            phone: payment.phone(),
            description,
            return_url: self.return_url(payment),
            keeps_card: payment.consent.is_some(),
        }
    }

    /// The question after what became of a call.
    fn lost(&self, payment: &Payment, call: &ProviderCall) -> LookUp {
        let minor = call.minor.unwrap_or(payment.amount.minor);
        let is_part = call.kind == CallKind::Capture && !call.last;
        LookUp {
            key: call.key.clone(),
            kind: call.kind,
            reference: payment.reference.clone(),
            token: payment.processor_token.clone(),
            amount: Money { minor, ..payment.amount },
            method: payment.method,
            challenge: challenge_of(payment),
            taken: is_part.then(|| payment.captured() + minor),
            asked_long_ago: call.asked_long_ago(self.rooms.services().clock.now()),
        }
    }

    fn return_url(&self, payment: &Payment) -> Option<String> {
        let address = self.tools().return_address.get();
        address.map(|address| address(payment.seller, payment.id))
    }

    /// Who carries the payment out. A terminal that was removed, cannot be read or has become
    /// another processor's leaves the outcome open: it is asked again.
    pub(super) fn processor(&self, payment: &Payment) -> Option<Arc<dyn Processor>> {
        let processors = &self.tools().processors;
        if payment.connector == Some(Connector::Simulator) {
            return Some(processors.simulator());
        }
        let (seller, id) = (payment.seller, payment.id.0);
        let terminal = self.store().get(TERMINALS, &(seller, payment.terminal?));
        let terminal = terminal.inspect_err(|error| {
            tracing::error!(seller = seller.0, payment = id, %error, "a terminal cannot be read");
        });
        let is_own =
            |terminal: &Terminal| payment.connector.is_none_or(|own| own == terminal.connector);
        let found = processors.of(&terminal.ok()?.filter(is_own)?).inspect_err(|error| {
            tracing::error!(
                seller = seller.0, payment = id, %error, "the processor cannot be called",
            );
        });
        found.ok()
    }
}

/// What the seller stated, else what the buyer gave with the card.
fn billing_of(payment: &Payment, source: &Source) -> Option<BillingDetails> {
    let stated = payment.order.as_ref().and_then(|order| order.billing.clone());
    stated.or_else(|| source.billing())
}

/// A seller's own initiation is challenged unless it says otherwise; pages ask the buyer only
/// where the card or the seller demands it.
fn challenge_of(payment: &Payment) -> Challenge {
    if payment.saved_charge.is_some() {
        return Challenge::Skip;
    }
    match (&payment.order, &payment.checkout) {
        (Some(order), _) if order.skip_challenge => Challenge::Skip,
        (Some(_), _) => Challenge::Force,
        (None, Some(checkout)) if checkout.force_challenge => Challenge::Force,
        (None, _) => Challenge::Ask,
    }
}
