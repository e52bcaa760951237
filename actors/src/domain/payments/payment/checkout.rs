//! A payment that a buyer makes on the hosted checkout (payments 2.3, decisions 7 and 13): it is
//! there from the session's beginning, and several attempts may be made at it.

use crate::domain::payments::failure::FailureCode;
use crate::domain::payments::method::Method;
use crate::domain::time::Timestamp;

/// How long a session is open, in seconds: 24 hours.
pub const SESSION_SECONDS: i64 = 24 * 3600;

/// After so many attempts that came to nothing, so has the payment.
pub const ATTEMPTS: usize = 10;

/// The session of a payment.
#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct Checkout {
    /// `sessionId`: who holds it may pay.
    #[n(0)]
    pub session: String,
    /// `returnUrls.success`.
    #[n(1)]
    pub success_url: String,
    /// `returnUrls.failure`.
    #[n(2)]
    pub failure_url: String,
    /// What the buyer is told is paid.
    #[n(3)]
    pub description: Option<String>,
    /// The name the buyer knows the seller by (`sellerMerchantName`).
    #[n(4)]
    pub seller_name: Option<String>,
    /// Where the logo came from.
    #[n(5)]
    pub logo_url: Option<String>,
    /// The buyer's language, as a BCP 47 tag.
    #[n(6)]
    pub locale: Option<String>,
    /// Whether every card is to be challenged (`force3DS`).
    #[n(7)]
    pub force_challenge: bool,
    /// When the session ends.
    #[n(8)]
    pub expires_at: Timestamp,
    /// The attempts that came to nothing, oldest first; at most [`ATTEMPTS`].
    #[n(9)]
    pub attempts: Vec<Attempt>,
    /// How many attempts were begun.
    #[n(10)]
    pub begun: u32,
    /// Whether an attempt is under way.
    #[n(11)]
    pub trying: bool,
    /// Whose app the attempt under way asks, E.164.
    #[n(12)]
    pub phone: Option<String>,
}

/// An attempt that came to nothing.
#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct Attempt {
    /// When it ended.
    #[n(0)]
    pub at: Timestamp,
    /// What it was made with.
    #[n(1)]
    pub method: Method,
    /// Why it failed; `None` when the buyer gave it up.
    #[n(2)]
    pub failure: Option<FailureCode>,
}

impl Checkout {
    /// Whether no attempt may follow the one under way.
    pub(super) fn is_at_its_last(&self, now: Timestamp) -> bool {
        self.attempts.len() + 1 >= ATTEMPTS || now >= self.expires_at
    }

    /// The code of the last attempt that failed.
    pub fn last_failure(&self) -> Option<FailureCode> {
        self.attempts.iter().rev().find_map(|attempt| attempt.failure)
    }
}
