//! What a contract room keeps of its invoices: their rows, the days on which something falls due of
//! them, and the ones that later documents go on from.

use std::cell::OnceCell;

use storage::Batch;

use super::room::{Context, ContractRoom};
use crate::domain::billing::invoice::{
    FollowedInvoices, Invoice, InvoiceHead, InvoiceStatus, Terms,
};
use crate::domain::ids::{InvoiceId, SellerId};
use crate::domain::refusal::Refusal;
use crate::tables::{
    COLLECTIONS, CONTRACT_INVOICES, FOLLOWABLE_INVOICES, FOLLOWED_INVOICES, INVOICES, REMINDERS,
    WAITING_INVOICES,
};

/// An invoice that later ones go on from. How it is made out is read when it is first needed.
#[derive(Clone, Debug)]
pub(super) struct Prior {
    invoice: InvoiceId,
    terms: OnceCell<Terms>,
}

impl Prior {
    pub(super) fn new(invoice: InvoiceId, terms: Option<Terms>) -> Self {
        Self { invoice, terms: terms.map(OnceCell::from).unwrap_or_default() }
    }
}

impl ContractRoom {
    pub(super) fn keep_invoice(&mut self, after: &Invoice, rows: &mut Batch) {
        let head = put_invoice(rows, self.seller, after);
        self.keep_days(after.id, &head, rows);
        // Nothing goes on from it any more.
        if head.status == InvoiceStatus::Voided {
            let listed = (self.seller, self.id, head.origin as u8, after.id);
            rows.delete(FOLLOWABLE_INVOICES, &listed);
        }
    }

    /// Keeps what the room has to know of a document: when it falls overdue, and whether later
    /// ones go on from it.
    pub(super) fn keep_issuing(
        &mut self,
        (id, head, terms): (InvoiceId, InvoiceHead, Terms),
        rows: &mut Batch,
    ) {
        self.keep_days(id, &head, rows);
        if let Some(origin) = head.followed_as() {
            rows.put(FOLLOWABLE_INVOICES, &(self.seller, self.id, origin as u8, id), &());
        }
        let (continues, followed) = (head.continues, head.is_followed_by_usage());
        if continues {
            self.continues_from = Some(Prior::new(id, Some(terms.clone())));
        }
        if followed {
            self.usage_follows = Some(Prior::new(id, Some(terms)));
        }
        if continues || followed {
            rows.put(FOLLOWED_INVOICES, &(self.seller, self.id), &self.followed());
        }
    }

    pub(super) fn followed(&self) -> FollowedInvoices {
        let invoice_of = |prior: &Option<Prior>| prior.as_ref().map(|prior| prior.invoice);
        FollowedInvoices {
            by_recurring: invoice_of(&self.continues_from),
            by_usage: invoice_of(&self.usage_follows),
        }
    }

    pub(super) fn keep_followed(&mut self, followed: FollowedInvoices, rows: &mut Batch) {
        let key = (self.seller, self.id);
        match followed == FollowedInvoices::default() {
            true => rows.delete(FOLLOWED_INVOICES, &key),
            false => rows.put(FOLLOWED_INVOICES, &key, &followed),
        }
        self.continues_from = followed.by_recurring.map(|invoice| Prior::new(invoice, None));
        self.usage_follows = followed.by_usage.map(|invoice| Prior::new(invoice, None));
    }

    /// Keeps when an invoice falls overdue, when its buyer is reminded, and when its collection
    /// goes on.
    fn keep_days(&mut self, id: InvoiceId, head: &InvoiceHead, rows: &mut Batch) {
        let collected = self.collects();
        let days = [
            (WAITING_INVOICES, &mut self.agenda.overdue, head.overdue_at),
            (REMINDERS, &mut self.agenda.reminders, head.remind_at),
            (COLLECTIONS, &mut self.agenda.collections, head.collect_at),
        ];
        for (table, known, after) in days {
            let before = known.note(id, after);
            if before == after {
                continue;
            }
            if let Some(day) = before {
                rows.delete(table, &(self.seller, self.id, day, id));
            }
            if let Some(day) = after {
                rows.put_new(table, &(self.seller, self.id, day, id), &());
            }
        }
        self.keep_collecting(collected, rows);
    }

    /// An invoice of this contract. One whose number is just being drawn is not there yet.
    pub(super) fn invoice(&self, cx: &Context, id: InvoiceId) -> Result<Option<Invoice>, Refusal> {
        let found = cx.get(INVOICES, &(self.seller, id))?;
        Ok(found.filter(|invoice| invoice.contract == self.id))
    }

    /// The terms of the document that goes on from `prior`, if there is one.
    pub(super) fn terms_after(
        &self,
        cx: &Context,
        prior: Option<&Prior>,
    ) -> Result<Option<Terms>, Refusal> {
        let Some(Prior { invoice, terms }) = prior else { return Ok(None) };
        if let Some(known) = terms.get() {
            return Ok(Some(known.clone()));
        }
        let invoice = self.invoice(cx, *invoice)?.ok_or_else(Refusal::fault)?;
        Ok(Some(terms.get_or_init(|| Terms::continued(&invoice)).clone()))
    }
}

pub(super) fn put_invoice(rows: &mut Batch, seller: SellerId, invoice: &Invoice) -> InvoiceHead {
    let head = InvoiceHead::of(invoice);
    rows.put(INVOICES, &(seller, invoice.id), invoice);
    rows.put(CONTRACT_INVOICES, &(seller, invoice.contract, invoice.id), &head);
    head
}
