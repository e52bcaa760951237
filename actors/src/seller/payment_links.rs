//! Payment links that the seller makes. They are read when they are asked for.

mod paying;

use super::Sellers;
use super::room::SellerRoom;
use crate::domain::ids::{PaymentLinkId, SellerId};
use crate::domain::payments::payment_link::{
    NewPaymentLink, PaymentLink, PaymentLinkChange, PaymentLinkHome, PaymentLinkPatch,
};
use crate::domain::refusal::Refusal;
use crate::domain::time::Timestamp;
use crate::kernel::{AskError, Context, Decision, Effects, KeyClaim, Once};
use crate::link_tokens::{LinkHash, LinkTokens};
use crate::listing::relist;
use crate::tables::{PAYMENT_LINK_PAGES, PAYMENT_LINKS, TIMERS, ids};
use crate::timers::{Due, TimerKind};

impl Sellers {
    /// Makes a payment link, once for each key.
    pub async fn create_payment_link(
        &self,
        id: SellerId,
        new: NewPaymentLink,
        claim: KeyClaim,
    ) -> Result<Once<PaymentLink>, AskError> {
        let create = move |room: &SellerRoom, cx: &Context<SellerRoom>| {
            claim.check(cx, room.id)?;
            room.account()?;
            let of = (room.id, PaymentLinkId(cx.id(ids::LINK)));
            let change =
                PaymentLink::create(new.clone(), of, LinkTokens::draw(cx.entropy()), cx.now())?;
            let mut effects = Effects::new();
            let home = PaymentLinkHome { seller: room.id, link: of.1 };
            let token = cx.services().links.of_payment_link(&change.link);
            effects.put(PAYMENT_LINK_PAGES, &LinkHash::of(&token), &home);
            let link = room.put_link(cx, None, change, &mut effects)?;
            claim.hold(&mut effects, room.id, link.id.0);
            Ok(effects.answer(link))
        };
        self.rooms.once(id, create).await
    }

    /// Refused once the link has come to an end.
    pub async fn update_payment_link(
        &self,
        id: SellerId,
        link: PaymentLinkId,
        patch: PaymentLinkPatch,
    ) -> Result<PaymentLink, AskError> {
        let update = move |room: &SellerRoom, cx: &Context<SellerRoom>| {
            let known = room.link(cx, link)?;
            let Some(change) = known.update(patch.clone(), cx.now())? else {
                return Ok(Decision::unchanged(known));
            };
            let mut effects = Effects::new();
            let link = room.put_link(cx, Some(&known), change, &mut effects)?;
            Ok(effects.answer(link))
        };
        self.rooms.command(id, update).await
    }

    /// Cancels a link; once is enough. Money that is on its way to it goes back.
    pub async fn cancel_payment_link(
        &self,
        id: SellerId,
        link: PaymentLinkId,
    ) -> Result<PaymentLink, AskError> {
        let cancel = move |room: &SellerRoom, cx: &Context<SellerRoom>| {
            let known = room.link(cx, link)?;
            let Some(change) = known.cancel(cx.now())? else {
                return Ok(Decision::unchanged(known));
            };
            let mut effects = Effects::new();
            let link = room.put_link(cx, Some(&known), change, &mut effects)?;
            Ok(effects.answer(link))
        };
        self.rooms.command(id, cancel).await
    }

    /// Ends a link whose timer is due. The row of a timer that it does not want is deleted.
    pub(crate) async fn expire_payment_link(&self, timer: Due) -> Result<bool, AskError> {
        let expire = move |room: &SellerRoom, cx: &Context<SellerRoom>| {
            let known = cx.get(PAYMENT_LINKS, &(room.id, PaymentLinkId(timer.object)))?;
            let over = known.as_ref().and_then(|link| link.expire(cx.now()));
            let mut effects = Effects::new();
            match (&known, over) {
                (Some(known), Some(change)) => {
                    room.put_link(cx, Some(known), change, &mut effects)?;
                }
                _ if known.as_ref().and_then(PaymentLink::ends_at) == Some(timer.at) => {
                    return Ok(Decision::unchanged(false));
                }
                _ => {
                    let row = (TimerKind::LinkExpiry as u8, room.id, timer.at, timer.object);
                    effects.delete(TIMERS, &row);
                }
            }
            Ok(effects.answer(true))
        };
        self.rooms.command_in_passing(timer.seller, expire).await
    }
}

impl SellerRoom {
    pub(super) fn link(
        &self,
        cx: &Context<Self>,
        id: PaymentLinkId,
    ) -> Result<PaymentLink, Refusal> {
        cx.get(PAYMENT_LINKS, &(self.id, id))?.ok_or_else(Refusal::missing)
    }

    /// Puts a link with its place in the lists, its timer and its mail, and tells of it.
    fn put_link(
        &self,
        cx: &Context<Self>,
        before: Option<&PaymentLink>,
        change: PaymentLinkChange,
        effects: &mut Effects<Self>,
    ) -> Result<PaymentLink, Refusal> {
        let PaymentLinkChange { link, events, mails } = change;
        effects.put(PAYMENT_LINKS, &(self.id, link.id), &link);
        relist(&mut effects.rows, self.id, before, &link);
        let ended = before.and_then(PaymentLink::ends_at);
        self.set_timer(cx, (TimerKind::LinkExpiry, link.id.0), (ended, link.ends_at()), effects);
        if mails {
            self.mail_link(cx, &link, effects)?;
        }
        effects.emit(&cx.seller()?, events);
        Ok(link)
    }

    /// Moves the timer of what is not kept in memory.
    pub(super) fn set_timer(
        &self,
        cx: &Context<Self>,
        (kind, object): (TimerKind, u64),
        (before, after): (Option<Timestamp>, Option<Timestamp>),
        effects: &mut Effects<Self>,
    ) {
        if before == after {
            return;
        }
        let row = |at: Timestamp| (kind as u8, self.id, at, object);
        if let Some(at) = before {
            effects.delete(TIMERS, &row(at));
        }
        if let Some(at) = after {
            effects.put(TIMERS, &row(at), &());
            let (calendar, seller) = (cx.services().calendar.clone(), self.id);
            effects.once_durable(move || calendar.note(kind, seller, at));
        }
    }
}

#[cfg(test)]
mod tests;
