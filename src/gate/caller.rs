//! Who sent a request, as its handler asks for it.

use std::sync::Arc;

use actors::directory::SellerSnapshot;
use actors::domain::ids::{ApiKeyId, SellerId};
use actors::domain::platform::person::Person;
use actors::domain::platform::seller::KeyHash;

use super::Request;

#[derive(Default)]
pub struct Caller {
    pub(crate) seller: Option<Arc<SellerSnapshot>>,
    /// With which key it calls, on a route that demands one.
    pub(crate) api_key: Option<ApiKeyId>,
    /// Who signed in, on a route of the dashboard.
    pub(crate) person: Option<Person>,
    /// The hash of their session's token.
    pub(crate) session: Option<KeyHash>,
    pub(crate) key: Option<String>,
}

impl Request {
    /// The seller who calls.
    ///
    /// # Panics
    /// On a route that anybody may call; its handler has no seller to ask for.
    pub fn seller(&self) -> &Arc<SellerSnapshot> {
        self.context.seller.as_ref().expect("a route that demands a key has a seller")
    }

    /// # Panics
    /// As [`Request::seller`].
    pub fn seller_id(&self) -> SellerId {
        self.seller().seller.id
    }

    /// The person who calls.
    ///
    /// # Panics
    /// On a route that demands no session.
    pub fn person(&self) -> &Person {
        self.context.person.as_ref().expect("a route that demands a session has a person")
    }

    /// The session by which the person calls.
    ///
    /// # Panics
    /// As [`Request::person`].
    pub fn session(&self) -> KeyHash {
        self.context.session.expect("a route that demands a session has one")
    }

    /// The `Idempotency-Key`, of the form its route demands; a UUID is in lower case.
    ///
    /// # Panics
    /// On a route that demands none.
    pub fn idempotency_key(&self) -> &str {
        self.context.key.as_deref().expect("a route that demands a key has one")
    }
}
