//! The revenue timeline of a contract: what happened to its money, in order (decisions 4).

use crate::domain::ids::{InvoiceId, SubscriptionId};
use crate::domain::money::Currency;
use crate::domain::time::Timestamp;

/// What an entry tells of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, minicbor::Encode, minicbor::Decode)]
#[cbor(index_only)]
pub enum TimelineKind {
    /// A subscription was created.
    #[n(0)]
    SubscriptionCreated,
    /// A subscription's first paid term began.
    #[n(1)]
    SubscriptionActivated,
    /// A subscription's next term began.
    #[n(2)]
    SubscriptionRenewed,
    /// A subscription's plan changed.
    #[n(3)]
    SubscriptionPlanChanged,
    /// A subscription was paused.
    #[n(4)]
    SubscriptionPaused,
    /// A subscription goes on.
    #[n(5)]
    SubscriptionResumed,
    /// A subscription was canceled.
    #[n(6)]
    SubscriptionCanceled,
    /// A subscription came to its end date.
    #[n(7)]
    SubscriptionExpired,
    /// A subscription's collection failed.
    #[n(8)]
    SubscriptionPastDue,
    /// A past-due subscription was collected.
    #[n(9)]
    SubscriptionRecovered,
    /// An invoice was issued.
    #[n(10)]
    InvoiceIssued,
    /// An invoice was paid.
    #[n(11)]
    InvoicePaid,
    /// An invoice is overdue.
    #[n(12)]
    InvoiceOverdue,
    /// An invoice was voided.
    #[n(13)]
    InvoiceVoided,
    /// An invoice was written off.
    #[n(14)]
    InvoiceWrittenOff,
    /// Stored credit paid a part of an invoice.
    #[n(15)]
    CreditApplied,
    /// Paid money is owed back while credits are off.
    #[n(16)]
    RefundDue,
    /// A credit note corrected an invoice.
    #[n(17)]
    CreditNoteIssued,
}

impl TimelineKind {
    /// The name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::SubscriptionCreated => "subscription_created",
            Self::SubscriptionActivated => "subscription_activated",
            Self::SubscriptionRenewed => "subscription_renewed",
            Self::SubscriptionPlanChanged => "subscription_plan_changed",
            Self::SubscriptionPaused => "subscription_paused",
            Self::SubscriptionResumed => "subscription_resumed",
            Self::SubscriptionCanceled => "subscription_canceled",
            Self::SubscriptionExpired => "subscription_expired",
            Self::SubscriptionPastDue => "subscription_past_due",
            Self::SubscriptionRecovered => "subscription_recovered",
            Self::InvoiceIssued => "invoice_issued",
            Self::InvoicePaid => "invoice_paid",
            Self::InvoiceOverdue => "invoice_overdue",
            Self::InvoiceVoided => "invoice_voided",
            Self::InvoiceWrittenOff => "invoice_written_off",
            Self::CreditApplied => "credit_applied",
            Self::RefundDue => "refund_due",
            Self::CreditNoteIssued => "credit_note_issued",
        }
    }
}

/// One entry of the timeline, without its id.
#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct TimelineEntry {
    /// What happened.
    #[n(0)]
    pub kind: TimelineKind,
    /// When, on the contract's own clock.
    #[n(1)]
    pub occurred_at: Timestamp,
    /// The subscription it happened to.
    #[n(2)]
    pub subscription: Option<SubscriptionId>,
    /// The invoice it happened to.
    #[n(3)]
    pub invoice: Option<InvoiceId>,
    /// The amount at stake, in minor units of `currency`.
    #[n(4)]
    pub amount_minor: Option<i64>,
    /// The contract's currency, where there is an amount.
    #[n(5)]
    pub currency: Option<Currency>,
    /// A sentence for a reader.
    #[n(6)]
    pub detail: Option<String>,
}
