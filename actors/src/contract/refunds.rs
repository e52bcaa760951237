//! What refunds of payments mean to the invoices that they paid.

use super::changes::Changes;
use crate::domain::billing::invoice::{Change, Invoice, Refunded, refund};
use crate::domain::ids::InvoiceId;
use crate::domain::refusal::Refusal;
use crate::tables::PAYMENTS;

impl Changes<'_> {
    /// Takes note of what was refunded of the payments of an invoice.
    pub(super) fn count_refunds(&mut self, invoice: InvoiceId) -> Result<(), Refusal> {
        let Some(before) = self.invoice_now(invoice)? else { return Ok(()) };
        let now = self.with_refunds(&before)?;
        if now.invoice == before {
            return Ok(());
        }
        let mut change = Change::of(now.invoice);
        change.owe_less(now.not_owed_minor, self.moment);
        self.reduce_pack(&before, &change.invoice)?;
        self.invoice(&before, change);
        Ok(())
    }

    /// An invoice with all that was refunded until now, without the credit that was made of it.
    pub(super) fn with_refunds(&mut self, invoice: &Invoice) -> Result<Refunded, Refusal> {
        let mut refunds = Vec::new();
        for known in &invoice.payments {
            let row = (self.room.seller, known.payment);
            let payment = self.cx.read(self.cx.store().get(PAYMENTS, &row))?;
            let refunded = payment.map_or(0, |payment| payment.refunds.refunded_minor);
            refunds.push((known.payment, refunded));
        }
        let refunded = refund(invoice, &refunds, |lot| self.room.credit.left_of(lot));
        if !refunded.credit.is_empty() {
            let number = invoice.number_text();
            let why = format!("a payment of {number} was refunded");
            self.reverse_credit(invoice, &why, &refunded.credit);
        }
        Ok(refunded)
    }
}
