//! Rows beside a payout's own: whose it is, and which money it took.

use storage::CborRecord;

use crate::domain::ids::{PayeeId, SellerId};
use crate::domain::payments::pool::Span;

#[derive(Clone, Copy, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct PayoutHome {
    #[n(0)]
    pub seller: SellerId,
    /// Absent for the seller's own money.
    #[n(1)]
    pub payee: Option<PayeeId>,
}

/// The places in its wallet's line that a payout took. Written once: whether the money is still
/// the payout's, the payout tells.
#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
#[cbor(transparent)]
pub struct PayoutPlaces(#[n(0)] pub Vec<Span>);

impl CborRecord for PayoutHome {}

impl CborRecord for PayoutPlaces {}
