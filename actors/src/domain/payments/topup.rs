//! Top-up invoices: documents by which a seller brings money of its own into its main wallet. They
//! take their numbers from the series of all invoices.
//!
//! How an invoice stands follows from what came and from the time, so it is never written down:
//! [`TopupInvoice::status`] tells it for an instant.

mod deposit;
mod draft;
mod reference;
mod refusal;

use storage::CborRecord;

pub use deposit::{Deposit, NewDeposit, deposit_reference};
pub use draft::{Draft, EXPIRES_AFTER_DAYS, NewTopup, topup_amount};
pub use refusal::TopupRefusal;

use crate::domain::billing::numbering::InvoiceNumber;
use crate::domain::chain::{self, Link};
use crate::domain::ids::{SellerId, TopupId};
use crate::domain::money::Money;
use crate::domain::names::names;
use crate::domain::payments::safeguarding::BankDetails;
use crate::domain::platform::seller::Mode;
use crate::domain::time::Timestamp;

names! {
    TopupStatus;
    0 Issued = "issued",
    1 PartiallyPaid = "partially_paid",
    /// What was asked for has come, or more.
    2 Paid = "paid",
    /// The days of grace after the due date are over, and something is outstanding.
    3 Overdue = "overdue",
    /// Its time is over, and something is outstanding. What still comes is taken.
    4 Expired = "expired",
}

#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct TopupInvoice {
    #[n(0)]
    pub id: TopupId,
    #[n(1)]
    pub seller: SellerId,
    #[n(2)]
    pub number: InvoiceNumber,
    /// What was asked for, above 0.
    #[n(3)]
    pub amount: Money,
    /// What has come so far, in minor units; may be more than was asked for.
    #[n(4)]
    pub received_minor: i64,
    #[n(5)]
    pub mode: Mode,
    #[n(6)]
    pub issued_at: Timestamp,
    #[n(7)]
    pub due_at: Timestamp,
    /// From when on it is overdue: the due date and the days of grace.
    #[n(8)]
    pub overdue_at: Timestamp,
    #[n(9)]
    pub expires_at: Timestamp,
    /// The safeguarding account as it was when the invoice was made.
    #[n(10)]
    pub bank: BankDetails,
    /// What has come, oldest first.
    #[n(11)]
    pub deposits: Vec<Deposit>,
}

impl TopupInvoice {
    /// Of what never changes of it, but for the number.
    pub fn digest(&self) -> Link {
        let Self {
            id, seller, amount, mode, issued_at, due_at, overdue_at, expires_at, bank, ..
        } = self;
        chain::digest(&(id, seller, amount, mode, issued_at, due_at, overdue_at, expires_at, bank))
    }

    pub fn status(&self, now: Timestamp) -> TopupStatus {
        if self.outstanding_minor() == 0 {
            TopupStatus::Paid
        } else if now >= self.expires_at {
            TopupStatus::Expired
        } else if now >= self.overdue_at {
            TopupStatus::Overdue
        } else if self.received_minor > 0 {
            TopupStatus::PartiallyPaid
        } else {
            TopupStatus::Issued
        }
    }

    /// What is still to come, in minor units, 0 or more.
    pub fn outstanding_minor(&self) -> i64 {
        self.amount.minor.saturating_sub(self.received_minor).max(0)
    }

    /// What whoever pays it writes into the transfer: the number as a creditor reference
    /// (ISO 11649), whose check digits tell a slip of the pen.
    pub fn payment_reference(&self) -> String {
        reference::creditor_reference(&self.number.to_string())
    }
}

impl CborRecord for TopupInvoice {}

#[cfg(test)]
mod tests;
