//! Inbound endpoints: addresses to which third parties post usage, signed.

use storage::CborRecord;

use crate::domain::ids::{InboundEndpointId, SellerId};
use crate::domain::names::names;
use crate::domain::refusal::{RefusalKind, Refuse};
use crate::domain::time::Timestamp;
use crate::domain::token::{Hashed, TokenKey, token_hash};
use crate::secrets::{Place, Sealed};

/// The most endpoints of a seller that are not revoked.
pub const MAX_ACTIVE: usize = 100;

pub const MAX_DESCRIPTION_CHARS: usize = 256;

names! {
    EndpointStatus;
    0 Active = "active",
    1 Revoked = "revoked",
}

token_hash!(
    /// What stands for an endpoint's token where endpoints are found by it.
    TokenHash
);

#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct InboundEndpoint {
    #[n(0)]
    pub id: InboundEndpointId,
    #[n(1)]
    pub seller: SellerId,
    /// The seller's words, at most 256 characters.
    #[n(2)]
    pub description: Option<String>,
    #[n(3)]
    pub status: EndpointStatus,
    #[n(4)]
    pub token: Sealed,
    /// The secret that its sender signs with, sealed.
    #[n(5)]
    pub secret: Sealed,
    #[n(6)]
    pub created_at: Timestamp,
    #[n(7)]
    pub rotated_at: Option<Timestamp>,
}

impl InboundEndpoint {
    pub fn token_place(&self) -> Place {
        Place::InboundToken(self.seller, self.id)
    }

    pub fn secret_place(&self) -> Place {
        Place::InboundSecret(self.seller, self.id)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct TokenHolder {
    #[n(0)]
    pub seller: SellerId,
    #[n(1)]
    pub endpoint: InboundEndpointId,
}

/// What is drawn for a new endpoint.
#[derive(Debug)]
pub struct Fresh {
    pub id: InboundEndpointId,
    pub token: Sealed,
    pub secret: Sealed,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EndpointRefusal {
    #[error("description must have at most {MAX_DESCRIPTION_CHARS} characters")]
    Description,
    #[error("at most {MAX_ACTIVE} endpoints can be active")]
    TooMany,
    #[error("the endpoint is revoked")]
    Revoked,
}

/// Decides on a new endpoint. `others` are all of the seller.
pub fn open<'a>(
    seller: SellerId,
    others: impl IntoIterator<Item = &'a InboundEndpoint>,
    description: Option<String>,
    fresh: impl FnOnce() -> Fresh,
    now: Timestamp,
) -> Result<InboundEndpoint, EndpointRefusal> {
    if description.as_ref().is_some_and(|text| text.chars().count() > MAX_DESCRIPTION_CHARS) {
        return Err(EndpointRefusal::Description);
    }
    let active = others.into_iter().filter(|other| other.status == EndpointStatus::Active);
    if active.count() >= MAX_ACTIVE {
        return Err(EndpointRefusal::TooMany);
    }
    let Fresh { id, token, secret } = fresh();
    Ok(InboundEndpoint {
        id,
        seller,
        description,
        status: EndpointStatus::Active,
        token,
        secret,
        created_at: now,
        rotated_at: None,
    })
}

/// The endpoint with a new secret; what is signed with the old one is refused from then on.
pub fn rotate(
    endpoint: &InboundEndpoint,
    secret: Sealed,
    now: Timestamp,
) -> Result<InboundEndpoint, EndpointRefusal> {
    match endpoint.status {
        EndpointStatus::Revoked => Err(EndpointRefusal::Revoked),
        EndpointStatus::Active => {
            Ok(InboundEndpoint { secret, rotated_at: Some(now), ..endpoint.clone() })
        }
    }
}

/// The endpoint without use; `None` when it is revoked already.
pub fn revoke(endpoint: &InboundEndpoint) -> Option<InboundEndpoint> {
    let active = endpoint.status == EndpointStatus::Active;
    active.then(|| InboundEndpoint { status: EndpointStatus::Revoked, ..endpoint.clone() })
}

impl TokenHash {
    pub fn of(token: &str) -> Self {
        Self(Hashed::of(token))
    }

    /// Where the row of a token may be, given out before tokens had shards or since.
    pub fn places(self) -> [Self; 2] {
        [self, self.in_first_shard()]
    }
}

impl Refuse for EndpointRefusal {
    fn kind(&self) -> RefusalKind {
        match self {
            Self::Description => RefusalKind::Invalid,
            Self::TooMany | Self::Revoked => RefusalKind::Unprocessable,
        }
    }
}

impl CborRecord for InboundEndpoint {}

impl CborRecord for TokenHolder {}

#[cfg(test)]
mod tests;
