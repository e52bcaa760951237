//! The processor interface: the few things that Accrue asks of whoever moves the money. Nothing
//! here decides what an answer means; the payment's rules do.
//!
//! Every question carries the provider key that was written down before. A processor that is
//! asked twice under one key acts once and gives the same answer. So whoever lost an answer looks
//! it up, and asks again what needs no card.
//!
//! * [`Simulator`] is the processor of demo mode.
//! * `stripe` asks one that speaks Stripe's payment intents, in live mode.

mod question;
mod simulator;
mod stripe;

use std::fmt;
use std::sync::Arc;

use dashmap::DashMap;
use futures::future::{BoxFuture, ready};

use self::stripe::{HttpClient, Stripe, http_client};
use crate::domain::ids::{SavedCardId, SellerId, TerminalId};
use crate::domain::payments::payment::ProviderOutcome;
use crate::domain::payments::saved_card::{CardToken, OpenedCard, SavedCard};
use crate::domain::payments::terminal::{Access, Connector, Terminal};
use crate::entropy::Entropy;
use crate::secrets::{CannotOpen, Place, Sealed, SecretBox};

pub use question::{Cancel, Capture, Challenge, Charge, Confirm, Create, LookUp, Refund};
pub use simulator::Simulator;

/// One that moves money.
pub trait Processor: fmt::Debug + Send + Sync + 'static {
    /// Begins a payment; one of 0 has the card verified, to keep it, and charges nothing. The
    /// simulator takes or holds the amount at once, or says why not; a
    /// processor that has to be told the payment before the card answers
    /// [`ProviderOutcome::Opened`], and [`Charge`] is asked next.
    fn create(&self, ask: Create) -> BoxFuture<'_, ProviderOutcome>;

    /// Takes or holds the amount of an opened payment. It is asked once: after a lost answer
    /// the payment is looked up.
    fn charge(&self, ask: Charge) -> BoxFuture<'_, ProviderOutcome>;

    /// Goes on with a payment that the buyer has confirmed.
    /// [`ProviderOutcome::Challenged`] says that the buyer has not.
    fn confirm(&self, ask: Confirm) -> BoxFuture<'_, ProviderOutcome>;

    /// Takes some of what is held.
    fn capture(&self, ask: Capture) -> BoxFuture<'_, ProviderOutcome>;

    /// Calls a payment off that was not taken. [`ProviderOutcome::Completed`] says that it was,
    /// [`ProviderOutcome::Failed`] that the buyer had been turned down before.
    fn cancel(&self, ask: Cancel) -> BoxFuture<'_, ProviderOutcome>;

    /// Gives some of what was taken back.
    fn refund(&self, ask: Refund) -> BoxFuture<'_, ProviderOutcome>;

    /// Tells what became of a question whose answer is missing. [`ProviderOutcome::Absent`] says
    /// of [`Create`] and [`Charge`] that nothing was charged, and never will be; of the others
    /// that the processor cannot tell them from never asked, and that they may be asked again
    /// under their key.
    fn look_up(&self, ask: LookUp) -> BoxFuture<'_, ProviderOutcome>;

    /// Tells whether what was taken by the payment of this name is available to the seller. Of
    /// demo payments nobody asks: they settle by themselves.
    fn funds(&self, _token: String) -> BoxFuture<'_, Funds> {
        Box::pin(ready(Funds::Unknown))
    }

    /// Tells whether the buyer of the payment of this name has acted, who was asked to; changes
    /// nothing. Of demo payments nobody asks: their pages tell.
    fn has_acted(&self, _token: String) -> BoxFuture<'_, bool> {
        Box::pin(ready(false))
    }

    /// Has a card forgotten that was kept. That of demo mode keeps none.
    fn forget(&self, _card: OpenedCard) -> BoxFuture<'_, Forgotten> {
        Box::pin(ready(Forgotten::Gone))
    }
}

/// Whether a processor keeps a card still.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Forgotten {
    Gone,
    Unknown,
}

/// Where the money of a payment is that was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Funds {
    Available,
    Pending,
    Unknown,
}

#[derive(Clone, Debug)]
pub struct Processors {
    simulator: Arc<dyn Processor>,
    outside: Arc<Outside>,
}

/// Those who were asked before, with the access they were reached by.
#[derive(Debug)]
struct Outside {
    secrets: SecretBox,
    client: HttpClient,
    known: DashMap<TerminalId, (Access, Arc<Stripe>)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unreachable {
    #[error(transparent)]
    Key(#[from] CannotOpen),
    #[error("the terminal does not say where its processor is")]
    NoAccess,
}

impl Processors {
    /// With this processor behind the terminals of demo mode; `secrets` opens the keys of the
    /// others.
    pub fn new(simulator: Arc<dyn Processor>, secrets: SecretBox) -> Self {
        let outside = Outside { secrets, client: http_client(), known: DashMap::new() };
        Self { simulator, outside: Arc::new(outside) }
    }

    pub fn simulator(&self) -> Arc<dyn Processor> {
        Arc::clone(&self.simulator)
    }

    pub fn of(&self, terminal: &Terminal) -> Result<Arc<dyn Processor>, Unreachable> {
        match terminal.connector {
            Connector::Simulator => Ok(self.simulator()),
            Connector::Stripe => Ok(self.stripe(terminal)?),
        }
    }

    pub fn seal_card(&self, seller: SellerId, card: SavedCardId, token: &CardToken) -> Sealed {
        let place = Place::SavedCard(seller, card);
        self.outside.secrets.seal(place, token.as_str().as_bytes(), Entropy.bytes())
    }

    /// A saved card, to be charged.
    pub fn open_card(&self, seller: SellerId, saved: &SavedCard) -> Result<OpenedCard, CannotOpen> {
        let place = Place::SavedCard(seller, saved.id);
        let token = self.outside.secrets.open_text(place, &saved.token)?;
        Ok(OpenedCard::new(token.as_str().into(), saved.card.clone()))
    }

    fn stripe(&self, terminal: &Terminal) -> Result<Arc<Stripe>, Unreachable> {
        let access = terminal.access.as_ref().ok_or(Unreachable::NoAccess)?;
        let Outside { secrets, client, known } = &*self.outside;
        if let Some(entry) = known.get(&terminal.id)
            && entry.0 == *access
        {
            return Ok(Arc::clone(&entry.1));
        }
        let place = Place::TerminalKey(terminal.seller, terminal.id);
        let key = secrets.open_text(place, &access.secret_key)?;
        let stripe = Arc::new(Stripe::new(client.clone(), &access.base_url, &key));
        known.insert(terminal.id, (access.clone(), Arc::clone(&stripe)));
        Ok(stripe)
    }
}

#[cfg(test)]
mod tests;
