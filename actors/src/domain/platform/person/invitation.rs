//! Invitations: a token in an address that is opened once, kept as its hash.

use crate::domain::platform::seller::KeyHash;
use crate::domain::time::Timestamp;

use super::SessionToken;

/// How long an invitation can be accepted.
pub const INVITED_SECONDS: i64 = 7 * 24 * 3_600;

/// What stands in the address; it has the form of a session's.
pub type InviteToken = SessionToken;

#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct Invitation {
    #[n(0)]
    hash: KeyHash,
    #[n(1)]
    pub expires_at: Timestamp,
    /// Of which its token is made again for the mail that carries it; it opens nothing by itself.
    /// Invitations of earlier versions have none.
    #[n(2)]
    pub drawn: Option<String>,
}

impl Invitation {
    /// The invitation that is accepted by `token`, which was made of what was `drawn`.
    pub fn new(token: &InviteToken, drawn: String, now: Timestamp) -> Self {
        let expires_at = now.plus_seconds(INVITED_SECONDS);
        Self { hash: token.hash(), expires_at, drawn: Some(drawn) }
    }

    pub fn is_open(&self, now: Timestamp) -> bool {
        now < self.expires_at
    }

    pub fn opens(&self, hash: &KeyHash, now: Timestamp) -> bool {
        self.hash == *hash && self.is_open(now)
    }
}
