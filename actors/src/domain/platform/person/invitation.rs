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
}

impl Invitation {
    pub fn new(token: &InviteToken, now: Timestamp) -> Self {
        Self { hash: token.hash(), expires_at: now.plus_seconds(INVITED_SECONDS) }
    }

    pub fn opens(&self, hash: &KeyHash, now: Timestamp) -> bool {
        self.hash == *hash && now < self.expires_at
    }
}
