//! The words that a subscription is described with, and their names on the wire.

use crate::domain::names::names;

names! {
    Frequency;
    0 Weekly = "weekly",
    1 Monthly = "monthly",
    2 Quarterly = "quarterly",
    3 Semiannual = "semiannual",
    4 Annual = "annual",
}

names! {
    SubscriptionStatus;
    0 Scheduled = "scheduled",
    /// Free of charge until the trial's end.
    1 Trialing = "trialing",
    2 Active = "active",
    3 PastDue = "past_due",
    /// No term begins until it is resumed.
    4 Paused = "paused",
    /// Ended by a cancel; final.
    5 Canceled = "canceled",
    /// Ended by its end date; final.
    6 Expired = "expired",
}

names! {
    /// What happens on the first day after the trial.
    TrialEndBehavior;
    0 Activate = "activate",
    1 Cancel = "cancel",
}

names! {
    CancelMode;
    0 PeriodEnd = "period_end",
    1 Immediately = "immediately",
    /// On a stated day, the first that is not served.
    2 AtDate = "at_date",
}

names! {
    ChangeTiming;
    /// At once, with a proration of the running term.
    0 Immediately = "immediately",
    1 PeriodEnd = "period_end",
}

impl SubscriptionStatus {
    pub fn is_final(self) -> bool {
        matches!(self, Self::Canceled | Self::Expired)
    }

    /// Whether its terms are charged for, paid or not.
    pub fn is_charged(self) -> bool {
        matches!(self, Self::Active | Self::PastDue)
    }
}

impl Frequency {
    /// Months of a term; nothing for terms that are counted in weeks.
    pub fn months(self) -> Option<u32> {
        match self {
            Self::Weekly => None,
            Self::Monthly => Some(1),
            Self::Quarterly => Some(3),
            Self::Semiannual => Some(6),
            Self::Annual => Some(12),
        }
    }
}
