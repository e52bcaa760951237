//! What a document says, whatever file it becomes.

use actors::domain::billing::invoice::{Invoice, InvoiceLine, InvoiceStatus, InvoiceType};
use actors::domain::billing::tax::TaxSubtotal;

/// An invoice or credit note with all that is printed on it.
#[derive(Clone, Debug)]
pub struct Document {
    pub invoice: Invoice,
    pub lines: Vec<InvoiceLine>,
    /// The page it is paid on, once it was sent.
    pub payment_url: Option<String>,
}

/// What a document's reader is told to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Standing {
    ToBePaid,
    Settled,
    Void,
    /// Nobody is asked for it any more.
    WrittenOff,
    Draft,
}

impl Document {
    pub(super) fn is_credit_note(&self) -> bool {
        self.invoice.invoice_type == InvoiceType::CreditNote
    }

    /// An amount as it is printed. Those of a credit note are kept below zero, and a document that
    /// says that it is one states them above.
    pub(super) fn stated(&self, minor: i64) -> i64 {
        if self.is_credit_note() { -minor } else { minor }
    }

    /// Its number; none of a draft.
    pub(super) fn number(&self) -> Option<String> {
        self.invoice.number.map(|number| number.to_string())
    }

    /// The number of the document it corrects.
    pub(super) fn corrects(&self) -> Option<String> {
        self.invoice.corrects.map(|number| number.to_string())
    }

    /// Tax by category and rate, as it is printed.
    pub(super) fn taxes(&self) -> impl Iterator<Item = TaxSubtotal> {
        self.invoice.tax_summary.iter().map(|of| TaxSubtotal {
            taxable_minor: self.stated(of.taxable_minor),
            tax_minor: self.stated(of.tax_minor),
            ..*of
        })
    }

    pub(super) fn standing(&self) -> Standing {
        match self.invoice.status {
            InvoiceStatus::Draft => Standing::Draft,
            InvoiceStatus::Voided => Standing::Void,
            InvoiceStatus::Paid => Standing::Settled,
            InvoiceStatus::WrittenOff => Standing::WrittenOff,
            _ if self.is_credit_note() => Standing::Settled,
            _ => Standing::ToBePaid,
        }
    }

    /// Where it is paid, while it may be.
    pub(super) fn payment_link(&self) -> Option<&str> {
        self.payment_url.as_deref().filter(|_| self.standing() == Standing::ToBePaid)
    }

    /// What has come of the amount that was asked for: while some of it is still to come, and where
    /// stored credit had paid the rest.
    pub(super) fn received_minor(&self) -> i64 {
        let Invoice { collectible_minor, outstanding_minor, .. } = self.invoice;
        match self.standing() {
            Standing::ToBePaid => collectible_minor - outstanding_minor,
            Standing::Settled if self.invoice.credit_applied_minor != 0 => collectible_minor,
            _ => 0,
        }
    }
}
