//! Inbound endpoints: made, given a new secret, revoked.

use storage::{Scan, Shard};

use super::Sellers;
use super::room::{Change, SellerRoom};
use crate::domain::billing::usage::inbound::{
    Fresh, InboundEndpoint, TokenHash, TokenHolder, open, revoke, rotate,
};
use crate::domain::ids::{InboundEndpointId, SellerId};
use crate::domain::platform::webhook::secret::secret_of;
use crate::domain::refusal::Refusal;
use crate::kernel::{AskError, Context, Decision, Effects, KeyClaim, Once};
use crate::secrets::Place;
use crate::tables::{INBOUND_TOKENS, ids};

#[derive(Clone, Debug)]
pub struct EndpointAnswer {
    pub endpoint: InboundEndpoint,
    /// Its secret, which is shown now and never again.
    pub secret: String,
}

impl Sellers {
    pub async fn open_endpoint(
        &self,
        id: SellerId,
        description: Option<String>,
    ) -> Result<EndpointAnswer, AskError> {
        let open = move |room: &SellerRoom, cx: &Context<SellerRoom>| {
            let (effects, answer) = room.open_endpoint(cx, description.clone())?;
            Ok(effects.answer(answer))
        };
        self.rooms.command(id, open).await
    }

    /// The same, once for each key.
    pub async fn open_endpoint_once(
        &self,
        id: SellerId,
        description: Option<String>,
        claim: KeyClaim,
    ) -> Result<Once<EndpointAnswer>, AskError> {
        let open = move |room: &SellerRoom, cx: &Context<SellerRoom>| {
            claim.check(cx, room.id)?;
            let (mut effects, answer) = room.open_endpoint(cx, description.clone())?;
            claim.hold(&mut effects, room.id, answer.endpoint.id.0);
            Ok(effects.answer(answer))
        };
        self.rooms.once(id, open).await
    }

    /// Gives an inbound endpoint a new secret; the old one stops at once.
    pub async fn rotate_endpoint_secret(
        &self,
        id: SellerId,
        endpoint: InboundEndpointId,
    ) -> Result<EndpointAnswer, AskError> {
        self.rooms.command(id, move |room, cx| room.rotate_secret(cx, endpoint)).await
    }

    pub async fn revoke_endpoint(
        &self,
        id: SellerId,
        endpoint: InboundEndpointId,
    ) -> Result<InboundEndpoint, AskError> {
        let revoke = move |room: &SellerRoom, cx: &Context<SellerRoom>| {
            let known = room.endpoint(endpoint)?;
            let Some(revoked) = revoke(known) else {
                return Ok(Decision::unchanged(known.clone()));
            };
            let mut effects = Effects::new();
            for place in room.token_places(cx, known)? {
                effects.delete(INBOUND_TOKENS, &place);
            }
            effects.change(Change::Endpoint(Box::new(revoked.clone())));
            Ok(effects.answer(revoked))
        };
        self.rooms.command(id, revoke).await
    }
}

impl SellerRoom {
    fn open_endpoint(
        &self,
        cx: &Context<Self>,
        description: Option<String>,
    ) -> Result<(Effects<Self>, EndpointAnswer), Refusal> {
        self.account()?;
        let (secrets, entropy) = (&cx.tools().secrets, cx.entropy());
        let (token, secret) = (entropy.token_in(self.id.shard()), secret_of(&entropy.bytes()));
        let fresh = || {
            let id = InboundEndpointId(cx.id(ids::INBOUND_ENDPOINT));
            let of_token = Place::InboundToken(self.id, id);
            let of_secret = Place::InboundSecret(self.id, id);
            Fresh {
                id,
                token: secrets.seal(of_token, token.as_bytes(), entropy.bytes()),
                secret: secrets.seal(of_secret, secret.as_bytes(), entropy.bytes()),
            }
        };
        let endpoint = open(self.id, &self.endpoints, description, fresh, cx.now())?;
        let holder = TokenHolder { seller: self.id, endpoint: endpoint.id };
        let mut effects = Effects::new();
        effects.put(INBOUND_TOKENS, &TokenHash::of(&token), &holder);
        effects.change(Change::Endpoint(Box::new(endpoint.clone())));
        Ok((effects, EndpointAnswer { endpoint, secret: secret.to_string() }))
    }

    fn rotate_secret(
        &self,
        cx: &Context<Self>,
        id: InboundEndpointId,
    ) -> Result<Decision<Self, EndpointAnswer>, Refusal> {
        let secret = secret_of(&cx.entropy().bytes());
        let (place, nonce) = (Place::InboundSecret(self.id, id), cx.entropy().bytes());
        let sealed = cx.tools().secrets.seal(place, secret.as_bytes(), nonce);
        let endpoint = rotate(self.endpoint(id)?, sealed, cx.now())?;
        let mut effects = Effects::new();
        effects.change(Change::Endpoint(Box::new(endpoint.clone())));
        Ok(effects.answer(EndpointAnswer { endpoint, secret: secret.to_string() }))
    }

    /// Where the endpoint is found by its token. One that cannot be opened any more does not tell:
    /// then the shards are looked through in which it may be. A row there that cannot be read leads
    /// nobody anywhere, and is mostly another seller's.
    fn token_places(
        &self,
        cx: &Context<Self>,
        endpoint: &InboundEndpoint,
    ) -> Result<Vec<TokenHash>, Refusal> {
        if let Ok(token) = cx.tools().secrets.open_text(endpoint.token_place(), &endpoint.token) {
            return Ok(TokenHash::of(&token).places().into());
        }
        let own = TokenHolder { seller: self.id, endpoint: endpoint.id };
        let mut shards = vec![self.id.shard(), Shard::FIRST];
        shards.dedup();
        let mut places = Vec::new();
        for shard in shards {
            for row in cx.store().scan(INBOUND_TOKENS, Scan::prefix(&shard)) {
                match row {
                    Ok((place, holder)) if holder == own => places.push(place),
                    Err(error) if error.concerns_all() => cx.read(Err(error))?,
                    Ok(_) | Err(_) => {}
                }
            }
        }
        Ok(places)
    }

    fn endpoint(&self, id: InboundEndpointId) -> Result<&InboundEndpoint, Refusal> {
        self.endpoints.iter().find(|known| known.id == id).ok_or_else(Refusal::missing)
    }
}

#[cfg(test)]
mod tests;
