//! Rows beside the invoice: its head, the key that made it, and where its link leads.

use storage::CborRecord;

use super::{
    Composed, Intent, Invoice, InvoiceStatus, InvoiceType, Origin, collect_at, continues_from,
    overdue_at, remind_at,
    status::{collection_of, next_reminder},
};
use crate::domain::ids::{ContractId, CustomerId, InvoiceId, SellerId};
use crate::domain::time::{Date, Timestamp};

/// What an idempotency key of `POST /invoices` made, and of what request.
#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct InvoiceKey {
    #[n(0)]
    pub invoice: InvoiceId,
    #[n(1)]
    pub intent: Intent,
}

/// An invoice as lists and its contract's room have to know it.
#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct InvoiceHead {
    #[n(0)]
    pub origin: Origin,
    #[n(1)]
    pub status: InvoiceStatus,
    #[n(2)]
    pub invoice_type: InvoiceType,
    #[n(3)]
    pub customer: CustomerId,
    #[n(4)]
    pub issued_at: Timestamp,
    /// The first day on which it is overdue, while it waits for money and is not.
    #[n(5)]
    pub overdue_at: Option<Date>,
    #[n(6)]
    pub continues: bool,
    /// The next day on which its buyer is reminded.
    #[n(7)]
    pub remind_at: Option<Date>,
    /// The next day on which its collection goes on.
    #[n(8)]
    pub collect_at: Option<Date>,
}

/// The invoices of a contract that later documents go on from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct FollowedInvoices {
    #[n(0)]
    pub by_recurring: Option<InvoiceId>,
    #[n(1)]
    pub by_usage: Option<InvoiceId>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct LinkTarget {
    #[n(0)]
    pub seller: SellerId,
    #[n(1)]
    pub contract: ContractId,
    #[n(2)]
    pub invoice: InvoiceId,
}

impl InvoiceHead {
    pub fn of(invoice: &Invoice) -> Self {
        Self {
            origin: invoice.origin,
            status: invoice.status,
            invoice_type: invoice.invoice_type,
            customer: invoice.customer,
            issued_at: invoice.issued_at,
            overdue_at: overdue_at(invoice),
            continues: continues_from(invoice),
            remind_at: remind_at(invoice),
            collect_at: collect_at(invoice),
        }
    }

    /// Of a document that is being issued: one that asks for nothing is paid at once.
    pub fn issuing(composed: &Composed) -> Self {
        let status = match composed.is_paid_at_once() {
            true => InvoiceStatus::Paid,
            false if composed.is_overdue_at_once() => InvoiceStatus::Overdue,
            false => InvoiceStatus::Issued,
        };
        let Composed { invoice, reminder_days, moment, send, .. } = composed;
        let next = next_reminder(invoice.due_date, reminder_days, moment.today());
        let (sent_at, remind_on) = (send.then_some(moment.wall), next.filter(|_| *send));
        let collection = collection_of(invoice, *moment).filter(|_| *send);
        Self::of(&Invoice { status, sent_at, remind_on, collection, ..invoice.clone() })
    }

    /// Whether documents of usage go on as this one is made out and collected.
    pub fn is_followed_by_usage(&self) -> bool {
        matches!(self.origin, Origin::Recurring | Origin::Usage)
            && self.invoice_type == InvoiceType::Standard
            && self.status != InvoiceStatus::Voided
    }

    /// The origin under which it is listed where later documents may go on from it: recurring ones
    /// go on from recurring ones, those of usage from either.
    pub fn followed_as(&self) -> Option<Origin> {
        self.is_followed_by_usage().then_some(self.origin)
    }
}

impl CborRecord for InvoiceKey {}

impl CborRecord for InvoiceHead {}

impl CborRecord for FollowedInvoices {}

impl CborRecord for LinkTarget {}
