//! What a payment is asked for with, and why none is begun.

use crate::domain::country::Country;
use crate::domain::ids::{CustomerId, SellerId};
use crate::domain::money::Money;
use crate::domain::payments::failure::FailureCode;
use crate::domain::payments::method::Method;
use crate::domain::payments::payment::{CaptureMode, Checkout, OrderTerms, PaysFor};
use crate::domain::payments::saved_card::{SavedCard, SavedCharge};
use crate::domain::payments::split::Inputs;
use crate::domain::refusal::{Cause, RefusalKind, Refuse};

/// A payment that is to be begun; all of it has been checked.
#[derive(Clone, Debug)]
pub struct PaymentOrder {
    pub seller: SellerId,
    /// `externalOrderRef`; unique to the seller.
    pub reference: String,
    /// Above 0, but for a card that is only verified.
    pub amount: Money,
    pub pays_for: PaysFor,
    /// Of a session, until the buyer chooses, a card.
    pub method: Method,
    pub country: Option<Country>,
    pub capture: CaptureMode,
    /// The rest of what a seller asked for over the API, with its idempotency key.
    pub terms: Option<OrderTerms>,
    pub split: Option<Inputs>,
    /// The hosted session at which it is paid.
    pub checkout: Option<Checkout>,
    pub forced: Option<FailureCode>,
    /// Whose card is saved once it succeeds.
    pub saves_for: Option<CustomerId>,
    /// The saved card that it charges, as which attempt at its invoice.
    pub saved: Option<(SavedCharge, SavedCard)>,
}

impl PaymentOrder {
    /// An order of the seller's own, by card and captured at once; all of it stays with the
    /// seller.
    pub fn new(seller: SellerId, reference: String, amount: Money) -> Self {
        Self {
            seller,
            reference,
            amount,
            pays_for: PaysFor::Order,
            method: Method::Card,
            country: None,
            capture: CaptureMode::Automatic,
            terms: None,
            split: None,
            checkout: None,
            forced: None,
            saves_for: None,
            saved: None,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BeginRefusal {
    #[error("externalOrderRef is already used")]
    ReferenceUsed,
    /// Another payment of the invoice is open, which may yet pay it.
    #[error("another payment is in progress")]
    InProgress,
    #[error("the invoice is already paid")]
    Paid,
    #[error("the invoice is voided")]
    Voided,
    #[error("the payment link is already paid")]
    LinkPaid,
    #[error("too many cards were declined, try again later")]
    TooManyDeclines,
    /// The charge of a saved card that was removed in the meantime, or is not wanted any more.
    #[error("the charge was called off")]
    CalledOff,
}

impl Refuse for BeginRefusal {
    fn kind(&self) -> RefusalKind {
        RefusalKind::Conflict
    }

    fn cause(&self) -> Cause {
        match self {
            Self::ReferenceUsed => Cause::ReferenceUsed,
            _ => Cause::Other,
        }
    }
}
