//! The processor interface: the few things that Accrue asks of whoever moves the money
//! (decisions 7). Nothing here decides what an answer means; the payment's rules do.
//!
//! Every question carries the provider key that was written down before. A processor that is
//! asked twice under one key acts once and gives the same answer.

mod simulator;

use std::fmt;
use std::sync::Arc;

use futures::future::BoxFuture;

use crate::domain::money::Money;
use crate::domain::payments::card::CardData;
use crate::domain::payments::payment::ProviderOutcome;
use crate::domain::payments::terminal::Connector;

pub use simulator::Simulator;

/// Those who move money, one for each kind of connector a terminal may name.
#[derive(Clone, Debug)]
pub struct Processors {
    simulator: Arc<dyn Processor>,
}

impl Processors {
    /// With this processor behind the terminals of demo mode.
    pub fn new(simulator: Arc<dyn Processor>) -> Self {
        Self { simulator }
    }

    /// The processor behind a connector.
    pub fn of(&self, connector: Connector) -> &dyn Processor {
        match connector {
            Connector::Simulator => &*self.simulator,
        }
    }
}

/// One that moves money.
pub trait Processor: fmt::Debug + Send + Sync + 'static {
    /// Takes an amount from a card; the processor asks the buyer to confirm if it must.
    fn create(&self, ask: Create) -> BoxFuture<'_, ProviderOutcome>;

    /// Goes on with a payment that the buyer has confirmed.
    fn confirm(&self, ask: Confirm) -> BoxFuture<'_, ProviderOutcome>;

    /// Tells what became of a [`Create`] whose answer is missing. The card is gone by then.
    fn look_up(&self, ask: LookUp) -> BoxFuture<'_, ProviderOutcome>;
}

/// The question that takes an amount from a card.
#[derive(Debug)]
pub struct Create {
    /// The provider key.
    pub key: String,
    /// How much.
    pub amount: Money,
    /// The seller's name for the payment; processors find payments by it.
    pub reference: String,
    /// The card.
    pub card: Arc<CardData>,
}

/// The question that goes on after the buyer's confirmation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Confirm {
    /// The provider key.
    pub key: String,
    /// The processor's name for the payment.
    pub token: String,
}

/// The question after a lost answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LookUp {
    /// The provider key of the lost question.
    pub key: String,
    /// The seller's name for the payment.
    pub reference: String,
    /// The processor's name for the payment, if it is known.
    pub token: Option<String>,
}
