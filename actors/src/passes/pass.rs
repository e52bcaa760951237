//! Which passes there are, the switch of each, and the timers that it goes by.

use crate::domain::platform::switches::Switch;
use crate::domain::time::Timestamp;
use crate::timers::TimerKind;

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
    /// Stored credit expires; has no switch.
    CreditExpiry,
    /// Buyers are reminded of invoices.
    Reminders,
    /// Saved cards are charged for invoices.
    AutoCharge,
    /// Stored credit tops itself up with saved cards; has no switch but that of stored credit.
    AutoTopup,
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

impl Pass {
    pub const ALL: [Self; 10] = [
        Self::Lifecycle,
        Self::UsageClose,
        Self::RecurringInvoice,
        Self::UsageInvoice,
        Self::Overdue,
        Self::CreditExpiry,
        Self::Reminders,
        Self::AutoCharge,
        Self::AutoTopup,
        Self::Settle,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Self::Lifecycle => Switch::LifecycleCron.name(),
            Self::UsageClose => Switch::UsageClosePass.name(),
            Self::RecurringInvoice => Switch::RecurringInvoicePass.name(),
            Self::UsageInvoice => Switch::UsageInvoicePass.name(),
            Self::Overdue => "invoice.overdue",
            Self::CreditExpiry => "credit.expiry",
            Self::Reminders => Switch::Reminders.name(),
            Self::AutoCharge => Switch::AutoCharge.name(),
            Self::AutoTopup => "credit.auto_topup",
            Self::Settle => "payments.settle",
        }
    }

    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|pass| pass.name() == name)
    }

    pub(super) fn switch(self) -> Option<Switch> {
        match self {
            Self::Lifecycle => Some(Switch::LifecycleCron),
            Self::UsageClose => Some(Switch::UsageClosePass),
            Self::RecurringInvoice => Some(Switch::RecurringInvoicePass),
            Self::UsageInvoice => Some(Switch::UsageInvoicePass),
            Self::Reminders => Some(Switch::Reminders),
            Self::AutoCharge => Some(Switch::AutoCharge),
            Self::Overdue | Self::CreditExpiry | Self::AutoTopup | Self::Settle => None,
        }
    }

    pub(super) fn timers(self, scope: Scope) -> &'static [TimerKind] {
        match (self, scope) {
            (Self::Lifecycle, Scope::Schedule) => &[TimerKind::Lifecycle],
            (Self::Lifecycle, Scope::Operator) => &[TimerKind::Lifecycle, TimerKind::HeldLifecycle],
            (Self::RecurringInvoice, Scope::Schedule) => {
                &[TimerKind::Recurring, TimerKind::LastCharge, TimerKind::LastCredit]
            }
            (Self::RecurringInvoice, Scope::Operator) => {
                use TimerKind::{
                    HeldLastCharge, HeldLastCredit, HeldRecurring, LastCharge, LastCredit,
                    Recurring,
                };
                &[Recurring, LastCharge, LastCredit, HeldRecurring, HeldLastCharge, HeldLastCredit]
            }
            // Metering goes by the wall clock on a test clock too.
            (Self::UsageClose, _) => &[TimerKind::UsageClose],
            (Self::UsageInvoice, _) => &[TimerKind::UsageInvoice, TimerKind::UsageCredit],
            (Self::Overdue, _) => &[TimerKind::Overdue],
            (Self::CreditExpiry, _) => &[TimerKind::CreditExpiry],
            (Self::Reminders, _) => &[TimerKind::Reminder],
            (Self::AutoCharge, Scope::Schedule) => &[TimerKind::Collection],
            (Self::AutoCharge, Scope::Operator) => {
                &[TimerKind::Collection, TimerKind::HeldCollection]
            }
            (Self::AutoTopup, _) => &[TimerKind::AutoTopup],
            (Self::Settle, _) => &[TimerKind::Settlement],
        }
    }

    /// Up to when timers count as due at `now`. A held timer is due by its contract's clock, which
    /// may lie ahead of the wall; and an operator who asks for funds means now.
    pub(super) fn until(self, kind: TimerKind, scope: Scope, now: Timestamp) -> Timestamp {
        let held = matches!(
            kind,
            TimerKind::HeldLifecycle
                | TimerKind::HeldRecurring
                | TimerKind::HeldLastCharge
                | TimerKind::HeldLastCredit
                | TimerKind::HeldCollection
        );
        if held || (self == Self::Settle && scope == Scope::Operator) {
            return Timestamp::MAX;
        }
        now
    }
}
