//! The revenue timeline of a contract: what happened to its money, in order.

use storage::CborRecord;

use crate::domain::ids::{InvoiceId, SubscriptionId, TimelineId};
use crate::domain::money::Currency;
use crate::domain::names::names;
use crate::domain::time::Timestamp;

names! {
    TimelineKind;
    0 SubscriptionCreated = "subscription_created",
    1 SubscriptionActivated = "subscription_activated",
    2 SubscriptionRenewed = "subscription_renewed",
    3 SubscriptionPlanChanged = "subscription_plan_changed",
    4 SubscriptionPaused = "subscription_paused",
    5 SubscriptionResumed = "subscription_resumed",
    6 SubscriptionCanceled = "subscription_canceled",
    7 SubscriptionExpired = "subscription_expired",
    /// The buyer cancelled it for a later day.
    50 SubscriptionCancelScheduled = "subscription_cancel_scheduled",
    /// The buyer took that back.
    51 SubscriptionCancelTakenBack = "subscription_cancel_taken_back",
    8 SubscriptionPastDue = "subscription_past_due",
    9 SubscriptionRecovered = "subscription_recovered",
    10 InvoiceIssued = "invoice_issued",
    11 InvoicePaid = "invoice_paid",
    12 InvoiceOverdue = "invoice_overdue",
    13 InvoiceVoided = "invoice_voided",
    14 InvoiceWrittenOff = "invoice_written_off",
    15 CreditApplied = "credit_applied",
    /// Paid money is owed back while credits are off; below 0 where that turned out not to be so.
    16 RefundDue = "refund_due",
    17 CreditNoteIssued = "credit_note_issued",
    18 UsagePeriodClosed = "usage_period_closed",
    /// A metric's soft limit is exceeded in the running period.
    19 UsageCapExceeded = "usage_cap_exceeded",
    /// Stored credit was granted or made.
    20 CreditGranted = "credit_granted",
    /// What an invoice had drawn came back.
    21 CreditReturned = "credit_returned",
    22 CreditExpired = "credit_expired",
    /// The customer let a card be saved.
    40 CardSaved = "card_saved",
    /// A saved card was charged for an invoice.
    41 CardCharged = "card_charged",
    42 CardChargeFailed = "card_charge_failed",
    /// The buyer of an invoice was reminded of it.
    30 ReminderSent = "reminder_sent",
    /// A project or milestone of the contract is done.
    38 WorkCompleted = "work_completed",
    /// A payment came for an invoice that was paid already, and goes back to the buyer.
    43 PaymentReturned = "payment_returned",
    /// Credit was taken back: the money that it was made of never came.
    44 CreditReversed = "credit_reversed",
    /// The same of credit that was spent already.
    45 CreditNotRecovered = "credit_not_recovered",
    /// The saved card could not pay for more credit: no more is bought.
    46 CreditAutoTopUpFailed = "credit_auto_topup_failed",
}

#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct TimelineEntry {
    #[n(0)]
    pub kind: TimelineKind,
    /// On the contract's own clock.
    #[n(1)]
    pub occurred_at: Timestamp,
    #[n(2)]
    pub subscription: Option<SubscriptionId>,
    #[n(3)]
    pub invoice: Option<InvoiceId>,
    /// The amount at stake, in minor units of `currency`.
    #[n(4)]
    pub amount_minor: Option<i64>,
    #[n(5)]
    pub currency: Option<Currency>,
    #[n(6)]
    pub detail: Option<String>,
}

/// The timeline entries of one write, each with its id.
#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
#[cbor(transparent)]
pub struct TimelineRow(#[n(0)] pub Vec<(TimelineId, TimelineEntry)>);

impl CborRecord for TimelineRow {}
