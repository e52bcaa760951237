//! Mails: each about an invoice of its contract, and those that wait are found by their contract.

use storage::{ReadError, Scan};

use super::run::Run;
use crate::domain::billing::mail::MailStatus;
use crate::domain::ids::SellerId;
use crate::tables::{INVOICES, MAILS, OPEN_MAILS};

pub(super) fn check(run: &mut Run<'_>, seller: SellerId) -> Result<(), ReadError> {
    let all = || Scan::prefix(&(seller,));
    run.each(MAILS, all(), |reading, key, mail, found| {
        found.same("mail under its own key", *key, (mail.seller, mail.id));
        let invoice = reading.get(INVOICES, &(key.0, mail.invoice))?;
        let of = invoice.map(|invoice| invoice.contract);
        found.same("contract of a mail's invoice", Some(mail.contract), of);
        let waits = mail.status == MailStatus::Queued;
        found.same("next attempt of a mail", waits, mail.next_attempt_at.is_some());
        if waits {
            found.wants(reading, OPEN_MAILS, &(key.0, mail.contract, mail.id), &())?;
        }
        Ok(())
    })?;
    run.no_others(OPEN_MAILS, all(), |reading, (seller, contract, id), ()| {
        let known = reading.get(MAILS, &(*seller, *id))?;
        let waits = |status| status == MailStatus::Queued;
        Ok(known.is_some_and(|mail| mail.contract == *contract && waits(mail.status)))
    })
}
