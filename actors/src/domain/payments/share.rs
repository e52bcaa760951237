//! A wallet's share of one payment: what came, whether it has settled, what went back.

use storage::CborRecord;

use crate::domain::ids::PaymentId;
use crate::domain::payments::pool::Span;
use crate::domain::time::Timestamp;

/// What one payment has brought to one wallet. News of it may come in any order: what it stands
/// for is told by the sums alone.
#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct Share {
    #[n(0)]
    pub payment: PaymentId,
    #[n(1)]
    pub reference: String,
    #[n(2)]
    pub credited_minor: i64,
    #[n(3)]
    pub taken_back_minor: i64,
    #[n(4)]
    pub settled_at: Option<Timestamp>,
    /// The places of what has settled in the wallet's line.
    #[n(5)]
    pub spans: Vec<Span>,
}

#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, minicbor::Encode, minicbor::Decode,
)]
#[cbor(index_only)]
pub enum ShareMove {
    /// A capture brings it, pending until the payment settles.
    #[n(0)]
    Credited,
    /// The payment settles: all of it is available. The amount says nothing.
    #[n(1)]
    Settled,
    /// A refund takes it back: from what is pending before the payment settled, from what is
    /// available after.
    #[n(2)]
    TakenBack,
}

impl Share {
    pub fn new(payment: PaymentId, reference: &str) -> Self {
        Self {
            payment,
            reference: reference.to_owned(),
            credited_minor: 0,
            taken_back_minor: 0,
            settled_at: None,
            spans: Vec::new(),
        }
    }

    pub fn net_minor(&self) -> i64 {
        self.credited_minor - self.taken_back_minor
    }

    /// What it holds on the wallet's pending and on its available account.
    pub fn standing(&self) -> (i64, i64) {
        match self.settled_at {
            Some(_) => (0, self.net_minor()),
            None => (self.net_minor(), 0),
        }
    }
}

impl CborRecord for Share {}
