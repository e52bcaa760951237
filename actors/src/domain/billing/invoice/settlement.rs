//! What is known of an invoice's money when it has come.

use crate::domain::billing::invoice::{Invoice, PaidVia};
use crate::domain::ids::{CreditEntryId, PaymentId};
use crate::domain::time::Timestamp;

/// A payment that counts, or once counted, towards an invoice.
#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct PaymentReceived {
    #[n(0)]
    pub payment: PaymentId,
    #[n(1)]
    pub reference: String,
    /// Minor units of the invoice's currency; kept as far as it was outstanding.
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
    /// What was refunded of all that it brought, minor units.
    #[n(6)]
    #[cbor(default)]
    pub refunded_minor: i64,
    /// How much of that had become stored credit, as more than was outstanding, and is none any
    /// more. The rest was refunded of what counts.
    #[n(7)]
    #[cbor(default)]
    pub surplus_refunded_minor: i64,
}

/// A bank deposit that was matched to an invoice.
#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct DepositReceived {
    /// What the bank calls the transfer.
    #[n(0)]
    pub reference: String,
    /// What came, minor units of the invoice's currency, above 0.
    #[n(1)]
    pub amount_minor: i64,
    /// How much of it was outstanding; the rest became stored credit.
    #[n(2)]
    pub counted_minor: i64,
    #[n(3)]
    pub at: Timestamp,
}

/// Money of an invoice that became stored credit, or is owed back.
#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct GivenBack {
    /// The lot that it became; none of what is owed while credits are off.
    #[n(0)]
    pub lot: Option<CreditEntryId>,
    /// What was not taken back of it, minor units, above 0.
    #[n(1)]
    pub amount_minor: i64,
    /// The payment whose surplus it was; none of what had been counted.
    #[n(2)]
    pub payment: Option<PaymentId>,
}

impl Invoice {
    /// Its number as it is written; empty while it has none.
    pub fn number_text(&self) -> String {
        self.number.map(|number| number.to_string()).unwrap_or_default()
    }

    /// The money that counts towards it, minor units.
    pub fn received_minor(&self) -> i64 {
        let counts = self.payments.iter().filter(|payment| payment.reversed_at.is_none());
        let payments: i64 = counts.map(|payment| payment.amount_minor).sum();
        let deposits: i64 = self.deposits.iter().map(|deposit| deposit.counted_minor).sum();
        payments + deposits
    }

    /// What neither money nor stored credit nor credit notes have settled, also where nobody
    /// waits for it any more.
    pub fn receivable_minor(&self) -> i64 {
        let taken_off = self.credited_minor - self.given_back_minor - self.credit_returned_minor;
        self.collectible_minor - self.received_minor() - taken_off
    }

    /// What credit notes may still take off it.
    pub fn creditable_minor(&self) -> i64 {
        self.totals.grand_total_minor - self.credited_minor
    }
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
