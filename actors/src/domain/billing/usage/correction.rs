//! Corrections of late events: amounts that the next usage document carries, since what is closed
//! is never rewritten.

#[cfg(test)]
mod tests;

use storage::CborRecord;

use super::late::LateEvent;
use super::metric::MetricName;
use crate::domain::billing::subscription::Span;
use crate::domain::ids::{AdjustmentId, ContractId, InvoiceId, SubscriptionId, UsageEventId};
use crate::domain::money::PRICE_LIMIT;
use crate::domain::refusal::{RefusalKind, Refuse};
use crate::domain::time::{Date, Timestamp};

const MAX_EVENTS: usize = 100;
const DESCRIPTION_CHARACTERS: usize = 512;
const KEY_CHARACTERS: usize = 128;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CorrectLate {
    /// The late events that it settles, 1 to 100.
    pub events: Vec<UsageEventId>,
    /// What it costs, minor units of the contract's currency before tax; a credit when negative.
    /// By the prices of the closed periods where none is stated.
    pub amount_minor: Option<i64>,
    /// What the customer reads, 1 to 512 characters.
    pub description: String,
    /// The caller's key: 1 to 128 of `A-Z a-z 0-9 _ . : -`.
    pub key: String,
}

#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct Adjustment {
    #[n(0)]
    pub id: AdjustmentId,
    #[n(1)]
    pub contract: ContractId,
    #[n(2)]
    pub events: Vec<UsageEventId>,
    /// What it costs, minor units before tax.
    #[n(3)]
    pub amount_minor: i64,
    #[n(4)]
    pub description: String,
    #[n(5)]
    pub key: String,
    #[n(6)]
    pub metric: Option<MetricName>,
    #[n(7)]
    pub days: Span,
    #[n(8)]
    pub subscription: Option<SubscriptionId>,
    /// When it was recorded, by the wall clock.
    #[n(9)]
    pub created_at: Timestamp,
    /// The documents that carry it, each with how much, of the sign of the amount.
    #[n(10)]
    pub carried: Vec<(InvoiceId, i64)>,
    /// What became stored credit, since no document was to carry it; of the sign of the amount.
    #[n(11)]
    #[cbor(default)]
    pub credited_minor: i64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct AdjustmentKey {
    #[n(0)]
    pub contract: ContractId,
    #[n(1)]
    pub adjustment: AdjustmentId,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CorrectionRefusal {
    #[error("eventIds must be 1 to {MAX_EVENTS} late events, none of them twice")]
    Events,
    #[error("amountMinor must not be 0 and at most 10^12 either way")]
    Amount,
    #[error("description must be 1 to {DESCRIPTION_CHARACTERS} characters")]
    Description,
    #[error("key must be 1 to {KEY_CHARACTERS} characters of A-Z a-z 0-9 _ . : -")]
    Key,
    #[error("eventIds: {0} is no late event of this contract")]
    NotLate(UsageEventId),
    #[error("eventIds: {0} was corrected before")]
    Corrected(UsageEventId),
    #[error("eventIds: {0} is of no closed period, and has no price; state amountMinor")]
    NotPriced(UsageEventId),
    #[error("eventIds: {0} cannot be priced as its period was ({1}); state amountMinor")]
    NotRated(UsageEventId, String),
    #[error("key was already used for a correction with another {0}")]
    KeyReused(&'static str),
}

impl Refuse for CorrectionRefusal {
    fn kind(&self) -> RefusalKind {
        match self {
            Self::Corrected(_) | Self::NotPriced(_) | Self::NotRated(..) | Self::KeyReused(_) => {
                RefusalKind::Unprocessable
            }
            _ => RefusalKind::Invalid,
        }
    }
}

impl CorrectLate {
    pub fn check(&self) -> Result<(), CorrectionRefusal> {
        let mut distinct = self.events.clone();
        distinct.sort_unstable();
        distinct.dedup();
        if distinct.len() != self.events.len() || !(1..=MAX_EVENTS).contains(&distinct.len()) {
            return Err(CorrectionRefusal::Events);
        }
        let limit = PRICE_LIMIT.unsigned_abs();
        if self.amount_minor.is_some_and(|minor| minor == 0 || minor.unsigned_abs() > limit) {
            return Err(CorrectionRefusal::Amount);
        }
        if !(1..=DESCRIPTION_CHARACTERS).contains(&self.description.chars().count()) {
            return Err(CorrectionRefusal::Description);
        }
        let shaped = (1..=KEY_CHARACTERS).contains(&self.key.len())
            && self.key.bytes().all(|b| b.is_ascii_alphanumeric() || b"_.:-".contains(&b));
        if shaped { Ok(()) } else { Err(CorrectionRefusal::Key) }
    }

    /// The events of this request, which `found` are, in its order, as far as they are late events
    /// of the contract.
    pub fn uncorrected(
        &self,
        found: Vec<Option<LateEvent>>,
    ) -> Result<Vec<LateEvent>, CorrectionRefusal> {
        let late = |(event, found): (&UsageEventId, Option<LateEvent>)| match found {
            None => Err(CorrectionRefusal::NotLate(*event)),
            Some(late) if late.corrected_by.is_some() => Err(CorrectionRefusal::Corrected(*event)),
            Some(late) => Ok(late),
        };
        self.events.iter().zip(found).map(late).collect()
    }

    /// Corrects `late` events for this amount. `subscription` says who metered a day.
    pub fn decide(
        &self,
        (contract, id): (ContractId, AdjustmentId),
        late: &[LateEvent],
        amount_minor: i64,
        subscription: impl Fn(Date) -> Option<SubscriptionId>,
        now: Timestamp,
    ) -> Result<Adjustment, CorrectionRefusal> {
        let days = || late.iter().map(|late| late.event.occurred_at.date());
        let (Some(first), Some(last)) = (days().min(), days().max()) else {
            return Err(CorrectionRefusal::Events);
        };
        let metric = late.first().map(|late| late.metric.clone());
        Ok(Adjustment {
            id,
            contract,
            events: self.events.clone(),
            amount_minor,
            description: self.description.clone(),
            key: self.key.clone(),
            metric: metric.filter(|metric| late.iter().all(|late| late.metric == *metric)),
            days: Span { start: first, end: last.plus_days(1) },
            subscription: subscription(first),
            created_at: now,
            carried: Vec::new(),
            credited_minor: 0,
        })
    }

    /// Compares a repeated request with what its key made.
    pub fn repeats(&self, made: &Adjustment) -> Result<(), CorrectionRefusal> {
        let sorted = |events: &[UsageEventId]| {
            let mut events = events.to_vec();
            events.sort_unstable();
            events
        };
        let differs = |field| Err(CorrectionRefusal::KeyReused(field));
        if sorted(&self.events) != sorted(&made.events) {
            return differs("eventIds");
        }
        if self.amount_minor.is_some_and(|minor| minor != made.amount_minor) {
            return differs("amountMinor");
        }
        if self.description != made.description {
            return differs("description");
        }
        Ok(())
    }
}

impl Adjustment {
    /// What no document carries yet and is no stored credit, minor units of the sign of the amount.
    pub fn open_minor(&self) -> i64 {
        let carried: i64 = self.carried.iter().map(|(_, minor)| minor).sum();
        self.amount_minor - carried - self.credited_minor
    }

    /// Makes what is open of it stored credit.
    pub fn credit(&mut self) {
        self.credited_minor += self.open_minor();
    }

    /// Takes back what a document carries of it.
    pub fn let_go(&mut self, invoice: InvoiceId) {
        self.carried.retain(|(carrier, _)| *carrier != invoice);
    }

    pub fn carry(&mut self, invoice: InvoiceId, minor: i64) {
        self.carried.push((invoice, minor));
    }
}

impl CborRecord for Adjustment {}

impl CborRecord for AdjustmentKey {}
