//! Payments: where they are found, and the money that came in, went back and was shared.

use std::collections::{BTreeMap, BTreeSet};

use storage::{ReadError, Scan};

use super::invoice_payments::counted;
use super::reading::Reading;
use super::run::{Found, Run};
use super::terminals;
use crate::domain::billing::invoice::InvoiceStatus;
use crate::domain::ids::{InvoiceId, PayeeId, PaymentId, SellerId};
use crate::domain::messages::{Addressee, Message, PayeeMessage};
use crate::domain::payments::payment::{Payment, PaymentStatus, RefundStatus};
use crate::domain::payments::share::ShareMove;
use crate::domain::payments::split::{Plan, credited, given_back};
use crate::domain::payments::wallet::OWN;
use crate::payment::keys;
use crate::tables::{
    CARDS_TO_FORGET, CUSTOMERS, DECISIONS, INVOICE_PAYMENTS, INVOICES, NO_PAYMENT, OPEN_PAYMENTS,
    OPEN_SHARES, OUTBOX, PAYMENT_KEY_ROWS, PAYMENT_KEYS, PAYMENT_REFS, PAYMENTS, REFUNDS,
    SAVED_CARDS, SAVED_CHARGES, SHARES, WALLETS,
};

type Key = (SellerId, PaymentId);

pub(super) fn check(run: &mut Run<'_>, seller: SellerId) -> Result<(), ReadError> {
    let all = || Scan::prefix(&(seller,));
    run.each(PAYMENTS, all(), payment)?;
    terminals::no_others(run, seller)?;
    run.no_others(PAYMENT_REFS, all(), |reading, (seller, reference), id| {
        let known = reading.get(PAYMENTS, &(*seller, *id))?;
        Ok(known.is_some_and(|known| known.reference == *reference))
    })?;
    run.no_others(OPEN_PAYMENTS, all(), |reading, (seller, invoice), id| {
        if *id == NO_PAYMENT {
            let known = reading.get(INVOICES, &(*seller, *invoice))?;
            return Ok(known.is_some_and(|known| known.status == InvoiceStatus::Voided));
        }
        let known = reading.get(PAYMENTS, &(*seller, *id))?;
        Ok(known.is_some_and(|known| open_for(&known) == Some(*invoice)))
    })?;
    run.no_others(INVOICE_PAYMENTS, all(), |reading, (seller, invoice, id), ()| {
        let known = reading.get(PAYMENTS, &(*seller, *id))?;
        Ok(known.and_then(|known| known.pays_for.invoice()).is_some_and(|(_, of)| of == *invoice))
    })?;
    run.no_others(OPEN_SHARES, all(), |reading, (seller, payee, id), ()| {
        let known = reading.get(PAYMENTS, &(*seller, *id))?;
        Ok(known.is_some_and(|known| named(&known).contains(payee)))
    })?;
    run.no_others(REFUNDS, all(), |reading, (seller, payment, _), _| {
        reading.contains(PAYMENTS, &(*seller, *payment))
    })?;
    run.each(SAVED_CARDS, all(), |reading, (seller, customer, id), card, found| {
        found.same(
            "saved card under its own key",
            (Some(*customer), *id),
            (card.customer, card.id),
        );
        let known = reading.contains(CUSTOMERS, &(*seller, *customer))?;
        found.holds("customer of a saved card", known, customer);
        Ok(())
    })?;
    run.each(CARDS_TO_FORGET, all(), |reading, (seller, id), card, found| {
        found.same("card to forget under its own key", *id, card.id);
        let saved = match card.customer {
            Some(customer) => reading.contains(SAVED_CARDS, &(*seller, customer, *id))?,
            None => false,
        };
        found.holds("card to forget that is not saved", !saved, id);
        Ok(())
    })?;
    run.no_others(SAVED_CHARGES, all(), |reading, (seller, invoice, attempt), id| {
        if *id == NO_PAYMENT {
            return reading.contains(INVOICES, &(*seller, *invoice));
        }
        let known = reading.get(PAYMENTS, &(*seller, *id))?;
        let of = known.map(|known| (known.pays_for.invoice(), known.saved_charge));
        Ok(of.is_some_and(|(of, charge)| {
            of.is_some_and(|(_, of)| of == *invoice)
                && charge.is_some_and(|charge| charge.attempt == *attempt)
        }))
    })?;
    run.no_others(DECISIONS, all(), |reading, (seller, payment, _), _| {
        let known = reading.get(PAYMENTS, &(*seller, *payment))?;
        Ok(known.is_some_and(|known| known.split.is_some()))
    })
}

fn payment(
    reading: &Reading,
    key: &Key,
    payment: &Payment,
    found: &mut Found<'_>,
) -> Result<(), ReadError> {
    let (seller, id) = *key;
    found.same("payment under its own key", *key, (payment.seller, payment.id));
    found.wants(reading, PAYMENT_REFS, &(seller, payment.reference.clone()), &id)?;
    if let Some(order) = &payment.order {
        has_key(reading, key, &order.key, found)?;
    }
    if let Some((contract, invoice)) = payment.pays_for.invoice() {
        if let Some(charge) = payment.saved_charge {
            found.wants(reading, SAVED_CHARGES, &(seller, invoice, charge.attempt), &id)?;
        }
        found.wants(reading, INVOICE_PAYMENTS, &(seller, invoice, id), &())?;
        let known = reading.get(INVOICES, &(seller, invoice))?;
        let of = known.as_ref().map(|known| (known.contract, known.currency));
        let stated = Some((contract, payment.amount.currency));
        found.same("invoice of a payment", stated, of);
        if let Some(known) = &known {
            counted(reading, payment, known, found)?;
        }
    }
    if let Some(invoice) = open_for(payment) {
        found.wants(reading, OPEN_PAYMENTS, &(seller, invoice), &id)?;
    }
    for payee in named(payment) {
        found.wants(reading, OPEN_SHARES, &(seller, payee, id), &())?;
    }
    terminals::payment(reading, payment, found)?;
    refunds(reading, key, payment, found)?;
    decision(reading, key, payment, found)?;
    let (amount, captured) = (payment.amount.minor, payment.captured());
    let within = (0..=amount).contains(&captured);
    found.holds("captured within the amount", within, &(captured, amount));
    shares(reading, key, payment, found)
}

/// The key is claimed for the payment: in the index, or in a folder from before it by a row.
fn has_key(
    reading: &Reading,
    (seller, id): &Key,
    key: &str,
    found: &mut Found<'_>,
) -> Result<(), ReadError> {
    let taken = reading.taken(PAYMENT_KEYS, seller.0, &[keys::fingerprint(key)])?;
    let claimed = match taken.into_iter().flatten().next() {
        Some(taken) => Some(keys::payment_of(taken)),
        None => reading.get(PAYMENT_KEY_ROWS, &(*seller, key.to_owned()))?,
    };
    found.same("payment of an idempotency key", Some(*id), claimed);
    Ok(())
}

/// The invoice of which it is the one payment that pays it, or may yet.
fn open_for(payment: &Payment) -> Option<InvoiceId> {
    let invoice = payment.pays_for.invoice().map(|(_, invoice)| invoice);
    invoice.filter(|_| !payment.status.is_lost())
}

/// The payees that it may yet bring money.
fn named(payment: &Payment) -> Vec<PayeeId> {
    let lines = payment.split.iter().flat_map(Plan::lines).map(|line| line.payee);
    if payment.may_bring_shares() { lines.collect() } else { Vec::new() }
}

fn refunds(
    reading: &Reading,
    key: &Key,
    payment: &Payment,
    found: &mut Found<'_>,
) -> Result<(), ReadError> {
    let (mut back, mut open) = (0_i128, Vec::new());
    for row in reading.scan(REFUNDS, Scan::prefix(key)) {
        let ((_, _, id), refund) = row?;
        found.has(REFUNDS, 1);
        found.same("refund under its own key", (key.1, id), (refund.payment, refund.id));
        let same = refund.amount.currency == payment.amount.currency;
        found.holds("currency of a refund", same, &refund.amount);
        match refund.status {
            RefundStatus::Succeeded => back += i128::from(refund.amount.minor),
            RefundStatus::Pending => open.push((id, refund.amount.minor)),
            RefundStatus::Failed | RefundStatus::Cancelled => {}
        }
    }
    let sums = &payment.refunds;
    found.same("refunds of a payment", back, i128::from(sums.refunded_minor));
    let under_way: Vec<_> = sums.open.iter().map(|id| (*id, sums.open_minor)).collect();
    found.same("refund under way", open, under_way);
    let within = back <= i128::from(payment.captured());
    found.holds("refunds within what was captured", within, &(back, payment.captured()));
    Ok(())
}

/// A split payment has the record of its decision, and goes by it.
fn decision(
    reading: &Reading,
    key: &Key,
    payment: &Payment,
    found: &mut Found<'_>,
) -> Result<(), ReadError> {
    let Some(plan) = &payment.split else { return Ok(()) };
    let mut plans = Vec::new();
    for row in reading.scan(DECISIONS, Scan::prefix(key)) {
        let (_, record) = row?;
        found.has(DECISIONS, 1);
        plans.push(Plan::from(&record));
    }
    found.same("decision on the split of a payment", vec![plan.clone()], plans);
    Ok(())
}

/// What the wallets hold of a payment is what was captured of it less what went back: party by
/// party, with what is on its way to them.
fn shares(
    reading: &Reading,
    key: &Key,
    payment: &Payment,
    found: &mut Found<'_>,
) -> Result<(), ReadError> {
    let captured = payment.captured();
    let lost = payment.status == PaymentStatus::Failed && captured > 0;
    let back = if lost { captured } else { payment.refunds.refunded_minor };
    let plan = payment.split.clone().unwrap_or_default();
    let had = credited(&plan, payment.amount.minor, captured);
    let mut wanted: BTreeMap<PayeeId, i128> = BTreeMap::new();
    for ((who, came), (_, went)) in had.iter().zip(given_back(&had, back)) {
        *wanted.entry(*who).or_default() += i128::from(*came) - i128::from(went);
    }
    let mut held: BTreeMap<PayeeId, i128> = BTreeMap::new();
    let mut unsettled = Vec::new();
    for row in reading.scan(SHARES, Scan::prefix(key)) {
        let ((_, _, wallet), share) = row?;
        let known = reading.get(WALLETS, &(key.0, wallet))?;
        let Some(known) = known else {
            found.wrong("wallet of a share", &format!("{wallet:?}"), "no wallet");
            continue;
        };
        let same = known.currency == payment.amount.currency;
        found.holds("currency of a share", same, &known.currency);
        let who = known.payee.unwrap_or(OWN);
        *held.entry(who).or_default() += i128::from(share.net_minor());
        if share.settled_at.is_some() != payment.settled_at.is_some() {
            unsettled.push(who);
        }
    }
    wanted.retain(|_, minor| *minor != 0);
    held.retain(|_, minor| *minor != 0);
    unsettled.retain(|who| wanted.contains_key(who));
    if wanted == held && unsettled.is_empty() {
        return Ok(());
    }
    let parties: Vec<_> = wanted.keys().chain(held.keys()).copied().collect();
    for who in BTreeSet::from_iter(parties) {
        let (moved, settles) = on_its_way(reading, key, who)?;
        *held.entry(who).or_default() += moved;
        unsettled.retain(|one| *one != who || !settles);
    }
    held.retain(|_, minor| *minor != 0);
    let sum = |of: &BTreeMap<PayeeId, i128>| of.values().sum::<i128>();
    found.same("money in equals money out", i128::from(captured - back), sum(&held));
    found.same("shares of a payment", wanted, held);
    found.same("shares that have settled with their payment", Vec::new(), unsettled);
    Ok(())
}

/// What messages bring a party of a payment, and whether one tells that it settles.
fn on_its_way(reading: &Reading, key: &Key, who: PayeeId) -> Result<(i128, bool), ReadError> {
    let (mut moved, mut settles) = (0, false);
    for row in reading.scan(OUTBOX, Scan::prefix(&Addressee::Payee(key.0, who).key())) {
        let Message::Payee(PayeeMessage::ShareMoved(notice)) = row?.1 else { continue };
        if notice.payment != key.1 {
            continue;
        }
        match notice.what {
            ShareMove::Credited => moved += i128::from(notice.amount.minor),
            ShareMove::TakenBack => moved -= i128::from(notice.amount.minor),
            ShareMove::Settled => settles = true,
        }
    }
    Ok((moved, settles))
}
