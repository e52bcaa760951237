//! The networks to which a seller's webhooks are delivered.

use super::Sellers;
use super::room::{Change, SellerRoom};
use crate::domain::ids::{AllowlistId, SellerId};
use crate::domain::platform::webhook::allowlist::{Allowed, AllowlistEntry, NewEntry, allow};
use crate::domain::refusal::Refusal;
use crate::kernel::{AskError, Context, KeyClaim, Once};
use crate::tables::ids;

impl Sellers {
    /// Adds a network to the allowlist, once for each key; true when it is new.
    pub async fn allow(
        &self,
        id: SellerId,
        new: NewEntry,
        claim: KeyClaim,
    ) -> Result<Once<(AllowlistEntry, bool)>, AskError> {
        let added = move |room: &SellerRoom, cx: &Context<SellerRoom>| {
            claim.check(cx, room.id)?;
            let id = || AllowlistId(cx.id(ids::ALLOWLIST_ENTRY));
            let mut effects = room.configuring(cx);
            let answer = match allow(room.id, &room.allowlist, new.clone(), id, cx.now())? {
                Allowed::Created(entry) => {
                    effects.change(Change::Allowed(entry.clone()));
                    (entry, true)
                }
                Allowed::Existing(entry) => (entry, false),
            };
            claim.hold(&mut effects, room.id, answer.0.id.0);
            Ok(effects.answer(answer))
        };
        self.rooms.once(id, added).await
    }

    /// Takes a network from the allowlist.
    pub async fn disallow(&self, id: SellerId, entry: AllowlistId) -> Result<(), AskError> {
        let removed = move |room: &SellerRoom, cx: &Context<SellerRoom>| {
            if !room.allowlist.iter().any(|known| known.id == entry) {
                return Err(Refusal::missing());
            }
            let mut effects = room.configuring(cx);
            effects.change(Change::Disallowed(entry));
            Ok(effects.answer(()))
        };
        self.rooms.command(id, removed).await
    }
}
