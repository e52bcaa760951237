//! Subscriptions are made, and cancelled.

use super::room::Change;
use super::{LinkSubscriptionRoom, LinkSubscriptions};
use crate::domain::billing::invoice::SellerParty;
use crate::domain::billing::mail::Mail;
use crate::domain::ids::{LinkSubscriptionId, MailId, SellerId};
use crate::domain::payments::link_subscription::{
    CancelledBy, LinkSubscription, LinkSubscriptionHome, LinkSubscriptionRefusal,
    NewLinkSubscription,
};
use crate::domain::platform::switches::Switch;
use crate::kernel::{AskError, Context, Decision, Effects, KeyClaim, Once};
use crate::link_tokens::{LinkHash, LinkTokens};
use crate::tables::{LINK_SUBSCRIPTION_PAGES, ids};

impl LinkSubscriptions {
    /// Makes a subscription, once for each key.
    pub async fn create(
        &self,
        seller: SellerId,
        new: NewLinkSubscription,
        claim: KeyClaim,
    ) -> Result<Once<LinkSubscription>, AskError> {
        let store = &self.rooms.services().store;
        let id = store.next_id_in(ids::LINK_SUBSCRIPTION, seller.shard());
        let id = LinkSubscriptionId(id);
        let create = move |room: &LinkSubscriptionRoom, cx: &Context<LinkSubscriptionRoom>| {
            claim.check(cx, room.seller)?;
            if !cx.seller()?.switch(Switch::LinkRecurringBilling) {
                return Err(LinkSubscriptionRefusal::SwitchedOff.into());
            }
            let of = (room.seller, room.id, MailId(cx.id(ids::MAIL)));
            let drawn = LinkTokens::draw(cx.entropy());
            let change = LinkSubscription::create(new.clone(), of, drawn, cx.now())?;
            let mut effects = Effects::new();
            let token = cx.services().links.of_link_subscription(&change.subscription);
            let home = LinkSubscriptionHome { seller: room.seller, subscription: room.id };
            effects.put(LINK_SUBSCRIPTION_PAGES, &LinkHash::of(&token), &home);
            let posts = cx.services().mail.posts;
            let party = SellerParty::from(&cx.seller()?.seller);
            let mail = Mail::of_subscription((&change.subscription, &party), posts, cx.now());
            let made = room.keep(cx, change, &mut effects)?;
            if let Some(mail) = mail {
                effects.change(Change::Mail(Box::new(mail)));
            }
            claim.hold(&mut effects, room.seller, made.id.0);
            Ok(effects.answer(made))
        };
        self.rooms.once((seller, id), create).await
    }

    /// Cancels a subscription; once is enough. Money that is on its way to it goes back.
    pub async fn cancel(
        &self,
        seller: SellerId,
        id: LinkSubscriptionId,
        by: CancelledBy,
    ) -> Result<LinkSubscription, AskError> {
        let cancel = move |room: &LinkSubscriptionRoom, cx: &Context<LinkSubscriptionRoom>| {
            let known = room.subscription()?;
            let Some(change) = known.cancel(by, cx.now())? else {
                return Ok(Decision::unchanged(known.clone()));
            };
            let mut effects = Effects::new();
            let cancelled = room.keep(cx, change, &mut effects)?;
            Ok(effects.answer(cancelled))
        };
        self.rooms.command((seller, id), cancel).await
    }
}
