//! Double entry: every movement of money is an entry whose postings sum to zero.
//!
//! A wallet's money stands on its accounts `pending`, `available` and `reserved`. What comes in
//! comes from `clearing`, the side of the payments; what goes out goes to `bank`. Entries are only
//! ever added. A wallet's balances are kept with it in the same write, and are at any time the
//! sums of its postings.

use storage::CborRecord;

use crate::domain::chain::{self, Link};
use crate::domain::ids::{PaymentId, PayoutId, PostingId};
use crate::domain::names::names;
use crate::domain::time::Timestamp;

names! {
    Account;
    /// The wallet's: shares of payments that have not settled.
    0 Pending = "pending",
    /// The wallet's: settled and in no payout.
    1 Available = "available",
    /// The wallet's: in open payouts.
    2 Reserved = "reserved",
    3 Clearing = "clearing",
    4 Bank = "bank",
}

names! {
    Cause;
    0 ShareCredited = "share_credited",
    1 ShareSettled = "share_settled",
    /// A payment was refunded, or failed at settlement.
    2 ShareTakenBack = "share_taken_back",
    3 PayoutReserved = "payout_reserved",
    4 PayoutCompleted = "payout_completed",
    /// A payout was rejected, or failed before it was completed.
    5 PayoutReleased = "payout_released",
    /// The bank sent a completed payout back.
    6 PayoutReturned = "payout_returned",
    7 Deposited = "deposited",
}

/// One side of a movement, in minor units: above zero what comes to the account.
#[derive(Clone, Copy, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct Posting {
    #[n(0)]
    pub account: Account,
    #[n(1)]
    pub amount_minor: i64,
}

#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct Entry {
    #[n(0)]
    pub id: PostingId,
    #[n(1)]
    pub at: Timestamp,
    #[n(2)]
    pub cause: Cause,
    #[n(3)]
    pub payment: Option<PaymentId>,
    /// That payment's reference (`externalOrderRef`); of a deposit, what it came with.
    #[n(4)]
    pub reference: Option<String>,
    #[n(5)]
    pub payout: Option<PayoutId>,
    /// They sum to zero; none is zero.
    #[n(6)]
    pub postings: Vec<Posting>,
    /// In the chain of the wallet's entries; there on all that are stored.
    #[cbor(n(7), with = "minicbor::bytes")]
    pub link: Option<Link>,
}

impl Entry {
    /// The link that it has behind the entry before it.
    pub fn link(&self, before: Option<&Link>) -> Link {
        chain::link(before, &chain::digest(&Self { link: None, ..self.clone() }))
    }

    pub fn amount_to(&self, account: Account) -> i64 {
        let to = self.postings.iter().filter(|posting| posting.account == account);
        to.map(|posting| posting.amount_minor).sum()
    }

    pub fn sum(&self) -> i64 {
        self.postings.iter().map(|posting| posting.amount_minor).sum()
    }
}

impl CborRecord for Entry {}
