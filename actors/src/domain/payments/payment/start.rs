//! The beginning of a payment by card.

use super::{CallKind, Change, Payment, PaymentStatus, PaysFor, ProviderCall};
use crate::domain::ids::{PaymentId, SellerId};
use crate::domain::money::Money;
use crate::domain::payments::card::CardData;
use crate::domain::payments::failure::{Failure, FailureCode};
use crate::domain::payments::terminal::Connector;
use crate::domain::time::Timestamp;

/// How long a card payment waits for the buyer, in seconds (decisions 13).
pub const CHALLENGE_SECONDS: i64 = 15 * 60;

/// What a payment begins with. Ids and keys have been drawn already.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewPayment {
    /// The id within the store.
    pub id: PaymentId,
    /// Whose payment it is.
    pub seller: SellerId,
    /// The seller's name for it; unique to the seller.
    pub reference: String,
    /// How much; above 0.
    pub amount: Money,
    /// What it is paid for.
    pub pays_for: PaysFor,
    /// Whether no money moves.
    pub demo: bool,
    /// A random key that the provider knows the payment by.
    pub provider_key: String,
    /// Who carries it out; `None` when no terminal takes it.
    pub connector: Option<Connector>,
}

impl Payment {
    /// Begins a payment by `card` at `now`. A card that has expired fails at once, before any
    /// provider is asked (1007), and so does a payment that no terminal takes (1003); for every
    /// other the provider call is written down.
    pub fn start(new: NewPayment, card: &CardData, now: Timestamp) -> Change {
        let failure = reason_not_to_ask(&new, card, now);
        let asks = failure.is_none();
        let call = ProviderCall::staged(&new.provider_key, CallKind::Create, now);
        Change::begun(Payment {
            id: new.id,
            seller: new.seller,
            reference: new.reference,
            amount: new.amount,
            status: if asks { PaymentStatus::ProviderPending } else { PaymentStatus::Failed },
            pays_for: new.pays_for,
            demo: new.demo,
            card: Some(card.summary()),
            provider_key: new.provider_key,
            call: asks.then_some(call),
            processor_token: None,
            challenge: None,
            failure: failure.map(Failure::from),
            created_at: now,
            updated_at: now,
            expires_at: asks.then(|| now.plus_seconds(CHALLENGE_SECONDS)),
            settle_at: None,
            settled_at: None,
            connector: new.connector,
        })
    }
}

fn reason_not_to_ask(new: &NewPayment, card: &CardData, now: Timestamp) -> Option<FailureCode> {
    if card.expiry.is_over(now.date()) {
        Some(FailureCode::CardExpired)
    } else if new.connector.is_none() {
        Some(FailureCode::NoTerminal)
    } else {
        None
    }
}
