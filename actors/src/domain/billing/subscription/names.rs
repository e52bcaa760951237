//! The words that a subscription is described with, and their names on the wire (decisions 4).

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Declares a set of words once: the variants, their names on the wire and their numbers on disk.
macro_rules! words {
    ($(#[$doc:meta])* $set:ident { $($(#[$word_doc:meta])* $number:literal $word:ident = $name:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, minicbor::Encode, minicbor::Decode)]
        #[cbor(index_only)]
        pub enum $set { $($(#[$word_doc])* #[n($number)] $word),+ }

        impl $set {
            /// Every word of the set, in the order of the documents.
            pub const ALL: &[Self] = &[$(Self::$word),+];

            /// The name on the wire.
            pub fn name(self) -> &'static str {
                match self { $(Self::$word => $name),+ }
            }

            /// The word of this name, exactly as written.
            pub fn parse(name: &str) -> Option<Self> {
                match name { $($name => Some(Self::$word),)+ _ => None }
            }
        }

        impl Serialize for $set {
            fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                to.serialize_str(self.name())
            }
        }

        impl<'de> Deserialize<'de> for $set {
            fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                let name = String::deserialize(from)?;
                Self::parse(&name).ok_or_else(|| {
                    serde::de::Error::unknown_variant(&name, &[$($name),+])
                })
            }
        }
    };
}

words! {
    /// How long a term is.
    Frequency {
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
}

words! {
    /// Where a subscription stands.
    SubscriptionStatus {
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
}

words! {
    /// What happens on the first day after the trial.
    TrialEndBehavior {
        /// The first paid term begins.
        0 Activate = "activate",
        /// The subscription ends.
        1 Cancel = "cancel",
    }
}

words! {
    /// When a cancel takes effect.
    CancelMode {
        /// With the running term, or the trial.
        0 PeriodEnd = "period_end",
        /// At once.
        1 Immediately = "immediately",
        /// On a stated day, the first that is not served.
        2 AtDate = "at_date",
    }
}

words! {
    /// When a change of plan takes effect.
    ChangeTiming {
        /// At once, with a proration of the running term.
        0 Immediately = "immediately",
        /// With the next term.
        1 PeriodEnd = "period_end",
    }
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
