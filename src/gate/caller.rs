//! Who sent a request, as its handler asks for it.

use std::sync::Arc;

use actors::directory::SellerSnapshot;
use actors::domain::ids::SellerId;

use super::Request;

#[derive(Default)]
pub struct Caller {
    pub(super) seller: Option<Arc<SellerSnapshot>>,
    pub(super) key: Option<String>,
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

    /// The `Idempotency-Key`, of the form its route demands; a UUID is in lower case.
    ///
    /// # Panics
    /// On a route that demands none.
    pub fn idempotency_key(&self) -> &str {
        self.context.key.as_deref().expect("a route that demands a key has one")
    }
}
