//! What is known of an invoice's money when it has come.

use crate::domain::billing::invoice::{Invoice, PaidVia};
use crate::domain::ids::PaymentId;
use crate::domain::time::Timestamp;

/// A payment that counts, or once counted, towards an invoice.
#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct PaymentReceived {
    #[n(0)]
    pub payment: PaymentId,
    #[n(1)]
    pub reference: String,
    /// Minor units of the invoice's currency, above 0; kept as far as it was outstanding.
    #[n(2)]
    pub amount_minor: i64,
    #[n(3)]
    pub via: PaidVia,
    /// When it came, by the wall clock.
    #[n(4)]
    pub at: Timestamp,
    /// When it was taken back; it stays here, so that it is never taken for a new one.
    #[n(5)]
    pub reversed_at: Option<Timestamp>,
}

/// Why there may be no payments in the settlement trail of this invoice.
pub fn settlement_note(invoice: &Invoice) -> Option<&'static str> {
    match invoice.paid_via {
        Some(PaidVia::BankDeposit) => Some("settled by a matched bank deposit"),
        Some(PaidVia::StoredCredit) => Some("discharged entirely by stored credit"),
        Some(_) => None,
        None => invoice.sent_at.is_none().then_some("invoice was never sent"),
    }
}
