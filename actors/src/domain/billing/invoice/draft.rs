//! Drafts: what is meant to become an invoice, as a person may look at it before it is issued. A
//! draft has no number, claims nothing and draws nothing; it is composed anew when it is issued.

use super::{Invoice, InvoiceLine, NewInvoice};
use crate::domain::ids::{ContractId, InvoiceId};
use crate::domain::time::Timestamp;
use crate::listing::{Facet, Listed, Place};

#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct Draft {
    /// Its own: the invoice that it becomes has another.
    #[n(0)]
    pub id: InvoiceId,
    #[n(1)]
    pub contract: ContractId,
    /// What was asked for.
    #[n(2)]
    pub request: NewInvoice,
    /// The document that it corrects, if it does.
    #[n(3)]
    pub corrects: Option<InvoiceId>,
    /// As it would have been issued when it was asked for.
    #[n(4)]
    pub invoice: Invoice,
    #[n(5)]
    pub lines: Vec<InvoiceLine>,
    #[n(6)]
    pub created_at: Timestamp,
    #[n(7)]
    pub updated_at: Timestamp,
    /// The invoice that it became; what is above is then over.
    #[n(8)]
    pub issued_as: Option<InvoiceId>,
}

impl storage::CborRecord for Draft {}

impl Listed for Draft {
    fn id(&self) -> u64 {
        self.id.0
    }

    /// Of one that was issued there is no list.
    fn places(&self) -> Vec<Place> {
        match self.issued_as {
            None => vec![(Facet::OpenDraft, 0), (Facet::OpenDraftOfContract, self.contract.0)],
            Some(_) => Vec::new(),
        }
    }
}
