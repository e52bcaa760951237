//! Idempotency keys of requests that change no row of their own.

use super::{SellerRoom, Sellers};
use crate::domain::ids::SellerId;
use crate::kernel::{AskError, Context, Effects, KeyClaim, Once};

impl Sellers {
    /// Uses a key for something that was done elsewhere and may be done twice.
    pub async fn use_key(&self, id: SellerId, claim: KeyClaim) -> Result<Once<()>, AskError> {
        let decide = move |room: &SellerRoom, cx: &Context<SellerRoom>| {
            claim.check(cx, room.id)?;
            let mut effects = Effects::new();
            claim.hold(&mut effects, room.id, claim.request.object);
            Ok(effects.answer(()))
        };
        self.rooms.once(id, decide).await
    }
}
