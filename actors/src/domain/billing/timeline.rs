//! The revenue timeline of a contract: what happened to its money, in order (decisions 4).

use storage::CborRecord;

use crate::domain::ids::{InvoiceId, SubscriptionId, TimelineId};
use crate::domain::money::Currency;
use crate::domain::names::names;
use crate::domain::time::Timestamp;

names! {
    /// What an entry tells of.
    TimelineKind;
    /// A subscription was created.
    0 SubscriptionCreated = "subscription_created",
    /// A subscription's first paid term began.
    1 SubscriptionActivated = "subscription_activated",
    /// A subscription's next term began.
    2 SubscriptionRenewed = "subscription_renewed",
    /// A subscription's plan changed.
    3 SubscriptionPlanChanged = "subscription_plan_changed",
    /// A subscription was paused.
    4 SubscriptionPaused = "subscription_paused",
    /// A subscription goes on.
    5 SubscriptionResumed = "subscription_resumed",
    /// A subscription was canceled.
    6 SubscriptionCanceled = "subscription_canceled",
    /// A subscription came to its end date.
    7 SubscriptionExpired = "subscription_expired",
    /// A subscription's collection failed.
    8 SubscriptionPastDue = "subscription_past_due",
    /// A past-due subscription was collected.
    9 SubscriptionRecovered = "subscription_recovered",
    /// An invoice was issued.
    10 InvoiceIssued = "invoice_issued",
    /// An invoice was paid.
    11 InvoicePaid = "invoice_paid",
    /// An invoice is overdue.
    12 InvoiceOverdue = "invoice_overdue",
    /// An invoice was voided.
    13 InvoiceVoided = "invoice_voided",
    /// An invoice was written off.
    14 InvoiceWrittenOff = "invoice_written_off",
    /// Stored credit paid a part of an invoice.
    15 CreditApplied = "credit_applied",
    /// Paid money is owed back while credits are off.
    16 RefundDue = "refund_due",
    /// A credit note corrected an invoice.
    17 CreditNoteIssued = "credit_note_issued",
    /// A metric's period was closed and rated.
    18 UsagePeriodClosed = "usage_period_closed",
    /// A metric's soft limit is exceeded in the running period.
    19 UsageCapExceeded = "usage_cap_exceeded",
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

/// The timeline entries of one write, each with its id.
#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
#[cbor(transparent)]
pub struct TimelineRow(#[n(0)] pub Vec<(TimelineId, TimelineEntry)>);

impl CborRecord for TimelineRow {}
