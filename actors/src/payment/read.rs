//! Payments as committed rows tell of them; no room is asked.

use storage::{ReadError, Scan};

use super::handle::Payments;
use crate::domain::ids::{InvoiceId, PaymentId, SellerId};
use crate::domain::payments::payment::Payment;
use crate::tables::{INVOICE_PAYMENTS, OPEN_PAYMENTS, PAYMENT_REFS, PAYMENTS};

impl Payments {
    /// A payment by its id within the store.
    ///
    /// # Errors
    /// When the row cannot be read.
    pub fn get(&self, seller: SellerId, id: PaymentId) -> Result<Option<Payment>, ReadError> {
        self.store.get(PAYMENTS, &(seller, id))
    }

    /// A payment by the seller's name for it (`externalOrderRef`).
    ///
    /// # Errors
    /// When a row cannot be read.
    pub fn by_reference(
        &self,
        seller: SellerId,
        reference: &str,
    ) -> Result<Option<Payment>, ReadError> {
        match self.store.get(PAYMENT_REFS, &(seller, reference.to_owned()))? {
            Some(id) => self.get(seller, PaymentId(id)),
            None => Ok(None),
        }
    }

    /// The payment that pays, or may yet pay, an invoice; there is one at most.
    ///
    /// # Errors
    /// When a row cannot be read.
    pub fn open_of(
        &self,
        seller: SellerId,
        invoice: InvoiceId,
    ) -> Result<Option<Payment>, ReadError> {
        match self.store.get(OPEN_PAYMENTS, &(seller, invoice))? {
            Some(id) => self.get(seller, PaymentId(id)),
            None => Ok(None),
        }
    }

    /// Every payment of an invoice, failed ones too, newest first (billing 2.10).
    ///
    /// # Errors
    /// When a row cannot be read.
    pub fn of_invoice(
        &self,
        seller: SellerId,
        invoice: InvoiceId,
    ) -> Result<Vec<Payment>, ReadError> {
        let mut payments = Vec::new();
        for row in self.store.scan(INVOICE_PAYMENTS, Scan::prefix(&(seller, invoice))) {
            let ((_, _, id), ()) = row?;
            payments.extend(self.get(seller, id)?);
        }
        payments.reverse();
        Ok(payments)
    }
}
