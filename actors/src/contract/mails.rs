//! Mails about a contract's invoices: written with the change that wants them, and what becomes of
//! each.

use std::collections::{BTreeMap, BTreeSet};

use storage::Batch;

use super::Contracts;
use super::changes::Changes;
use super::room::{Change, Context, ContractKey, ContractRoom, Decision};
use crate::domain::billing::invoice::{Invoice, InvoiceLine};
use crate::domain::billing::mail::{Mail, MailKind, MailStatus, Tried};
use crate::domain::ids::MailId;
use crate::domain::refusal::Refusal;
use crate::domain::time::Timestamp;
use crate::kernel::AskError;
use crate::query;
use crate::queue::blocking;
use crate::tables::{MAILS, OPEN_MAILS, ids};

/// The mails of a contract that wait for an attempt, kept in order so that the next one is found at
/// once however many there are: a mail server that is away leaves many.
#[derive(Clone, Debug, Default)]
pub(super) struct OpenMails {
    waiting: BTreeMap<MailId, Mail>,
    /// The same by when their next attempts are due.
    attempts: BTreeSet<(Timestamp, MailId)>,
}

impl OpenMails {
    pub(super) fn of(open: Vec<Mail>) -> Self {
        let mut mails = Self::default();
        open.into_iter().for_each(|mail| mails.wait(mail));
        mails
    }

    pub(super) fn keep(&mut self, mail: Mail, rows: &mut Batch) {
        let Some(contract) = mail.contract else { return };
        let open = (mail.seller, contract, mail.id);
        rows.put(MAILS, &(mail.seller, mail.id), &mail);
        let before = self.waiting.remove(&mail.id);
        if let Some(at) = before.as_ref().and_then(|known| known.next_attempt_at) {
            self.attempts.remove(&(at, mail.id));
        }
        let waits = mail.status == MailStatus::Queued;
        match (waits, before.is_some()) {
            (true, false) => rows.put_new(OPEN_MAILS, &open, &()),
            (false, true) => rows.delete(OPEN_MAILS, &open),
            _ => {}
        }
        if waits {
            self.wait(mail);
        }
    }

    /// When the next attempt is due.
    pub(super) fn next_attempt(&self) -> Option<Timestamp> {
        self.attempts.first().map(|(at, _)| *at)
    }

    fn due(&self, now: Timestamp) -> Option<&Mail> {
        let (at, id) = self.attempts.first()?;
        self.waiting.get(id).filter(|_| *at <= now)
    }

    fn wait(&mut self, mail: Mail) {
        self.attempts.extend(mail.next_attempt_at.map(|at| (at, mail.id)));
        self.waiting.insert(mail.id, mail);
    }
}

impl Changes<'_> {
    /// Writes to the buyer of a document.
    pub(super) fn mail(&mut self, kind: MailKind, about: &Invoice) {
        let kind = if about.is_credit_note() { MailKind::CreditNote } else { kind };
        let (id, posts) = (MailId(self.cx.id(ids::MAIL)), self.cx.services().mail.posts);
        let mail = Mail::new(id, self.room.seller, kind, about, posts, self.cx.now());
        self.effects.change(Change::Mail(Box::new(mail)));
    }
}

impl Contracts {
    /// The mail whose attempt is due first, as it goes out now, with its invoice.
    pub(crate) async fn due_mail(
        &self,
        contract: ContractKey,
    ) -> Result<Option<(Mail, Invoice)>, AskError> {
        let due = |room: &ContractRoom, cx: &Context| {
            let Some(mail) = room.mails.due(cx.now()) else {
                return Ok(Decision::unchanged(None));
            };
            let invoice = mail.invoice.ok_or_else(Refusal::fault)?;
            let invoice = room.invoice(cx, invoice)?.ok_or_else(Refusal::fault)?;
            Ok(Decision::unchanged(Some((mail.clone().as_due(&invoice), invoice))))
        };
        self.rooms.command(contract, due).await
    }

    /// What the document of a mail lists, read away from its room: that goes on meanwhile.
    pub(crate) async fn lines_of(&self, mail: &Mail) -> Result<Vec<InvoiceLine>, AskError> {
        let (store, seller) = (self.rooms.services().store.clone(), mail.seller);
        let invoice = mail.invoice.ok_or_else(Refusal::fault)?;
        let lines = blocking(move || query::invoice_lines(&store, seller, invoice)).await;
        lines.map_err(|error| {
            tracing::error!(seller = seller.0, invoice = invoice.0, %error, "lines cannot be read");
            AskError::Refused(Refusal::fault())
        })
    }

    /// Keeps how an attempt went: `mail` as it was handed out for it. A mail that was given up is
    /// told of.
    pub(crate) async fn mail_tried(&self, mail: Mail, tried: Tried) -> Result<(), AskError> {
        let contract = (mail.seller, mail.contract.ok_or_else(Refusal::fault)?);
        let keep = move |room: &ContractRoom, cx: &Context| {
            let attempts = room.mails.waiting.get(&mail.id).map(|kept| kept.attempts);
            if attempts != Some(mail.attempts) {
                return Ok(Decision::unchanged(()));
            }
            let mut changes = Changes::begin(room, cx)?;
            let retries = cx.services().mail.retries;
            let after = mail.tried(tried.clone(), retries, cx.now());
            if after.status == MailStatus::Failed {
                let about = mail.invoice.ok_or_else(Refusal::fault)?;
                let about = room.invoice(cx, about)?.ok_or_else(Refusal::fault)?;
                changes.events.push(after.failure(&about, cx.now()));
            }
            changes.effects.change(Change::Mail(Box::new(after)));
            Ok(changes.finish().answer(()))
        };
        self.rooms.command(contract, keep).await
    }
}

#[cfg(test)]
mod tests;
