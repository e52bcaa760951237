//! What processors are asked.

use crate::domain::money::Money;
use crate::domain::payments::failure::FailureCode;
use crate::domain::payments::method::Method;
use crate::domain::payments::payment::{BillingDetails, CallKind, CaptureMode, ForcedRefund};
use crate::domain::payments::source::Source;
use crate::domain::time::Timestamp;

/// Whether the buyer is to confirm a card payment with the bank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Challenge {
    /// Never: a card that needs it is refused (`skip3DS`).
    Skip,
    /// When the card needs it.
    Ask,
    Force,
}

/// The question that begins a payment.
#[derive(Clone, Debug)]
pub struct Create {
    pub key: String,
    /// 0 where the card is only verified.
    pub amount: Money,
    /// The seller's name for the payment; processors find payments by it.
    pub reference: String,
    pub method: Method,
    pub source: Source,
    /// Whom the bank is told it is charging.
    pub billing: Option<BillingDetails>,
    /// Whether the amount is only held at first.
    pub capture: CaptureMode,
    pub challenge: Challenge,
    pub forced: Option<FailureCode>,
    /// Whose app is to ask, E.164; with [`Method::MbWay`].
    pub phone: Option<String>,
    pub description: Option<String>,
    /// Where the buyer comes back to from a page of the processor or the bank.
    pub return_url: Option<String>,
    /// Whether the card is kept, to be charged again when its holder is not there.
    pub keeps_card: bool,
}

/// The question that takes or holds the amount of a payment that is open.
#[derive(Clone, Debug)]
pub struct Charge {
    pub key: String,
    pub token: String,
    pub source: Source,
    pub billing: Option<BillingDetails>,
    pub challenge: Challenge,
    pub return_url: Option<String>,
    /// Whether the card is kept, to be charged again when its holder is not there.
    pub keeps_card: bool,
}

/// The question that goes on after the buyer's confirmation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Confirm {
    pub key: String,
    pub token: String,
    pub amount: Money,
}

/// The question that takes some of what is held.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Capture {
    pub key: String,
    pub token: String,
    pub amount: Money,
    /// Whether the rest is let go.
    pub last: bool,
    pub forced: Option<FailureCode>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cancel {
    pub key: String,
    pub token: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refund {
    pub key: String,
    pub token: String,
    pub amount: Money,
    pub reason: Option<String>,
    pub forced: Option<ForcedRefund>,
}

/// The question after a lost answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LookUp {
    pub key: String,
    pub kind: CallKind,
    pub reference: String,
    pub token: Option<String>,
    pub amount: Money,
    pub method: Method,
    pub challenge: Challenge,
    /// What is taken in all, in minor units, once this part of it is; of a capture that is not the
    /// last.
    pub taken: Option<i64>,
    /// When it was asked first, where that is so long ago that the processor may have forgotten
    /// the key: under it the question would be a new one.
    pub asked_long_ago: Option<Timestamp>,
}
