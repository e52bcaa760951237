//! Asking the provider, beside the room: the call is on disk before it is made, and its answer
//! goes back to the room as a command.

use std::sync::Arc;

use super::handle::{Asked, Command, Payments};
use crate::connector::{Confirm, Create, LookUp};
use crate::domain::payments::card::CardData;
use crate::domain::payments::payment::{CallKind, Payment, ProviderOutcome};
use crate::room::AskError;

/// How often a room that does not answer is told the provider's answer, before it is left to
/// the payment's timer.
const TELL_TIMES: u32 = 3;

impl Payments {
    /// Goes on with what a room answered: a call that it wrote down is made, and the payment
    /// answered as the provider's answer left it. It is carried out to its end even if the
    /// caller goes away.
    pub(super) async fn carry_on(&self, asked: Asked, card: Option<Arc<CardData>>) -> Asked {
        let payment = match asked {
            Ok(Ok(payment)) if payment.asking().is_some() => payment,
            settled => return settled,
        };
        let payments = self.clone();
        let task = tokio::spawn(async move { payments.ask_provider(&payment, card).await });
        task.await.unwrap_or(Err(AskError::Unanswered))
    }

    async fn ask_provider(&self, payment: &Payment, card: Option<Arc<CardData>>) -> Asked {
        let Some(call) = payment.asking() else { return Ok(Ok(payment.clone())) };
        let patience = self.rooms.tools().provider_timeout;
        let asking = self.ask(payment, &call.key, call.kind, card);
        let outcome = tokio::time::timeout(patience, asking).await;
        let outcome = outcome.unwrap_or(ProviderOutcome::Unknown);
        let mut told = Err(AskError::Unanswered);
        for _ in 0..TELL_TIMES {
            let command = |reply| {
                let (key, outcome) = (call.key.clone(), outcome.clone());
                Command::Answered { key, outcome, reply }
            };
            told = self.rooms.ask((payment.seller, payment.id), command).await;
            if told.is_ok() {
                break;
            }
        }
        told
    }

    /// A first call has the card. One that is made again has not, and looks the payment up; a
    /// confirmation is simply repeated, since the provider acts once for each key.
    async fn ask(
        &self,
        payment: &Payment,
        key: &str,
        kind: CallKind,
        card: Option<Arc<CardData>>,
    ) -> ProviderOutcome {
        let Some(connector) = payment.connector else { return ProviderOutcome::Absent };
        let processor = self.rooms.tools().processors.of(connector);
        let (key, reference) = (key.to_owned(), payment.reference.clone());
        let token = payment.processor_token.clone();
        match (kind, token, card) {
            (CallKind::Create, _, Some(card)) => {
                let amount = payment.amount;
                processor.create(Create { key, amount, reference, card }).await
            }
            (CallKind::Confirm, Some(token), _) => processor.confirm(Confirm { key, token }).await,
            (_, token, _) => processor.look_up(LookUp { key, reference, token }).await,
        }
    }
}
