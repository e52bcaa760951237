//! What callers ask of a contract's metering.

mod closed;

use std::sync::Arc;

use super::command::Command;
use super::pricing::NewPrice;
use super::recording::Recorded;
use crate::contract::command;
use crate::contract::handle::{Asked, Contracts};
use crate::domain::billing::pricing::PriceVersion;
use crate::domain::billing::usage::upload::{Window, WindowOutcome};
use crate::domain::billing::usage::{Ingested, MetricUsage, NewEvent};
use crate::domain::ids::{ContractId, SellerId};
use crate::domain::refusal::Refusal;
use crate::room::AskError;

/// How often events are handed in whose keys another contract takes at the same moment.
const ATTEMPTS: usize = 16;

impl Contracts {
    /// Records events, in order: what became of each, once that is durable (billing 4.6). The
    /// whole is [`Refusal::missing`] for an unknown contract.
    ///
    /// # Errors
    /// [`AskError`]; [`AskError::Busy`] also when other contracts keep taking the same keys.
    pub async fn record_usage(
        &self,
        seller: SellerId,
        contract: ContractId,
        events: Vec<NewEvent>,
    ) -> Asked<Vec<Result<Ingested, Refusal>>> {
        let events = Arc::new(events);
        for _ in 0..ATTEMPTS {
            let recorded = self
                .rooms
                .ask((seller, contract), |reply| {
                    let events = Arc::clone(&events);
                    command::Command::Metering(Command::Record { events, reply })
                })
                .await?;
            match recorded {
                Recorded::Done(verdicts) => return Ok(verdicts),
                Recorded::Raced => {}
            }
        }
        Err(AskError::Busy)
    }

    /// Records the rows of an upload that belong to a contract; those that come again are
    /// answered as they fared the first time.
    ///
    /// # Errors
    /// As [`record_usage`](Self::record_usage).
    pub async fn record_upload(
        &self,
        seller: SellerId,
        contract: ContractId,
        window: Window,
        events: Vec<NewEvent>,
    ) -> Asked<WindowOutcome> {
        let events = Arc::new(events);
        for _ in 0..ATTEMPTS {
            let recorded = self
                .rooms
                .ask((seller, contract), |reply| {
                    let events = Arc::clone(&events);
                    command::Command::Metering(Command::Upload { window, events, reply })
                })
                .await?;
            if let Some(outcome) = recorded {
                return Ok(outcome);
            }
        }
        Err(AskError::Busy)
    }

    /// Adds a version of a metric's price, or answers the one that says the same (billing 4.6).
    ///
    /// # Errors
    /// [`AskError`].
    pub async fn set_price(
        &self,
        seller: SellerId,
        contract: ContractId,
        new: NewPrice,
    ) -> Asked<PriceVersion> {
        self.rooms
            .ask((seller, contract), |reply| {
                let new = Box::new(new.clone());
                command::Command::Metering(Command::SetPrice { new, reply })
            })
            .await
    }

    /// What was used so far in the contract's open periods (billing 2.5).
    ///
    /// # Errors
    /// [`AskError`].
    pub async fn usage(&self, seller: SellerId, contract: ContractId) -> Asked<Vec<MetricUsage>> {
        self.rooms
            .ask((seller, contract), |reply| command::Command::Metering(Command::Usage { reply }))
            .await
    }
}
