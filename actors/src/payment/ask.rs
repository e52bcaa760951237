//! Asking the provider, beside the room: the call is on disk before it is made, and its answer
//! goes back to the room as a command.

use std::sync::Arc;

use super::command::Command;
use super::handle::{Asked, Payments};
use crate::connector::{
    Cancel, Capture, Challenge, Charge, Confirm, Create, LookUp, Processor, Refund,
};
use crate::domain::money::Money;
use crate::domain::payments::failure::FailureCode;
use crate::domain::payments::payment::{
    BillingDetails, CallKind, Payment, ProviderCall, ProviderOutcome,
};
use crate::domain::payments::source::Source;
use crate::domain::payments::terminal::Connector;
use crate::room::AskError;
use crate::tables::TERMINALS;

/// How often a room that does not answer is told the provider's answer, before it is left to
/// the payment's timer.
const TELL_TIMES: u32 = 3;

/// How many calls one command may lead to, one after the other: open, charge, capture, cancel.
const CALLS: u32 = 4;

impl Payments {
    /// Goes on with a payment as its room answered it: a call that was written down is made, and
    /// so is the next one that its answer leads to. Answers the payment as that left it.
    pub(super) async fn ask_on(&self, payment: Payment, source: Option<Source>) -> Asked {
        let mut payment = payment;
        for _ in 0..CALLS {
            if payment.asking().is_none() {
                break;
            }
            payment = self.ask_provider(&payment, source.as_ref()).await?;
        }
        Ok(payment)
    }

    async fn ask_provider(&self, payment: &Payment, source: Option<&Source>) -> Asked {
        let Some(call) = payment.asking() else { return Ok(payment.clone()) };
        let patience = self.rooms.tools().provider_timeout;
        let outcome = tokio::time::timeout(patience, self.ask(payment, call, source)).await;
        let doubt = FailureCode::ProviderTimeout;
        let outcome = outcome.unwrap_or(ProviderOutcome::Unknown { doubt });
        let mut told = Err(AskError::Unanswered);
        for _ in 0..TELL_TIMES {
            let command = |reply| {
                let (key, outcome) = (call.key.clone(), outcome.clone());
                Command::Answered { key, outcome, reply }
            };
            told = self.rooms.ask((payment.seller, payment.id), command).await;
            if matches!(told, Ok(_) | Err(AskError::Refused(_))) {
                break;
            }
        }
        told
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
            let known = processor.look_up(look_up(payment, call)).await;
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
            _ => processor.look_up(look_up(payment, call)).await,
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
        }
    }

    fn return_url(&self, payment: &Payment) -> Option<String> {
        let address = self.rooms.tools().return_address.get();
        address.map(|address| address(payment.seller, payment.id))
    }

    /// Who carries the payment out. A terminal that was removed or cannot be read leaves the
    /// outcome open: it is asked again.
    pub(super) fn processor(&self, payment: &Payment) -> Option<Arc<dyn Processor>> {
        let processors = &self.rooms.tools().processors;
        if payment.connector == Some(Connector::Simulator) {
            return Some(processors.simulator());
        }
        let terminal = self.store.get(TERMINALS, &(payment.seller, payment.terminal?));
        let terminal = terminal.inspect_err(|error| tracing::error!(%error, "no terminal"));
        let found = processors.of(&terminal.ok()??);
        found.inspect_err(|error| tracing::error!(%error, "a processor cannot be asked")).ok()
    }
}

/// What the seller stated, else what the buyer gave with the card.
fn billing_of(payment: &Payment, source: &Source) -> Option<BillingDetails> {
    let stated = payment.order.as_ref().and_then(|order| order.billing.clone());
    stated.or_else(|| source.billing())
}

fn look_up(payment: &Payment, call: &ProviderCall) -> LookUp {
    let minor = call.minor.unwrap_or(payment.amount.minor);
    LookUp {
        key: call.key.clone(),
        kind: call.kind,
        reference: payment.reference.clone(),
        token: payment.processor_token.clone(),
        amount: Money { minor, ..payment.amount },
    }
}

/// A seller's own initiation is challenged unless it says otherwise; pages ask the buyer only
/// where the card or the seller demands it (decisions 7).
fn challenge_of(payment: &Payment) -> Challenge {
    match (&payment.order, &payment.checkout) {
        (Some(order), _) if order.skip_challenge => Challenge::Skip,
        (Some(_), _) => Challenge::Force,
        (None, Some(checkout)) if checkout.force_challenge => Challenge::Force,
        (None, _) => Challenge::Ask,
    }
}
