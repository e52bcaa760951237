//! The words that a subscription is described with, and their names on the wire (decisions 4).

use crate::domain::names::names;

names! {
    /// How long a term is.
    Frequency;
    /// Seven days.
    0 Weekly = "weekly",
    /// One month.
    1 Monthly = "monthly",
    /// Three months.
    2 Quarterly = "quarterly",
    /// Six months.
    3 Semiannual = "semiannual",
    /// Twelve months.
    4 Annual = "annual",
}

names! {
    /// Where a subscription stands.
    SubscriptionStatus;
    /// Its first day is ahead.
    0 Scheduled = "scheduled",
    /// Free of charge until the trial's end.
    1 Trialing = "trialing",
    /// In a paid term.
    2 Active = "active",
    /// In a paid term whose collection failed.
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
    /// The first paid term begins.
    0 Activate = "activate",
    /// The subscription ends.
    1 Cancel = "cancel",
}

names! {
    /// When a cancel takes effect.
    CancelMode;
    /// With the running term, or the trial.
    0 PeriodEnd = "period_end",
    /// At once.
    1 Immediately = "immediately",
    /// On a stated day, the first that is not served.
    2 AtDate = "at_date",
}

names! {
    /// When a change of plan takes effect.
    ChangeTiming;
    /// At once, with a proration of the running term.
    0 Immediately = "immediately",
    /// With the next term.
    1 PeriodEnd = "period_end",
}

impl SubscriptionStatus {
    /// Whether the subscription has ended for good.
    pub fn is_final(self) -> bool {
        matches!(self, Self::Canceled | Self::Expired)
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
