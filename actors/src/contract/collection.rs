//! Collecting invoices from the customer's saved card.
//!
//! The room decides on an attempt and writes it down; the charge is made beside it, by a payment
//! room, and what became of it is heard: at once by whoever ordered it, and by the message of the
//! payment. Each attempt has a number, and the payment that makes it claims that number: after a
//! crash the same attempt is ordered again, and made once.

mod outcome;
mod run;

use std::ops::AddAssign;

use super::Contracts;
use super::changes::Changes;
use super::room::{Context, ContractKey, ContractRoom};
use super::strides::Stride;
use crate::domain::ids::{ContractId, SellerId};
use crate::domain::payments::payment::Payment;
use crate::kernel::AskError;
use crate::payment::CardOrder;

pub(super) use run::{Collected, Seen};

/// How many invoices one command of a collection reads at most.
const LOOKED_AT: usize = 200;

/// What charging the saved card of a contract came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CollectionCounts {
    pub charged: u64,
    pub failed: u64,
    /// Charges whose outcome nobody knows yet; it is told later.
    pub pending: u64,
    /// Invoices that somebody else is paying.
    pub skipped: u64,
    /// Subscriptions that are past due by it.
    pub past_due: u64,
    /// Whether it is switched off; then nothing was done.
    pub pass_disabled: bool,
}

impl AddAssign for CollectionCounts {
    fn add_assign(&mut self, more: Self) {
        self.charged += more.charged;
        self.failed += more.failed;
        self.pending += more.pending;
        self.skipped += more.skipped;
        self.past_due += more.past_due;
        self.pass_disabled |= more.pass_disabled;
    }
}

impl Contracts {
    /// Charges the saved card for what is due by the contract's clock, each invoice once.
    pub async fn run_collection(
        &self,
        seller: SellerId,
        contract: ContractId,
    ) -> Result<CollectionCounts, AskError> {
        let (key, mut all, mut seen) =
            ((seller, contract), CollectionCounts::default(), Seen::default());
        loop {
            let before = seen.clone();
            let stride = move |room: &ContractRoom, cx: &Context| {
                let mut changes = Changes::begin(room, cx)?;
                let stride = changes.collect(&before)?;
                Ok(changes.finish().answer(stride))
            };
            let Stride { done, more } = self.rooms.command_in_passing(key, stride).await?;
            all += done.counts;
            seen.add(done.seen);
            for order in done.orders {
                all += self.charge(key, order).await?;
            }
            if !more {
                return Ok(all);
            }
        }
    }

    async fn charge(
        &self,
        key: ContractKey,
        order: CardOrder,
    ) -> Result<CollectionCounts, AskError> {
        match self.payments.charge_saved_card(order).await {
            Ok(payment) => self.charge_made(key, payment).await,
            // It stays as it was ordered, and is ordered again with the next run.
            Err(AskError::Refused(_) | AskError::Busy) => {
                Ok(CollectionCounts { skipped: 1, ..CollectionCounts::default() })
            }
            Err(error) => Err(error),
        }
    }

    /// Lets the contract hear at once what became of a charge. The payment's own message comes
    /// too late for an advance to go by it.
    pub(super) async fn charge_made(
        &self,
        key: ContractKey,
        payment: Payment,
    ) -> Result<CollectionCounts, AskError> {
        let hear = move |room: &ContractRoom, cx: &Context| {
            let mut changes = Changes::begin(room, cx)?;
            let past_due = changes.charge_made(&payment)?;
            let counts = CollectionCounts { past_due, ..CollectionCounts::default() };
            let counts = match (payment.message().is_some(), payment.status.is_lost()) {
                (false, _) => CollectionCounts { pending: 1, ..counts },
                (true, true) => CollectionCounts { failed: 1, ..counts },
                (true, false) => CollectionCounts { charged: 1, ..counts },
            };
            Ok(changes.finish().answer(counts))
        };
        self.rooms.command_in_passing(key, hear).await
    }
}
