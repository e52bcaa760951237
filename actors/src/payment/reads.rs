//! Payments as their committed rows are; no room is asked.

use storage::{ReadError, Scan};

use super::Payments;
use crate::domain::ids::{InvoiceId, PaymentId, RefundId, SellerId};
use crate::domain::payments::payment::{Payment, Refund};
use crate::tables::{
    CHECKOUTS, INVOICE_PAYMENTS, OPEN_PAYMENTS, PAYMENT_KEYS, PAYMENT_REFS, PAYMENTS, REFUNDS,
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

    pub fn by_key(&self, seller: SellerId, key: &str) -> Result<Option<Payment>, ReadError> {
        match self.store().get(PAYMENT_KEYS, &(seller, key.to_owned()))? {
            Some(id) => self.get(seller, id),
            None => Ok(None),
        }
    }

    pub fn by_session(&self, session: &str) -> Result<Option<Payment>, ReadError> {
        match self.store().get(CHECKOUTS, &session.to_owned())? {
            Some(home) => self.get(home.seller, home.payment),
            None => Ok(None),
        }
    }

    /// The refunds of a payment, oldest first.
    pub fn refunds_of(&self, seller: SellerId, id: PaymentId) -> Result<Vec<Refund>, ReadError> {
        let rows = self.store().scan(REFUNDS, Scan::prefix(&(seller, id)));
        rows.values()
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
            Some(id) => self.get(seller, id),
            None => Ok(None),
        }
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
