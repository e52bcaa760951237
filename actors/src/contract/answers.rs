//! What a contract room answers, where that is more than the object itself.

use crate::domain::billing::invoice::{Invoice, InvoiceLine};
use crate::domain::billing::test_clock::TestClock;

/// An issued document with its lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Issued {
    /// The document.
    pub invoice: Invoice,
    /// Its lines, in order.
    pub lines: Vec<InvoiceLine>,
}

/// What the lifecycle did to a contract's subscriptions (billing 2.11).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LifecycleCounts {
    /// Trials that became paid.
    pub trials_activated: u64,
    /// Trials that ended in a cancel.
    pub trials_canceled: u64,
    /// Trials that ended without the card that is required.
    pub trials_past_due: u64,
    /// Terms begun after the first.
    pub renewed: u64,
    /// Paused subscriptions that go on.
    pub resumed: u64,
    /// Scheduled cancels that took effect.
    pub canceled: u64,
    /// Subscriptions whose last day is over.
    pub expired: u64,
    /// Subscriptions with nothing to do.
    pub skipped: u64,
    /// Whether the lifecycle is switched off; then nothing was done.
    pub cron_disabled: bool,
}

/// What the recurring pass did to a contract (billing 2.11).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct InvoiceCounts {
    /// Invoices issued.
    pub issued: u64,
    /// Of these, invoices sent.
    pub sent: u64,
    /// 1 when nothing was issued, for whatever reason.
    pub skipped: u64,
    /// Documents that could not be composed.
    pub failed: u64,
    /// Whether the pass is switched off; then nothing was done.
    pub pass_disabled: bool,
}

/// What an advance did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AdvanceAnswer {
    /// The clock afterwards; absent while the contract has none.
    pub clock: Option<TestClock>,
    /// Whether it moved.
    pub advanced: bool,
    /// What happened to the subscriptions.
    pub lifecycle: LifecycleCounts,
    /// What was invoiced.
    pub invoices: InvoiceCounts,
}
