//! Mails: each about an invoice of its contract, a payment link, a subscription by one, or somebody
//! who was invited, and those that wait are found by their contract.

use storage::{ReadError, Scan};

use super::run::Run;
use crate::domain::billing::mail::MailStatus;
use crate::domain::ids::SellerId;
use crate::tables::{INVOICES, LINK_SUBSCRIPTIONS, MAILS, OPEN_MAILS, PAYMENT_LINKS};

pub(super) fn check(run: &mut Run<'_>, seller: SellerId) -> Result<(), ReadError> {
    let all = || Scan::prefix(&(seller,));
    run.each(MAILS, all(), |reading, key, mail, found| {
        found.same("mail under its own key", *key, (mail.seller, mail.id));
        let of = match mail.invoice {
            Some(invoice) => reading.get(INVOICES, &(key.0, invoice))?,
            None => None,
        };
        found.same("contract of a mail's invoice", mail.contract, of.map(|of| of.contract));
        let about = [
            mail.invoice.is_some(),
            mail.link.is_some(),
            mail.subscription.is_some(),
            mail.person.is_some(),
        ];
        let things = about.into_iter().filter(|there| *there).count();
        found.same("things that a mail is about", things, 1);
        if let Some(of) = mail.subscription {
            let known = reading.get(LINK_SUBSCRIPTIONS, &(key.0, of))?;
            let its_mail = known.and_then(|known| known.mail);
            found.same("mail of a link subscription", Some(mail.id), its_mail);
        }
        if let Some(link) = mail.link {
            found.names(reading, PAYMENT_LINKS, &(key.0, link))?;
        }
        let waits = mail.status == MailStatus::Queued;
        found.same("next attempt of a mail", waits, mail.next_attempt_at.is_some());
        if let Some(contract) = mail.contract.filter(|_| waits) {
            found.wants(reading, OPEN_MAILS, &(key.0, contract, mail.id), &())?;
        }
        Ok(())
    })?;
    run.no_others(OPEN_MAILS, all(), |reading, (seller, contract, id), ()| {
        let known = reading.get(MAILS, &(*seller, *id))?;
        let waits = |status| status == MailStatus::Queued;
        Ok(known.is_some_and(|mail| mail.contract == Some(*contract) && waits(mail.status)))
    })
}
