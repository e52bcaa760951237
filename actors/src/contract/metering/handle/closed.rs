//! What callers ask of closed usage, and of what it is closed by.

use crate::contract::answers::InvoiceCounts;
use crate::contract::command;
use crate::contract::handle::{Asked, Contracts};
use crate::contract::metering::closing::CloseCounts;
use crate::contract::metering::command::Command;
use crate::contract::metering::seats::SeatsChanged;
use crate::domain::billing::usage::{
    Adjustment, ChangeSeats, CorrectLate, CorrectionRefusal, MetricName, UsageLimit,
};
use crate::domain::ids::{ContractId, SellerId};
use crate::domain::refusal::Refusal;
use crate::kernel::Once;
use crate::query;

impl Contracts {
    /// Closes a contract's periods that are over, oldest first, some at once (billing 3.3).
    ///
    /// # Errors
    /// [`AskError`](crate::room::AskError).
    pub async fn run_usage_close(
        &self,
        seller: SellerId,
        contract: ContractId,
    ) -> Asked<CloseCounts> {
        self.rooms
            .ask((seller, contract), |reply| {
                command::Command::Metering(Command::CloseUsage { reply })
            })
            .await
    }

    /// Issues the invoice of a contract's closed usage.
    ///
    /// # Errors
    /// [`AskError`](crate::room::AskError).
    pub async fn run_usage_invoices(
        &self,
        seller: SellerId,
        contract: ContractId,
    ) -> Asked<InvoiceCounts> {
        self.rooms
            .ask((seller, contract), |reply| {
                command::Command::Metering(Command::BillUsage { reply })
            })
            .await
    }

    /// Sets what a period of a contract may use of a metric; nothing takes the limit away
    /// (billing 2.5).
    ///
    /// # Errors
    /// [`AskError`](crate::room::AskError).
    pub async fn set_usage_limit(
        &self,
        seller: SellerId,
        contract: ContractId,
        metric: MetricName,
        limit: Option<UsageLimit>,
    ) -> Asked<Option<UsageLimit>> {
        self.rooms
            .ask((seller, contract), |reply| {
                let metric = metric.clone();
                command::Command::Metering(Command::SetLimit { metric, limit, reply })
            })
            .await
    }

    /// Adds seats to a contract, or removes some (billing 2.7).
    ///
    /// # Errors
    /// [`AskError`](crate::room::AskError).
    pub async fn change_seats(
        &self,
        seller: SellerId,
        contract: ContractId,
        request: ChangeSeats,
    ) -> Asked<SeatsChanged> {
        self.rooms
            .ask((seller, contract), |reply| {
                let request = request.clone();
                command::Command::Metering(Command::ChangeSeats { request, reply })
            })
            .await
    }

    /// Corrects late events: an amount that the contract's next usage document carries. The same
    /// key again answers what it made (decisions 6).
    ///
    /// # Errors
    /// [`AskError`](crate::room::AskError).
    pub async fn correct_late_usage(
        &self,
        seller: SellerId,
        contract: ContractId,
        request: CorrectLate,
    ) -> Asked<Adjustment> {
        let answer = self
            .rooms
            .ask((seller, contract), |reply| {
                let request = Box::new(request.clone());
                command::Command::Metering(Command::CorrectLate { request, reply })
            })
            .await?;
        match answer {
            Once::Made(made) => Ok(made),
            Once::Before => Ok(self.corrected_before(seller, contract, &request)?),
        }
    }

    /// What a key made that is durable.
    fn corrected_before(
        &self,
        seller: SellerId,
        contract: ContractId,
        request: &CorrectLate,
    ) -> Result<Adjustment, Refusal> {
        let made = query::adjustment_of(&self.store, seller, &request.key).map_err(|error| {
            tracing::error!(%error, "a correction cannot be read");
            Refusal::fault()
        })?;
        let made = made.ok_or_else(Refusal::fault)?;
        if made.contract != contract {
            return Err(CorrectionRefusal::KeyReused("contractId").into());
        }
        request.repeats(&made)?;
        Ok(made)
    }
}
