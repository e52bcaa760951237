//! Idempotency keys of the payments surface: each is used once, in the batch of what it is for.

use super::{SellerRoom, Sellers};
use crate::domain::ids::SellerId;
use crate::domain::platform::post_key::PostKey;
use crate::kernel::{AskError, Context, Effects, Halt, Once, Room};
use crate::tables::POST_KEYS;

/// An idempotency key of the payments surface, to be used up with the write it is for.
#[derive(Clone, Debug)]
pub struct SpendKey {
    /// The endpoint it belongs to.
    pub endpoint: &'static str,
    pub key: String,
    pub request: PostKey,
}

impl SpendKey {
    /// Where the key is kept once it is used.
    pub fn row(&self, seller: SellerId) -> (SellerId, String, String) {
        (seller, self.endpoint.to_owned(), self.key.clone())
    }

    /// Goes on if the key was not used before.
    ///
    /// # Errors
    /// [`Halt::Repeated`] when it was.
    pub fn check<R: Room>(&self, cx: &Context<R>, seller: SellerId) -> Result<(), Halt> {
        cx.once(POST_KEYS, &self.row(seller))
    }

    /// Uses the key for `object`, which its request has made or acted on.
    pub fn spend<R: Room>(&self, effects: &mut Effects<R>, seller: SellerId, object: u64) {
        let request = self.request.clone().made(object);
        effects.claim(POST_KEYS, &self.row(seller), &request);
    }
}

impl Sellers {
    /// Uses a key for something that was done elsewhere and may be done twice.
    pub async fn spend(&self, id: SellerId, key: SpendKey) -> Result<Once<()>, AskError> {
        let use_up = move |room: &SellerRoom, cx: &Context<SellerRoom>| {
            key.check(cx, room.id)?;
            let mut effects = Effects::new();
            key.spend(&mut effects, room.id, key.request.object);
            Ok(effects.answer(()))
        };
        self.rooms.once(id, use_up).await
    }
}
