//! Asking the provider of a live payment whether its funds are available (decisions 13).

use super::command::Command;
use super::handle::{Asked, Payments};
use crate::connector::Funds;
use crate::domain::ids::{PaymentId, SellerId};
use crate::domain::refusal::Refusal;

impl Payments {
    /// Asks for the funds of a live payment: it settles when they are available, else they are
    /// asked for again later.
    ///
    /// # Errors
    /// As [`AskError`](crate::room::AskError) says; refused when there is nothing to settle.
    pub async fn look_for_funds(&self, seller: SellerId, id: PaymentId) -> Asked {
        let payment = match self.get(seller, id) {
            Ok(Some(payment)) => payment,
            Ok(None) => return Err(Refusal::missing().into()),
            Err(error) => {
                tracing::error!(%error, "a payment cannot be read");
                return Err(Refusal::fault().into());
            }
        };
        let funds = match (self.processor(&payment), payment.processor_token) {
            (Some(processor), Some(token)) => {
                let patience = self.rooms.tools().provider_timeout;
                let asked = tokio::time::timeout(patience, processor.funds(token)).await;
                asked.unwrap_or(Funds::Unknown)
            }
            _ => Funds::Unknown,
        };
        let available = funds == Funds::Available;
        let command = |reply| match available {
            true => Command::FundsAvailable { reply },
            false => Command::FundsPending { reply },
        };
        self.rooms.ask((seller, id), command).await
    }
}
