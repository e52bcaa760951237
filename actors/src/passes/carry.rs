//! Asking one object, and adding up what all of them did.

use storage::ReadError;

use super::{Counts, Pass, Passes};
use crate::contract::{CloseCounts, CollectionCounts, InvoiceCounts, LifecycleCounts};
use crate::domain::ids::{ContractId, PaymentId, SellerId};
use crate::domain::platform::seller::SellerStatus;
use crate::domain::platform::switches::Switch;
use crate::kernel::AskError;
use crate::timers::{Due, TimerKind};

/// What objects did, as sums.
pub(super) struct Carried {
    pub(super) counts: Counts,
    /// Whether anything was done at all.
    pub(super) anything: bool,
    /// How many gave no answer.
    pub(super) unanswered: u64,
}

impl Carried {
    /// What a pass counts, before it has asked anybody.
    pub(super) fn none(pass: Pass) -> Self {
        let counts = match pass {
            Pass::Lifecycle => lifecycle_counts(&LifecycleCounts::default()),
            Pass::UsageClose => close_counts(CloseCounts::default()),
            Pass::RecurringInvoice | Pass::UsageInvoice => invoice_counts(InvoiceCounts::default()),
            Pass::Overdue => vec![("overdue", 0)],
            Pass::CreditExpiry => vec![("expired", 0)],
            Pass::Reminders => vec![("reminded", 0)],
            Pass::AutoCharge | Pass::AutoTopup => collection_counts(CollectionCounts::default()),
            Pass::Settle => vec![("settled", 0), ("pending", 0)],
        };
        Self { counts, anything: false, unanswered: 0 }
    }

    pub(super) fn add(&mut self, more: Self) {
        for ((_, sum), (_, count)) in self.counts.iter_mut().zip(more.counts) {
            *sum += count;
        }
        self.anything |= more.anything;
        self.unanswered += more.unanswered;
    }

    fn of(counts: Counts) -> Self {
        let anything = counts.iter().any(|(name, count)| *name != "skipped" && *count > 0);
        Self { counts, anything, unanswered: 0 }
    }
}

impl Passes {
    /// Whether a pass does anything for a seller: not while it is switched off for it, and not
    /// once its account is shut or over.
    pub(super) fn serves(
        &self,
        pass: Pass,
        kind: TimerKind,
        seller: SellerId,
    ) -> Result<bool, ReadError> {
        let Some(known) = self.directory.seller(seller)? else { return Ok(false) };
        let now = self.clock.now();
        let is_over = known.seller.expires_at.is_some_and(|end| end <= now);
        let is_open = known.seller.status == SellerStatus::Active && !is_over;
        let beside: &[Switch] = match kind {
            TimerKind::LastCharge | TimerKind::HeldLastCharge => &[Switch::ProrationBinding],
            TimerKind::LastCredit | TimerKind::HeldLastCredit => {
                &[Switch::ProrationBinding, Switch::Credits]
            }
            TimerKind::AutoTopup | TimerKind::UsageCredit => &[Switch::Credits],
            _ => &[],
        };
        let mut needed = pass.switch().into_iter().chain(beside.iter().copied());
        Ok(is_open && needed.all(|switch| known.switch(switch)))
    }

    /// Asks one object. One that gives no answer is asked again by the next run: its timer is
    /// still there. A timer that brought nothing about is deleted where its room does not want it.
    pub(super) async fn ask(&self, pass: Pass, kind: TimerKind, timer: Due) -> Carried {
        let none = Carried::none(pass);
        let carried = match self.carry(pass, timer).await {
            Ok(counts) => Carried::of(counts),
            Err(AskError::Refused(_)) => none,
            Err(error) => {
                let (seller, object) = (timer.seller.0, timer.object);
                tracing::warn!(seller, object, pass = pass.name(), %error, "a pass skipped an object");
                return Carried { unanswered: 1, ..none };
            }
        };
        if !carried.anything
            && let Err(error) = self.mend(pass, kind, timer).await
        {
            let (seller, object) = (timer.seller.0, timer.object);
            tracing::warn!(seller, object, ?kind, %error, "a timer was not compared with its room");
        }
        carried
    }

    async fn carry(&self, pass: Pass, timer: Due) -> Result<Counts, AskError> {
        let contracts = &self.contracts;
        let (seller, contract) = (timer.seller, ContractId(timer.object));
        Ok(match pass {
            Pass::Lifecycle => lifecycle_counts(&contracts.run_lifecycle(seller, contract).await?),
            Pass::UsageClose => close_counts(contracts.run_usage_close(seller, contract).await?),
            Pass::RecurringInvoice => {
                invoice_counts(contracts.run_recurring(seller, contract).await?)
            }
            Pass::UsageInvoice => {
                invoice_counts(contracts.run_usage_invoices(seller, contract).await?)
            }
            Pass::Overdue => vec![("overdue", contracts.run_overdue(seller, contract).await?)],
            Pass::CreditExpiry => {
                vec![("expired", contracts.run_credit_expiry(seller, contract).await?)]
            }
            Pass::Reminders => vec![("reminded", contracts.run_reminders(seller, contract).await?)],
            Pass::AutoCharge => {
                collection_counts(contracts.run_collection(seller, contract).await?)
            }
            Pass::AutoTopup => collection_counts(contracts.run_auto_topup(seller, contract).await?),
            Pass::Settle => {
                let payment = self.payments.check_funds(seller, PaymentId(timer.object)).await?;
                let settled = u64::from(payment.settled_at.is_some());
                vec![("settled", settled), ("pending", 1 - settled)]
            }
        })
    }

    async fn mend(&self, pass: Pass, kind: TimerKind, timer: Due) -> Result<bool, AskError> {
        match pass {
            Pass::Settle => self.payments.mend_timer(kind, timer).await,
            _ => self.contracts.mend_timer(kind, timer).await,
        }
    }
}

fn lifecycle_counts(counts: &LifecycleCounts) -> Counts {
    vec![
        ("trialsActivated", counts.trials_activated),
        ("trialsCanceled", counts.trials_canceled),
        ("trialsPastDue", counts.trials_past_due),
        ("renewed", counts.renewed),
        ("resumed", counts.resumed),
        ("canceled", counts.canceled),
        ("expired", counts.expired),
    ]
}

fn close_counts(counts: CloseCounts) -> Counts {
    vec![("closed", counts.closed), ("lines", counts.lines), ("failed", counts.failed)]
}

fn invoice_counts(counts: InvoiceCounts) -> Counts {
    vec![
        ("issued", counts.issued),
        ("sent", counts.sent),
        ("skipped", counts.skipped),
        ("failed", counts.failed),
    ]
}

fn collection_counts(counts: CollectionCounts) -> Counts {
    vec![
        ("charged", counts.charged),
        ("failed", counts.failed),
        ("pending", counts.pending),
        ("skipped", counts.skipped),
        ("pastDue", counts.past_due),
    ]
}
