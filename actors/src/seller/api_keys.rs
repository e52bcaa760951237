//! API keys: made, replaced, revoked.

use super::Sellers;
use super::room::{Change, SellerRoom};
use crate::domain::ids::{ApiKeyId, SellerId};
use crate::domain::platform::seller::{ApiKey, ApiKeyEntry, ApiKeys, NewApiKey};
use crate::domain::refusal::Refusal;
use crate::kernel::{AskError, Context, Decision, Effects, KeyClaim, Once};
use crate::tables::ids;

/// How long a key that is over stays listed.
const LISTED_SECONDS: i64 = 30 * 24 * 3_600;

impl Sellers {
    /// Makes a key, once for each idempotency key; its secret is in the answer and nowhere else.
    pub async fn create_key(
        &self,
        id: SellerId,
        new: NewApiKey,
        claim: KeyClaim,
    ) -> Result<Once<(ApiKeyEntry, ApiKey)>, AskError> {
        let create = move |room: &SellerRoom, cx: &Context<SellerRoom>| {
            claim.check(cx, room.id)?;
            let (fresh, key) = room.fresh_key(cx)?;
            let entry = room.api_keys(cx)?.create(&new, fresh, &key)?;
            let mut effects = Effects::new();
            effects.change(Change::Key(Box::new(entry.clone())));
            room.forget_keys(&mut effects, cx);
            claim.hold(&mut effects, room.id, entry.id.0);
            Ok(effects.answer((entry, key)))
        };
        self.rooms.once(id, create).await
    }

    /// Makes a key like an old one, which goes on for some hours.
    pub async fn rotate_key(
        &self,
        id: SellerId,
        key: ApiKeyId,
        overlap_hours: u32,
    ) -> Result<(ApiKeyEntry, ApiKey), AskError> {
        let rotate = move |room: &SellerRoom, cx: &Context<SellerRoom>| {
            let old = room.api_keys(cx)?.find(key)?.clone();
            room.rotate(cx, &old, overlap_hours)
        };
        self.rooms.command(id, rotate).await
    }

    /// Makes a key in the place of the account's first one, which is refused from now on. Where
    /// that one was revoked, this is the first.
    pub async fn regenerate_first_key(
        &self,
        id: SellerId,
    ) -> Result<(ApiKeyEntry, ApiKey), AskError> {
        let regenerate = move |room: &SellerRoom, cx: &Context<SellerRoom>| {
            let keys = room.api_keys(cx)?;
            if let Some(first) = keys.first().filter(|first| !first.is_over(cx.now())) {
                return room.rotate(cx, first, 0);
            }
            let (fresh, key) = room.fresh_key(cx)?;
            let entry = ApiKeyEntry::first(fresh, &key, room.account()?, cx.now());
            let mut effects = Effects::new();
            effects.change(Change::Key(Box::new(entry.clone())));
            Ok(effects.answer((entry, key)))
        };
        self.rooms.command(id, regenerate).await
    }

    /// A key that is refused from now on, and listed no more.
    pub async fn revoke_key(&self, id: SellerId, key: ApiKeyId) -> Result<ApiKeyEntry, AskError> {
        let revoke = move |room: &SellerRoom, cx: &Context<SellerRoom>| {
            let entry = room.api_keys(cx)?.find(key)?.clone();
            let mut effects = room.forgetting(cx, &entry);
            effects.change(Change::KeyGone(key));
            Ok(effects.answer(entry))
        };
        self.rooms.command(id, revoke).await
    }
}

impl SellerRoom {
    fn api_keys(&self, cx: &Context<Self>) -> Result<ApiKeys<'_>, Refusal> {
        Ok(ApiKeys { seller: self.account()?, keys: &self.keys, now: cx.now() })
    }

    fn fresh_key(&self, cx: &Context<Self>) -> Result<(ApiKeyId, ApiKey), Refusal> {
        let key = ApiKey::from_random(self.account()?.mode, self.id, &cx.entropy().bytes());
        Ok((ApiKeyId(cx.id(ids::API_KEY)), key))
    }

    fn rotate(
        &self,
        cx: &Context<Self>,
        old: &ApiKeyEntry,
        overlap_hours: u32,
    ) -> Result<Decision<Self, (ApiKeyEntry, ApiKey)>, Refusal> {
        let (fresh, key) = self.fresh_key(cx)?;
        let (entry, old) = self.api_keys(cx)?.rotate(old, overlap_hours, fresh, &key)?;
        let mut effects = self.forgetting(cx, &old);
        effects.change(Change::Key(Box::new(entry.clone())));
        match overlap_hours {
            0 => effects.change(Change::KeyGone(old.id)),
            _ => effects.change(Change::Key(Box::new(old))),
        }
        Ok(effects.answer((entry, key)))
    }

    /// Effects on a key that the directory knows: it forgets the key once they are durable.
    fn forgetting(&self, cx: &Context<Self>, key: &ApiKeyEntry) -> Effects<Self> {
        let (directory, hash) = (cx.services().directory.clone(), key.hash);
        let mut effects = Effects::new();
        effects.once_durable(move || directory.forget_key(hash));
        effects
    }

    /// Takes away keys that were over long ago.
    fn forget_keys(&self, effects: &mut Effects<Self>, cx: &Context<Self>) {
        let long_ago = cx.now().plus_seconds(-LISTED_SECONDS);
        for key in self.keys.iter().filter(|key| key.is_over(long_ago)) {
            effects.change(Change::KeyGone(key.id));
        }
    }
}
