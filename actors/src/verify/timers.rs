//! Timers: those that objects want as they are stored, no fewer and no more. What an object wants
//! is what its room says when it starts.

use std::collections::BTreeMap;

use storage::{ReadError, Scan};

use super::reading::Reading;
use super::run::{At, Found, Run};
use crate::domain::billing::mail::Mail;
use crate::domain::ids::{
    ContractId, LinkSubscriptionId, MailId, PayeeId, PaymentId, PaymentLinkId, SellerId,
};
use crate::domain::payments::link_subscription::LinkSubscription;
use crate::domain::payments::payment_link::PaymentLink;
use crate::domain::payments::wallet::OWN;
use crate::domain::time::Timestamp;
use crate::tables::{
    CONTRACTS, LINK_SUBSCRIPTIONS, MAILS, PAYEES, PAYMENT_LINKS, PAYMENTS, TIMERS,
};
use crate::timers::TimerKind;
use crate::{contract, link_subscription, payee, payment};

type Wanted = BTreeMap<TimerKind, Timestamp>;

pub(super) fn check(run: &mut Run<'_>, seller: SellerId) -> Result<(), ReadError> {
    for key in run.reading.scan(CONTRACTS, Scan::prefix(&(seller,))).keys() {
        let Ok(key) = key else { continue };
        run.settle(&At::new(CONTRACTS, &key), |reading, found, _| {
            let wanted = contract::timers_of(reading.rows(), key)?;
            want(reading, seller, key.1.0, &wanted, found)
        })?;
    }
    run.each(PAYMENTS, Scan::prefix(&(seller,)), |reading, key, row, found| {
        want(reading, seller, key.1.0, &payment::timers_of(row), found)
    })?;
    let payees = run.reading.scan(PAYEES, Scan::prefix(&(seller,))).keys();
    for key in [Ok((seller, OWN))].into_iter().chain(payees) {
        let Ok(key) = key else { continue };
        run.settle(&At::new(PAYEES, &key), |reading, found, _| {
            let wanted = payee::timers_of(reading.rows(), key)?;
            want(reading, seller, key.1.0, &wanted, found)
        })?;
    }
    run.each(PAYMENT_LINKS, Scan::prefix(&(seller,)), |reading, key, link, found| {
        want(reading, seller, key.1.0, &of_link(link), found)
    })?;
    run.each(LINK_SUBSCRIPTIONS, Scan::prefix(&(seller,)), |reading, key, row, found| {
        want(reading, seller, key.1.0, &of_subscription(reading, row)?, found)
    })?;
    run.each(MAILS, Scan::prefix(&(seller,)), |reading, key, mail, found| {
        want(reading, seller, key.1.0, &of_mail(mail), found)
    })?;
    let kind = |kind: &TimerKind| Scan::prefix(&(*kind as u8, seller));
    let kinds: Vec<_> = TimerKind::ALL.iter().map(kind).collect();
    run.no_others_in(TIMERS, &kinds, |reading, (kind, seller, at, object), ()| {
        let kind = TimerKind::ALL.iter().find(|one| **one as u8 == *kind);
        let Some(kind) = kind.copied() else { return Ok(false) };
        let wanted = wanted_of(reading, kind, *seller, *object)?;
        Ok(wanted.get(&kind) == Some(at))
    })
}

fn want(
    reading: &Reading,
    seller: SellerId,
    object: u64,
    wanted: &Wanted,
    found: &mut Found<'_>,
) -> Result<(), ReadError> {
    for (kind, at) in wanted {
        found.wants(reading, TIMERS, &(*kind as u8, seller, *at, object), &())?;
    }
    Ok(())
}

fn wanted_of(
    reading: &Reading,
    kind: TimerKind,
    seller: SellerId,
    object: u64,
) -> Result<Wanted, ReadError> {
    match kind {
        TimerKind::Payment | TimerKind::Settlement | TimerKind::ProviderCall => {
            let payment = reading.get(PAYMENTS, &(seller, PaymentId(object)))?;
            Ok(payment.as_ref().map(payment::timers_of).unwrap_or_default())
        }
        TimerKind::LinkExpiry => {
            let link = reading.get(PAYMENT_LINKS, &(seller, PaymentLinkId(object)))?;
            Ok(link.as_ref().map(of_link).unwrap_or_default())
        }
        TimerKind::LinkSubscription | TimerKind::LinkTrial | TimerKind::SubscriptionMail => {
            let row = reading.get(LINK_SUBSCRIPTIONS, &(seller, LinkSubscriptionId(object)))?;
            row.map_or(Ok(Wanted::new()), |row| of_subscription(reading, &row))
        }
        TimerKind::LinkMail | TimerKind::InviteMail => {
            let mail = reading.get(MAILS, &(seller, MailId(object)))?;
            Ok(mail.as_ref().map(of_mail).unwrap_or_default())
        }
        TimerKind::Payee => payee::timers_of(reading.rows(), (seller, PayeeId(object))),
        _ => contract::timers_of(reading.rows(), (seller, ContractId(object))),
    }
}

fn of_link(link: &PaymentLink) -> Wanted {
    link.ends_at().map(|at| (TimerKind::LinkExpiry, at)).into_iter().collect()
}

fn of_subscription(reading: &Reading, of: &LinkSubscription) -> Result<Wanted, ReadError> {
    let mail = match of.mail {
        Some(mail) => reading.get(MAILS, &(of.seller, mail))?,
        None => None,
    };
    Ok(link_subscription::timers_of(of, mail.as_ref()))
}

/// Of a mail that has a timer of its own: those of a contract share one.
fn of_mail(mail: &Mail) -> Wanted {
    let kind = match (mail.link, mail.person) {
        (Some(_), _) => TimerKind::LinkMail,
        (None, Some(_)) => TimerKind::InviteMail,
        (None, None) => return Wanted::new(),
    };
    mail.next_attempt_at.map(|at| (kind, at)).into_iter().collect()
}
