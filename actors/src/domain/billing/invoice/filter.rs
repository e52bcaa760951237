//! The filters of the invoice list.

use crate::domain::billing::invoice::{Invoice, InvoiceStatus, InvoiceType, Origin};
use crate::domain::ids::{ContractId, CustomerId};
use crate::domain::time::{Date, Timestamp};

/// Which invoices a list shows; what is `None` does not narrow it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InvoiceFilter {
    pub contract: Option<ContractId>,
    pub customer: Option<CustomerId>,
    pub origin: Option<Origin>,
    pub status: Option<InvoiceStatus>,
    pub invoice_type: Option<InvoiceType>,
    /// Correcting the invoice of this number, compared as it is written.
    pub corrects: Option<String>,
    pub issued_from: Option<Timestamp>,
    /// Issued before this instant.
    pub issued_to: Option<Timestamp>,
}

impl InvoiceFilter {
    pub fn matches(&self, invoice: &Invoice) -> bool {
        fn is<T: PartialEq>(wanted: &Option<T>, actual: &T) -> bool {
            wanted.as_ref().is_none_or(|wanted| wanted == actual)
        }
        is(&self.contract, &invoice.contract)
            && is(&self.customer, &invoice.customer)
            && is(&self.origin, &invoice.origin)
            && is(&self.status, &invoice.status)
            && is(&self.invoice_type, &invoice.invoice_type)
            && self.corrects.as_ref().is_none_or(|number| {
                invoice.corrects.is_some_and(|corrected| corrected.to_string() == *number)
            })
            && self.issued_from.is_none_or(|from| invoice.issued_at >= from)
            && self.issued_to.is_none_or(|to| invoice.issued_at < to)
    }
}

/// Reads `issuedFrom` or `issuedTo`: a day, meant as its midnight in UTC, or an RFC 3339
/// instant.
pub fn parse_bound(text: &str) -> Option<Timestamp> {
    Date::parse(text).map(Date::start).or_else(|| Timestamp::parse(text))
}
