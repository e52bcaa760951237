//! Passes: what time brings to contracts and live payments, found by their timers and handed to
//! their rooms.

use futures::StreamExt;
use storage::{ReadError, Store};

use crate::clock::Clock;
use crate::contract::{CloseCounts, Contracts, InvoiceCounts, LifecycleCounts};
use crate::directory::Directory;
use crate::domain::ids::{ContractId, PaymentId};
use crate::domain::platform::switches::{Switch, Switches, effective};
use crate::domain::time::Timestamp;
use crate::kernel::AskError;
use crate::payment::Payments;
use crate::timers::{Due, TimerKind, due};

/// How many contracts a pass asks at once.
const AT_ONCE: usize = 256;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pass {
    /// Trials end, terms renew, scheduled changes take effect.
    Lifecycle,
    /// Usage periods that are over become closed lines.
    UsageClose,
    /// Due terms become invoices.
    RecurringInvoice,
    /// Closed lines become invoices.
    UsageInvoice,
    /// Invoices fall overdue; has no switch.
    Overdue,
    /// Providers are asked for the funds of live payments; has no switch.
    Settle,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// The schedule; contracts on a test clock are left alone.
    Schedule,
    /// The operator; contracts on a test clock take part, by their own clock.
    Operator,
}

pub type Counts = Vec<(&'static str, u64)>;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PassReport {
    pub pass: Pass,
    pub pass_disabled: bool,
    pub counts: Counts,
}

impl Pass {
    /// Every pass, in the order in which they are to run.
    pub const ALL: [Self; 6] = [
        Self::Lifecycle,
        Self::UsageClose,
        Self::RecurringInvoice,
        Self::UsageInvoice,
        Self::Overdue,
        Self::Settle,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Self::Lifecycle => Switch::LifecycleCron.name(),
            Self::UsageClose => Switch::UsageClosePass.name(),
            Self::RecurringInvoice => Switch::RecurringInvoicePass.name(),
            Self::UsageInvoice => Switch::UsageInvoicePass.name(),
            Self::Overdue => "invoice.overdue",
            Self::Settle => "payments.settle",
        }
    }

    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|pass| pass.name() == name)
    }

    fn switch(self) -> Option<Switch> {
        match self {
            Self::Lifecycle => Some(Switch::LifecycleCron),
            Self::UsageClose => Some(Switch::UsageClosePass),
            Self::RecurringInvoice => Some(Switch::RecurringInvoicePass),
            Self::UsageInvoice => Some(Switch::UsageInvoicePass),
            Self::Overdue | Self::Settle => None,
        }
    }

    fn timers(self, scope: Scope) -> &'static [TimerKind] {
        match (self, scope) {
            (Self::Lifecycle, Scope::Schedule) => &[TimerKind::Lifecycle],
            (Self::Lifecycle, Scope::Operator) => &[TimerKind::Lifecycle, TimerKind::HeldLifecycle],
            (Self::RecurringInvoice, Scope::Schedule) => &[TimerKind::Recurring],
            (Self::RecurringInvoice, Scope::Operator) => {
                &[TimerKind::Recurring, TimerKind::HeldRecurring]
            }
            // Metering goes by the wall clock on a test clock too.
            (Self::UsageClose, _) => &[TimerKind::UsageClose],
            (Self::UsageInvoice, _) => &[TimerKind::UsageInvoice],
            (Self::Overdue, _) => &[TimerKind::Overdue],
            (Self::Settle, _) => &[TimerKind::Settlement],
        }
    }
}

#[derive(Clone)]
pub struct Passes {
    store: Store,
    clock: Clock,
    directory: Directory,
    contracts: Contracts,
    payments: Payments,
}

impl Passes {
    pub fn new(
        store: Store,
        clock: Clock,
        directory: Directory,
        contracts: Contracts,
        payments: Payments,
    ) -> Self {
        Self { store, clock, directory, contracts, payments }
    }

    /// Runs a pass once: every contract that has something due is asked once.
    pub async fn run(&self, pass: Pass, scope: Scope) -> Result<PassReport, ReadError> {
        let mut found = Vec::new();
        for kind in pass.timers(scope) {
            // A held timer is due by its contract's clock, which may lie ahead of the wall; and
            // an operator who asks for funds means now.
            let held = matches!(kind, TimerKind::HeldLifecycle | TimerKind::HeldRecurring)
                || (pass == Pass::Settle && scope == Scope::Operator);
            let until = if held { Timestamp::MAX } else { self.clock.now() };
            let (store, kind) = (self.store.clone(), *kind);
            let read = tokio::task::spawn_blocking(move || due(&store, kind, until, usize::MAX));
            found.extend(read.await.map_err(|error| ReadError::Failed(error.to_string()))??);
        }
        let global = self.directory.global_switches()?;
        let off = |switch| {
            !effective(&global, &Switches::default(), self.directory.is_demo_server(), switch)
        };
        let mut allowed = Vec::with_capacity(found.len());
        for timer in found {
            let Some(seller) = self.directory.seller(timer.seller)? else { continue };
            // A period that is over waits for late arrivals before it closes.
            let waits =
                pass == Pass::UsageClose && timer.at > seller.usage_ended_by(self.clock.now());
            if !waits && pass.switch().is_none_or(|switch| seller.switch(switch)) {
                allowed.push(timer);
            }
        }
        let pass_disabled = allowed.is_empty() && pass.switch().is_some_and(off);
        let counts = self.carry_out(pass, allowed).await;
        Ok(PassReport { pass, pass_disabled, counts })
    }

    async fn carry_out(&self, pass: Pass, due: Vec<Due>) -> Counts {
        let (contracts, payments) = (&self.contracts, &self.payments);
        let id = |timer: Due| (timer.seller, ContractId(timer.object));
        match pass {
            Pass::Lifecycle => {
                let run = |timer| contracts.run_lifecycle(id(timer).0, id(timer).1);
                lifecycle_counts(&all(due, run).await)
            }
            Pass::UsageClose => {
                let run = |timer| contracts.run_usage_close(id(timer).0, id(timer).1);
                close_counts(&all(due, run).await)
            }
            Pass::RecurringInvoice => {
                let run = |timer| contracts.run_recurring(id(timer).0, id(timer).1);
                invoice_counts(&all(due, run).await)
            }
            Pass::UsageInvoice => {
                let run = |timer| contracts.run_usage_invoices(id(timer).0, id(timer).1);
                invoice_counts(&all(due, run).await)
            }
            Pass::Overdue => {
                let run = |timer| contracts.run_overdue(id(timer).0, id(timer).1);
                vec![("overdue", all(due, run).await.iter().sum())]
            }
            Pass::Settle => {
                let run = |timer: Due| payments.check_funds(timer.seller, PaymentId(timer.object));
                let asked = all(due, run).await;
                let settled = asked.iter().filter(|payment| payment.settled_at.is_some()).count();
                let (settled, asked) = (settled as u64, asked.len() as u64);
                vec![("settled", settled), ("pending", asked - settled)]
            }
        }
    }
}

/// Asks every object once, some at a time. One that gives no answer is asked again by the next
/// run: its timer is still there.
async fn all<T, F>(due: Vec<Due>, ask: impl Fn(Due) -> F) -> Vec<T>
where
    F: Future<Output = Result<T, AskError>>,
{
    let asked = futures::stream::iter(due).map(|timer| {
        let answer = ask(timer);
        async move {
            let (seller, object) = (timer.seller.0, timer.object);
            answer
                .await
                .inspect_err(|error| {
                    tracing::warn!(seller, object, %error, "a pass skipped an object");
                })
                .ok()
        }
    });
    asked.buffer_unordered(AT_ONCE).filter_map(std::future::ready).collect().await
}

fn lifecycle_counts(all: &[LifecycleCounts]) -> Counts {
    let sum = |of: fn(&LifecycleCounts) -> u64| all.iter().map(of).sum();
    vec![
        ("trialsActivated", sum(|c| c.trials_activated)),
        ("trialsCanceled", sum(|c| c.trials_canceled)),
        ("trialsPastDue", sum(|c| c.trials_past_due)),
        ("renewed", sum(|c| c.renewed)),
        ("resumed", sum(|c| c.resumed)),
        ("canceled", sum(|c| c.canceled)),
        ("expired", sum(|c| c.expired)),
    ]
}

fn close_counts(all: &[CloseCounts]) -> Counts {
    let sum = |of: fn(&CloseCounts) -> u64| all.iter().map(of).sum();
    vec![("closed", sum(|c| c.closed)), ("lines", sum(|c| c.lines)), ("failed", sum(|c| c.failed))]
}

fn invoice_counts(all: &[InvoiceCounts]) -> Counts {
    let sum = |of: fn(&InvoiceCounts) -> u64| all.iter().map(of).sum();
    vec![
        ("issued", sum(|c| c.issued)),
        ("sent", sum(|c| c.sent)),
        ("skipped", sum(|c| c.skipped)),
        ("failed", sum(|c| c.failed)),
    ]
}
