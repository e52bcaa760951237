//! Payment links and promo codes: what they count is what they took, and each use is a payment's.

use storage::{ReadError, Scan};

use super::reading::Reading;
use super::run::{Found, Run};
use crate::domain::ids::{PaymentId, PaymentLinkId, PromoCodeId, SellerId};
use crate::domain::messages::{Addressee, Message, SellerMessage};
use crate::domain::payments::payment::{Payment, PaysFor};
use crate::domain::payments::payment_link::{PaymentLink, PaymentLinkStatus};
use crate::domain::payments::promo_code::{PromoCode, folded};
use crate::seller::{REDEEMED, RESERVED};
use crate::tables::{
    LINK_DECLINES, OPEN_LINK_PAYMENTS, OUTBOX, PAYMENT_LINK_USES, PAYMENT_LINKS, PAYMENTS,
    PROMO_CODES, PROMO_NAMES, PROMO_USES,
};

pub(super) fn check(run: &mut Run<'_>, seller: SellerId) -> Result<(), ReadError> {
    let all = || Scan::prefix(&(seller,));
    run.each(PAYMENT_LINKS, all(), link)?;
    run.each(PROMO_CODES, all(), code)?;
    run.each(PAYMENTS, all(), payment)?;
    run.no_others(PAYMENT_LINK_USES, all(), |reading, (seller, link, id), used| {
        let known = reading.get(PAYMENTS, &(*seller, *id))?;
        Ok(known.is_some_and(|known| {
            let of = (known.pays_for.link(), promo_of(&known), known.amount);
            of == (Some(*link), used.promo, used.amount)
        }))
    })?;
    run.no_others(OPEN_LINK_PAYMENTS, all(), |reading, (seller, link), id| {
        let known = reading.get(PAYMENTS, &(*seller, *id))?;
        Ok(known.is_some_and(|known| open_for(&known) == Some(*link)))
    })?;
    run.no_others(LINK_DECLINES, all(), |reading, (seller, link, _, id), ()| {
        let known = reading.get(PAYMENTS, &(*seller, *id))?;
        Ok(known.is_some_and(|known| known.declined_at() == Some(*link)))
    })?;
    run.no_others(PROMO_NAMES, all(), |reading, (seller, name), id| {
        let known = reading.get(PROMO_CODES, &(*seller, *id))?;
        Ok(known.is_some_and(|known| folded(&known.code) == *name))
    })?;
    run.no_others(PROMO_USES, all(), |reading, (seller, code, state, id), one| {
        let known = reading.get(PAYMENTS, &(*seller, *id))?;
        // A reservation may be of a payment that never began: its process ended before.
        let Some(known) = known else { return Ok(*state == RESERVED) };
        let paid = one.redeemed_at.is_some();
        let of = (known.pays_for.link(), promo_of(&known), paid);
        Ok(of == (Some(one.link), Some(*code), *state == REDEEMED))
    })
}

fn link(
    reading: &Reading,
    key: &(SellerId, PaymentLinkId),
    link: &PaymentLink,
    found: &mut Found<'_>,
) -> Result<(), ReadError> {
    found.same("payment link under its own key", *key, (link.seller, link.id));
    let uses = count(reading.scan(PAYMENT_LINK_USES, Scan::prefix(key)))?;
    found.same("uses of a payment link", link.usage_count, uses);
    if link.single_use {
        let paid = u64::from(link.status == PaymentLinkStatus::Paid);
        found.same("uses of a link for one", paid, link.usage_count);
    }
    Ok(())
}

fn code(
    reading: &Reading,
    key: &(SellerId, PromoCodeId),
    code: &PromoCode,
    found: &mut Found<'_>,
) -> Result<(), ReadError> {
    let (seller, id) = *key;
    found.same("promo code under its own key", *key, (code.seller, code.id));
    found.wants(reading, PROMO_NAMES, &(seller, folded(&code.code)), &id)?;
    for (what, state, counted) in [
        ("reserved redemptions of a promo code", RESERVED, code.reserved),
        ("redemptions of a promo code", REDEEMED, code.redeemed),
    ] {
        let there = count(reading.scan(PROMO_USES, Scan::prefix(&(seller, id, state))))?;
        found.same(what, counted, there);
    }
    let within = code.most.is_none_or(|most| code.redeemed + code.reserved <= most);
    found.holds("redemptions within the maximum", within, &(code.redeemed, code.reserved));
    Ok(())
}

/// A payment of a link is found by it; what it brought is counted there, went back, or is on its
/// way to be.
fn payment(
    reading: &Reading,
    key: &(SellerId, PaymentId),
    payment: &Payment,
    found: &mut Found<'_>,
) -> Result<(), ReadError> {
    let Some(link) = payment.pays_for.link() else { return Ok(()) };
    let (seller, id) = *key;
    found.names(reading, PAYMENT_LINKS, &(seller, link))?;
    if let Some(link) = open_for(payment) {
        found.wants(reading, OPEN_LINK_PAYMENTS, &(seller, link), &id)?;
    }
    if let Some(link) = payment.declined_at() {
        found.wants(reading, LINK_DECLINES, &(seller, link, payment.updated_at, id), &())?;
    }
    let paid = payment.captured() > 0 && !payment.status.is_lost();
    let counted = reading.contains(PAYMENT_LINK_USES, &(seller, link, id))?;
    if paid == counted || on_its_way(reading, seller, id)? {
        return Ok(());
    }
    let went_back = payment.refundable() == 0;
    found.holds("payment of a link that is counted or goes back", paid && went_back, &counted);
    Ok(())
}

/// The link for one of which it is the one payment that pays it, or may yet.
fn open_for(payment: &Payment) -> Option<PaymentLinkId> {
    payment.pays_for.link_alone().filter(|_| !payment.status.is_lost())
}

fn promo_of(payment: &Payment) -> Option<PromoCodeId> {
    match payment.pays_for {
        PaysFor::Link { promo, .. } => promo,
        PaysFor::Invoice { .. } | PaysFor::Order | PaysFor::Subscription { .. } => None,
    }
}

/// Whether a message tells of the payment that is not taken yet.
fn on_its_way(reading: &Reading, seller: SellerId, payment: PaymentId) -> Result<bool, ReadError> {
    for row in reading.scan(OUTBOX, Scan::prefix(&Addressee::Seller(seller).key())) {
        let Message::Seller(
            SellerMessage::LinkPaid(notice)
            | SellerMessage::LinkPaymentLost(notice)
            | SellerMessage::LinkPaymentReversed(notice),
        ) = row?.1
        else {
            continue;
        };
        if notice.payment == payment {
            return Ok(true);
        }
    }
    let back = Addressee::Payment(seller, payment).key();
    Ok(reading.scan(OUTBOX, Scan::prefix(&back)).next().is_some())
}

fn count<T>(rows: impl Iterator<Item = Result<T, ReadError>>) -> Result<u64, ReadError> {
    rows.map(|row| row.map(|_| 1)).sum()
}
