//! Promo codes: made, reserved by payments that begin, redeemed by those that succeed.

use storage::Scan;

use super::Sellers;
use super::room::SellerRoom;
use crate::domain::ids::{PaymentId, PromoCodeId, SellerId};
use crate::domain::messages::LinkNotice;
use crate::domain::money::Money;
use crate::domain::payments::payment_link::PaymentLink;
use crate::domain::payments::promo_code::{
    NewPromoCode, PromoCode, PromoRefusal, PromoUse, folded,
};
use crate::domain::refusal::Refusal;
use crate::kernel::{AskError, Context, Decision, Effects, KeyClaim, Once};
use crate::tables::{PAYMENT_LINKS, PAYMENTS, PROMO_CODES, PROMO_NAMES, PROMO_USES, ids};

/// The parts of [`PROMO_USES`]: of payments that are under way, and of those that have paid.
pub(crate) const RESERVED: u8 = 0;
pub(crate) const REDEEMED: u8 = 1;

/// How many reservations are looked through when a code seems to be used up.
const LOOKED_THROUGH: usize = 100;

/// How many are with any other reservation: those that nobody gave back come to be the oldest.
const LOOKED_AT: usize = 4;

/// A payment begins within so many seconds of its reservation, or never.
const BEGINS_WITHIN_SECONDS: i64 = 600;

impl Sellers {
    /// Makes a promo code, once for each key. Refused when the code is used already, whatever its
    /// capitals, or names a link that the seller does not have.
    pub async fn create_promo_code(
        &self,
        id: SellerId,
        new: NewPromoCode,
        claim: KeyClaim,
    ) -> Result<Once<PromoCode>, AskError> {
        let create = move |room: &SellerRoom, cx: &Context<SellerRoom>| {
            claim.check(cx, room.id)?;
            room.account()?;
            let of = (room.id, PromoCodeId(cx.id(ids::PROMO_CODE)));
            let code = PromoCode::create(new.clone(), of, cx.now())?;
            let name = (room.id, folded(&code.code));
            if cx.contains(PROMO_NAMES, &name)? {
                return Err(PromoRefusal::CodeUsed.into());
            }
            for link in &code.links {
                if !cx.contains(PAYMENT_LINKS, &(room.id, *link))? {
                    return Err(PromoRefusal::UnknownLink.into());
                }
            }
            let mut effects = Effects::new();
            effects.put(PROMO_NAMES, &name, &code.id);
            effects.put(PROMO_CODES, &of, &code);
            claim.hold(&mut effects, room.id, code.id.0);
            Ok(effects.answer(code))
        };
        self.rooms.once(id, create).await
    }

    /// Gives a reservation back whose payment was refused before it began.
    pub(super) async fn give_promo_back(
        &self,
        id: SellerId,
        code: PromoCodeId,
        payment: PaymentId,
    ) -> Result<(), AskError> {
        let give = move |room: &SellerRoom, cx: &Context<SellerRoom>| {
            // One that began after all tells by itself what becomes of it.
            if cx.contains(PAYMENTS, &(room.id, payment))? {
                return Ok(Decision::unchanged(()));
            }
            let mut effects = Effects::new();
            room.release(cx, (code, payment), &mut effects)?;
            Ok(effects.answer(()))
        };
        self.rooms.command(id, give).await
    }
}

impl SellerRoom {
    pub(super) fn promo_code(
        &self,
        cx: &Context<Self>,
        id: PromoCodeId,
    ) -> Result<PromoCode, Refusal> {
        cx.get(PROMO_CODES, &(self.id, id))?.ok_or_else(Refusal::missing)
    }

    /// Reserves one redemption for a payment at a link, and answers what is left to pay.
    pub(super) fn reserve_promo(
        &self,
        cx: &Context<Self>,
        id: PromoCodeId,
        (link, payment): (&PaymentLink, PaymentId),
        effects: &mut Effects<Self>,
    ) -> Result<Money, Refusal> {
        let known = self.promo_code(cx, id)?;
        let discount = known.discount(link.id, link.amount, cx.now())?;
        let mended = self.mended(cx, &known, effects)?;
        effects.put(PROMO_CODES, &(self.id, id), &mended.reserve()?);
        let reserved_at = cx.now();
        let one = PromoUse { link: link.id, discount, reserved_at, redeemed_at: None };
        effects.put(PROMO_USES, &(self.id, id, RESERVED, payment), &one);
        Ok(Money { minor: link.amount.minor - discount.minor, ..link.amount })
    }

    /// A code without those of its oldest reservations whose payments never began (the process
    /// ended in between), or are lost, which their message is about to tell.
    fn mended(
        &self,
        cx: &Context<Self>,
        code: &PromoCode,
        effects: &mut Effects<Self>,
    ) -> Result<PromoCode, Refusal> {
        if code.reserved == 0 {
            return Ok(code.clone());
        }
        let most = if code.is_used_up() { LOOKED_THROUGH } else { LOOKED_AT };
        let mut gone = 0;
        let reserved = cx.store().scan(PROMO_USES, Scan::prefix(&(self.id, code.id, RESERVED)));
        for row in reserved.take(most) {
            let (key, one) = cx.read(row)?;
            // What this room has under way may have ended it.
            if !cx.contains(PROMO_USES, &key)? {
                continue;
            }
            let began = cx.get(PAYMENTS, &(self.id, key.3))?;
            let is_lost = match began {
                Some(payment) => payment.status.is_lost(),
                None => one.reserved_at.plus_seconds(BEGINS_WITHIN_SECONDS) < cx.now(),
            };
            if is_lost {
                effects.delete(PROMO_USES, &key);
                gone += 1;
            }
        }
        Ok(code.release(gone))
    }

    /// Gives back what a payment had reserved that has come to nothing, or is sent back.
    pub(super) fn release_promo(
        &self,
        cx: &Context<Self>,
        notice: &LinkNotice,
        effects: &mut Effects<Self>,
    ) -> Result<(), Refusal> {
        match notice.promo {
            Some(code) => self.release(cx, (code, notice.payment), effects),
            None => Ok(()),
        }
    }

    fn release(
        &self,
        cx: &Context<Self>,
        (code, payment): (PromoCodeId, PaymentId),
        effects: &mut Effects<Self>,
    ) -> Result<(), Refusal> {
        let row = (self.id, code, RESERVED, payment);
        if cx.contains(PROMO_USES, &row)? {
            effects.delete(PROMO_USES, &row);
            let known = self.promo_code(cx, code)?;
            effects.put(PROMO_CODES, &(self.id, code), &known.release(1));
        }
        Ok(())
    }

    /// Redeems what a payment had reserved that was counted, and tells of it.
    pub(super) fn redeem_promo(
        &self,
        cx: &Context<Self>,
        notice: &LinkNotice,
        effects: &mut Effects<Self>,
    ) -> Result<(), Refusal> {
        let Some(code) = notice.promo else { return Ok(()) };
        let row = (self.id, code, RESERVED, notice.payment);
        let Some(one) = cx.get(PROMO_USES, &row)? else { return Ok(()) };
        let one = PromoUse { redeemed_at: Some(cx.now()), ..one };
        effects.delete(PROMO_USES, &row);
        effects.put(PROMO_USES, &(self.id, code, REDEEMED, notice.payment), &one);
        let code = self.promo_code(cx, code)?.redeem();
        effects.put(PROMO_CODES, &(self.id, code.id), &code);
        let event = code.redeemed_event(&one, (&notice.reference, notice.amount), cx.now());
        effects.emit(&cx.seller()?, vec![event]);
        Ok(())
    }

    /// Takes a redemption back whose payment failed at settlement.
    pub(super) fn take_promo_back(
        &self,
        cx: &Context<Self>,
        notice: &LinkNotice,
        effects: &mut Effects<Self>,
    ) -> Result<(), Refusal> {
        let Some(code) = notice.promo else { return Ok(()) };
        let row = (self.id, code, REDEEMED, notice.payment);
        if cx.contains(PROMO_USES, &row)? {
            effects.delete(PROMO_USES, &row);
            let known = self.promo_code(cx, code)?;
            effects.put(PROMO_CODES, &(self.id, code), &known.take_back());
        }
        Ok(())
    }
}
