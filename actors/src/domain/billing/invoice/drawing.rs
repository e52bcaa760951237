//! Stored credit pays for a document before it is issued.

use crate::domain::billing::credit::CreditDrawn;
use crate::domain::billing::invoice::{CollectionMethod, Composed, Invoice, InvoiceType};

impl Invoice {
    pub fn is_credit_note(&self) -> bool {
        self.invoice_type == InvoiceType::CreditNote
    }
}

impl Composed {
    /// How much stored credit may pay: all of it with its tax, but nothing where it is collected
    /// by bank transfer, and nothing of a credit note.
    pub fn payable_by_credit(&self) -> i64 {
        match self.invoice.collection_method {
            CollectionMethod::PaymentLink => self.invoice.collectible_minor,
            CollectionMethod::BankTransfer => 0,
        }
    }

    /// Pays what was drawn. What nothing is left to collect of is not sent.
    #[must_use]
    pub fn paid_by_credit(mut self, drawn: CreditDrawn) -> Self {
        let minor = drawn.amount_minor();
        self.invoice.credit_applied_minor = minor;
        self.invoice.collectible_minor -= minor;
        self.invoice.outstanding_minor -= minor;
        self.send = self.send && self.invoice.collectible_minor > 0;
        self.credit = Some(drawn);
        self
    }
}
