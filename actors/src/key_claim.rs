//! The claim on an idempotency key of the payments surface. Each key is used once, in the batch of
//! what its request makes.

use crate::domain::ids::SellerId;
use crate::domain::platform::idempotency_key::IdempotencyRecord;
use crate::kernel::{Context, Effects, Halt, Room};
use crate::tables::POST_KEYS;

#[derive(Clone, Debug)]
pub struct KeyClaim {
    pub endpoint: &'static str,
    pub key: String,
    pub request: IdempotencyRecord,
}

impl KeyClaim {
    /// Goes on if the key is free.
    pub fn check<R: Room>(&self, cx: &Context<R>, seller: SellerId) -> Result<(), Halt> {
        cx.once(POST_KEYS, &self.row(seller))
    }

    /// Uses the key for `object`, which its request makes or acts on.
    pub fn hold<R: Room>(&self, effects: &mut Effects<R>, seller: SellerId, object: u64) {
        effects.claim(POST_KEYS, &self.row(seller), &self.request.made(object));
    }

    fn row(&self, seller: SellerId) -> (SellerId, String, String) {
        (seller, self.endpoint.to_owned(), self.key.clone())
    }
}
