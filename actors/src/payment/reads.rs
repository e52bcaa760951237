//! Payments as their committed rows are; no room is asked.

use storage::{ReadError, Scan, Store};

use super::Payments;
use crate::domain::ids::{InvoiceId, PaymentId, RefundId, SellerId};
use crate::domain::payments::payment::{Declines, Payment, Refund};
use crate::domain::time::Timestamp;
use crate::link_tokens::LinkHash;
use crate::query;
use crate::tables::{
    CHECKOUTS, INVOICE_PAYMENTS, NO_PAYMENT, OPEN_PAYMENTS, PAYMENT_REFS, PAYMENTS, REFUNDS,
};

impl Payments {
    pub fn get(&self, seller: SellerId, id: PaymentId) -> Result<Option<Payment>, ReadError> {
        self.store().get(PAYMENTS, &(seller, id))
    }

    /// A payment by the seller's name for it (`externalOrderRef`).
    pub fn by_reference(
        &self,
        seller: SellerId,
        reference: &str,
    ) -> Result<Option<Payment>, ReadError> {
        match self.store().get(PAYMENT_REFS, &(seller, reference.to_owned()))? {
            Some(id) => self.get(seller, id),
            None => Ok(None),
        }
    }

    pub fn by_session(&self, session: &str) -> Result<Option<Payment>, ReadError> {
        match query::opened(self.store(), CHECKOUTS, LinkHash::of(session))? {
            Some(home) => self.get(home.seller, home.payment),
            None => Ok(None),
        }
    }

    pub fn refund_row(
        &self,
        seller: SellerId,
        id: PaymentId,
        refund: RefundId,
    ) -> Result<Option<Refund>, ReadError> {
        self.store().get(REFUNDS, &(seller, id, refund))
    }

    /// The payment that pays, or may yet pay, an invoice; there is one at most.
    pub fn open_of(
        &self,
        seller: SellerId,
        invoice: InvoiceId,
    ) -> Result<Option<Payment>, ReadError> {
        match self.store().get(OPEN_PAYMENTS, &(seller, invoice))? {
            None | Some(NO_PAYMENT) => Ok(None),
            Some(id) => self.get(seller, id),
        }
    }

    /// When the link of an invoice takes cards again after too many were declined; `None` while it
    /// takes them.
    pub fn link_rests_until(
        &self,
        seller: SellerId,
        invoice: InvoiceId,
        now: Timestamp,
    ) -> Result<Option<Timestamp>, ReadError> {
        rests_until(self.store(), seller, invoice, now)
    }

    /// Every payment of an invoice, failed ones too, newest first.
    pub fn of_invoice(
        &self,
        seller: SellerId,
        invoice: InvoiceId,
    ) -> Result<Vec<Payment>, ReadError> {
        let mut payments = Vec::new();
        for row in self.store().scan(INVOICE_PAYMENTS, Scan::prefix(&(seller, invoice))) {
            let ((_, _, id), ()) = row?;
            payments.extend(self.get(seller, id)?);
        }
        payments.reverse();
        Ok(payments)
    }
}

/// The newest attempts are looked through, as far back as they may count.
pub(super) fn rests_until(
    store: &Store,
    seller: SellerId,
    invoice: InvoiceId,
    now: Timestamp,
) -> Result<Option<Timestamp>, ReadError> {
    let mut declines = Declines::at(now);
    for row in store.scan(INVOICE_PAYMENTS, Scan::prefix(&(seller, invoice)).reverse()) {
        let ((_, _, id), ()) = row?;
        let Some(attempt) = store.get(PAYMENTS, &(seller, id))? else { continue };
        if !declines.count(&attempt) {
            break;
        }
    }
    Ok(declines.rests_until())
}
