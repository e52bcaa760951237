//! Subscriptions by payment link: the terms that they count are paid, each by one payment, and each
//! charge of a card is one payment's.

use storage::{ReadError, Scan};

use super::reading::Reading;
use super::run::{Found, Run};
use crate::domain::ids::{LinkSubscriptionId, PaymentId, SellerId};
use crate::domain::messages::Addressee;
use crate::domain::payments::link_subscription::{
    LinkSubscription, LinkSubscriptionStatus, VERIFICATION,
};
use crate::domain::payments::payment::Payment;
use crate::tables::{
    LINK_SUBSCRIPTION_CHARGES, LINK_SUBSCRIPTIONS, OUTBOX, PAYMENTS, SUBSCRIPTION_DECLINES,
    SUBSCRIPTION_ORDERS, SUBSCRIPTION_PAYMENTS, TERM_PAYMENTS,
};

pub(super) fn check(run: &mut Run<'_>, seller: SellerId) -> Result<(), ReadError> {
    let all = || Scan::prefix(&(seller,));
    run.each(LINK_SUBSCRIPTIONS, all(), subscription)?;
    run.each(PAYMENTS, all(), payment)?;
    run.no_others(LINK_SUBSCRIPTION_CHARGES, all(), |reading, (seller, of, term), charge| {
        let known = reading.get(PAYMENTS, &(*seller, charge.payment))?;
        Ok(known.is_some_and(|known| {
            let paid = (known.pays_for.subscription(), &known.reference, known.amount);
            paid == (Some((*of, *term)), &charge.reference, charge.amount)
        }))
    })?;
    run.no_others(SUBSCRIPTION_PAYMENTS, all(), |reading, (seller, of, id), ()| {
        let known = reading.get(PAYMENTS, &(*seller, *id))?;
        Ok(known.is_some_and(|known| subscription_of(&known) == Some(*of)))
    })?;
    run.no_others(SUBSCRIPTION_ORDERS, all(), |reading, (seller, of, attempt), id| {
        let known = reading.get(PAYMENTS, &(*seller, *id))?;
        Ok(known.is_some_and(|known| {
            let charge = known.saved_charge.map(|charge| charge.attempt);
            (subscription_of(&known), charge) == (Some(*of), Some(*attempt))
        }))
    })?;
    run.no_others(TERM_PAYMENTS, all(), |reading, (seller, of, term), id| {
        let known = reading.get(PAYMENTS, &(*seller, *id))?;
        Ok(known.is_some_and(|known| {
            known.pays_for.subscription() == Some((*of, *term)) && !known.status.is_lost()
        }))
    })?;
    run.no_others(SUBSCRIPTION_DECLINES, all(), |reading, (seller, of, _, id), ()| {
        let known = reading.get(PAYMENTS, &(*seller, *id))?;
        Ok(known.is_some_and(|known| known.declined_at_subscription() == Some(*of)))
    })
}

fn subscription(
    reading: &Reading,
    key: &(SellerId, LinkSubscriptionId),
    of: &LinkSubscription,
    found: &mut Found<'_>,
) -> Result<(), ReadError> {
    found.same("link subscription under its own key", *key, (of.seller, of.id));
    let mut charges = 0;
    for row in reading.scan(LINK_SUBSCRIPTION_CHARGES, Scan::prefix(key)) {
        let ((_, _, term), _) = row?;
        charges += 1;
        found.holds("charge of a term that is paid", (1..=of.terms_paid).contains(&term), &term);
    }
    found.same("paid terms of a link subscription", of.terms_paid, charges + of.terms_lost);
    if let Some(installments) = of.installments {
        let done = of.status == LinkSubscriptionStatus::Completed;
        let in_order = of.terms_paid <= installments && done == (of.terms_paid == installments);
        let cancelled = of.status == LinkSubscriptionStatus::Cancelled;
        found.holds("instalments of a link subscription", in_order || cancelled, &of.terms_paid);
    }
    if let (Some(day), Some(schedule)) = (of.next_on, of.schedule)
        && of.status == LinkSubscriptionStatus::Active
    {
        let on_time = schedule.boundary_from(day) == day;
        found.holds("next charge on the first day of a term", on_time, &day);
    }
    // One whose last instalment failed at settlement is past due, and its card was forgotten.
    let charges =
        matches!(of.status, LinkSubscriptionStatus::Trialing | LinkSubscriptionStatus::Active);
    found.holds("card of a link subscription", !charges || of.card.is_some(), &of.status);
    let charge = of.collection.as_ref().and_then(|open| open.payment);
    if let Some(payment) = charge {
        let known = reading.get(PAYMENTS, &(key.0, payment))?;
        let of_it = known.is_some_and(|known| subscription_of(&known) == Some(key.1));
        found.holds("charge under way of a link subscription", of_it, &payment);
    }
    Ok(())
}

/// A payment of a subscription is found by it; what it brought is counted there, went back, or is
/// on its way to be.
fn payment(
    reading: &Reading,
    key: &(SellerId, PaymentId),
    payment: &Payment,
    found: &mut Found<'_>,
) -> Result<(), ReadError> {
    let Some((of, term)) = payment.pays_for.subscription() else { return Ok(()) };
    let (seller, id) = *key;
    found.names(reading, LINK_SUBSCRIPTIONS, &(seller, of))?;
    found.wants(reading, SUBSCRIPTION_PAYMENTS, &(seller, of, id), &())?;
    if let Some(charge) = payment.saved_charge {
        found.wants(reading, SUBSCRIPTION_ORDERS, &(seller, of, charge.attempt), &id)?;
    }
    if !payment.status.is_lost() {
        found.wants(reading, TERM_PAYMENTS, &(seller, of, term), &id)?;
    }
    if let Some(of) = payment.declined_at_subscription() {
        found.wants(reading, SUBSCRIPTION_DECLINES, &(seller, of, payment.updated_at, id), &())?;
    }
    found.same("amount of a card's verification", term == VERIFICATION, payment.is_verification());
    if term == VERIFICATION {
        return Ok(());
    }
    let paid = payment.captured() > 0 && !payment.status.is_lost();
    let charge = reading.get(LINK_SUBSCRIPTION_CHARGES, &(seller, of, term))?;
    let counted = charge.is_some_and(|charge| charge.payment == id);
    if paid == counted || on_its_way(reading, seller, of, id)? {
        return Ok(());
    }
    let went_back = payment.refundable() == 0;
    found.holds("payment of a term that is counted or goes back", paid && went_back, &counted);
    Ok(())
}

fn subscription_of(payment: &Payment) -> Option<LinkSubscriptionId> {
    payment.pays_for.subscription().map(|(of, _)| of)
}

/// Whether a message is on its way to the subscription, or one that sends the payment back.
fn on_its_way(
    reading: &Reading,
    seller: SellerId,
    of: LinkSubscriptionId,
    payment: PaymentId,
) -> Result<bool, ReadError> {
    let lines = [Addressee::Subscription(seller, of), Addressee::Payment(seller, payment)];
    for line in lines {
        if reading.scan(OUTBOX, Scan::prefix(&line.key())).next().is_some() {
            return Ok(true);
        }
    }
    Ok(false)
}
