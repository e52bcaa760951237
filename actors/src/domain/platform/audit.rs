//! The audit log of an account: who changed what on its dashboard.

use storage::CborRecord;

use crate::domain::email::Email;
use crate::domain::ids::{ApiKeyId, AuditId};
use crate::domain::platform::seller::ApiKeyEntry;
use crate::domain::time::Timestamp;

/// How long an entry is kept.
pub const AUDIT_DAYS: i64 = 400;

/// The most characters of a value in `changes`: what is longer is cut by itself, so that it keeps no
/// other value from being told.
pub const VALUE_LENGTH: usize = 2_000;

/// The most characters of all of it, so that an entry stays a small row.
const CHANGES_LENGTH: usize = 12_000;

#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct AuditEntry {
    #[n(0)]
    pub id: AuditId,
    #[n(1)]
    pub at: Timestamp,
    /// As [`Actor`] is written; of keys earlier versions wrote `key:<id>`.
    #[n(2)]
    pub actor: String,
    /// The name of the mutation, method and path of a route, or `login`.
    #[n(3)]
    pub action: String,
    /// What it was done to, as `invoice 7`.
    #[n(4)]
    pub object: Option<String>,
    /// The address that it came from.
    #[n(5)]
    pub address: Option<String>,
    /// What was asked for, as JSON without secrets, long values cut.
    #[n(6)]
    pub changes: Option<String>,
}

impl CborRecord for AuditEntry {}

/// What is written down; its room adds id and instant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Act {
    pub actor: Actor,
    pub action: String,
    pub object: Option<String>,
    pub address: Option<String>,
    pub changes: Option<String>,
}

/// Who did it: `person:<email>`, `buyer:<email>` of whoever had a portal, `key:<name> …<last4>`, or
/// `operator`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Actor {
    Person(Email),
    Buyer(Email),
    Key(ApiKeyId),
    Operator,
}

impl Actor {
    fn written(&self, keys: &[ApiKeyEntry]) -> String {
        match self {
            Self::Person(email) => format!("person:{email}"),
            Self::Buyer(email) => format!("buyer:{email}"),
            Self::Key(id) => match keys.iter().find(|key| key.id == *id) {
                Some(ApiKeyEntry { name, last4, .. }) => format!("key:{name} …{last4}"),
                // It was revoked while its request was carried out.
                None => format!("key:{id}"),
            },
            Self::Operator => "operator".to_owned(),
        }
    }
}

impl Act {
    /// `keys`: those of the account.
    pub fn entry(&self, id: AuditId, at: Timestamp, keys: &[ApiKeyEntry]) -> AuditEntry {
        let Self { actor, action, object, address, changes } = self.clone();
        let actor = actor.written(keys);
        let changes = changes.map(|text| text.chars().take(CHANGES_LENGTH).collect());
        AuditEntry { id, at, actor, action, object, address, changes }
    }
}
