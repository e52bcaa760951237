//! Inbound endpoints: made, given a new secret, revoked.

use storage::Batch;

use super::command::{Answer, EndpointAnswer};
use crate::domain::billing::usage::inbound::{
    Fresh, InboundEndpoint, TokenHash, TokenHolder, open, revoke, rotate,
};
use crate::domain::ids::InboundEndpointId;
use crate::domain::platform::webhook::secret::secret_of;
use crate::domain::refusal::Refusal;
use crate::room::Desk;
use crate::seller::account::unexpected;
use crate::seller::room::SellerRoom;
use crate::tables::{INBOUND_ENDPOINTS, INBOUND_TOKENS, ids};

impl SellerRoom {
    pub(super) fn open_endpoint(
        &mut self,
        desk: &Desk<Self>,
        description: Option<String>,
        reply: Answer<EndpointAnswer>,
    ) {
        if self.seller.is_none() {
            return reply.send(Err(Refusal::missing()));
        }
        let (secrets, entropy) = (&desk.tools().secrets, desk.entropy());
        let (token, secret) = (entropy.token(), secret_of(&entropy.bytes()));
        let fresh = || Fresh {
            id: InboundEndpointId(desk.next_id(ids::INBOUND_ENDPOINT)),
            token: secrets.seal(token.as_bytes(), entropy.bytes()),
            secret: secrets.seal(secret.as_bytes(), entropy.bytes()),
        };
        let endpoint = match open(self.id, &self.usage.endpoints, description, fresh, desk.now()) {
            Ok(endpoint) => endpoint,
            Err(refusal) => return reply.send(Err(refusal.into())),
        };
        let holder = TokenHolder { seller: self.id, endpoint: endpoint.id };
        let mut batch = Batch::new();
        batch.put(INBOUND_TOKENS, &TokenHash::of(&token), &holder);
        self.put_endpoint(&mut batch, &endpoint);
        let answer = EndpointAnswer { endpoint, secret: secret.to_string() };
        desk.commit(batch, reply, |result| result.map(|_| answer).map_err(unexpected));
    }

    pub(super) fn rotate_secret(
        &mut self,
        desk: &Desk<Self>,
        id: InboundEndpointId,
        reply: Answer<EndpointAnswer>,
    ) {
        let Some(known) = self.endpoint(id) else { return reply.send(Err(Refusal::missing())) };
        let secret = secret_of(&desk.entropy().bytes());
        let sealed = desk.tools().secrets.seal(secret.as_bytes(), desk.entropy().bytes());
        let endpoint = match rotate(known, sealed, desk.now()) {
            Ok(endpoint) => endpoint,
            Err(refusal) => return reply.send(Err(refusal.into())),
        };
        let mut batch = Batch::new();
        self.put_endpoint(&mut batch, &endpoint);
        let answer = EndpointAnswer { endpoint, secret: secret.to_string() };
        desk.commit(batch, reply, |result| result.map(|_| answer).map_err(unexpected));
    }

    pub(super) fn revoke_endpoint(
        &mut self,
        desk: &Desk<Self>,
        id: InboundEndpointId,
        reply: Answer<InboundEndpoint>,
    ) {
        let Some(known) = self.endpoint(id) else { return reply.send(Err(Refusal::missing())) };
        let mut batch = Batch::new();
        let endpoint = match revoke(known) {
            None => known.clone(),
            Some(revoked) => {
                let Ok(token) = desk.tools().secrets.open_text(&revoked.token) else {
                    return reply.send(Err(Refusal::fault()));
                };
                batch.delete(INBOUND_TOKENS, &TokenHash::of(&token));
                self.put_endpoint(&mut batch, &revoked);
                revoked
            }
        };
        desk.commit(batch, reply, |result| result.map(|_| endpoint).map_err(unexpected));
    }

    fn endpoint(&self, id: InboundEndpointId) -> Option<&InboundEndpoint> {
        self.usage.endpoints.iter().find(|known| known.id == id)
    }

    fn put_endpoint(&mut self, batch: &mut Batch, endpoint: &InboundEndpoint) {
        batch.put(INBOUND_ENDPOINTS, &(self.id, endpoint.id), endpoint);
        match self.usage.endpoints.iter_mut().find(|known| known.id == endpoint.id) {
            Some(known) => known.clone_from(endpoint),
            None => self.usage.endpoints.push(endpoint.clone()),
        }
    }
}
