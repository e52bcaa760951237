//! A call to the provider, as it is written down before it is made.

use crate::domain::payments::failure::FailureCode;
use crate::domain::time::Timestamp;

/// How long Accrue asks after an outcome by itself before a person has to (decisions 7, 13).
const RECONCILE_SECONDS: i64 = 24 * 3600;

/// After this long a call that is under way counts as lost.
const LOST_SECONDS: i64 = 60;

/// The wait before the first repeated question; it doubles each time.
const FIRST_WAIT_SECONDS: i64 = 5;

/// The longest wait between two questions.
const LONGEST_WAIT_SECONDS: i64 = 600;

/// A call that was made, is made, or will be made again under the same key.
#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct ProviderCall {
    /// What the provider knows the call by: asked twice, it acts once.
    #[n(0)]
    pub key: String,
    /// What is asked.
    #[n(1)]
    pub kind: CallKind,
    /// How far the call got.
    #[n(2)]
    pub state: CallState,
    /// When it was first written down.
    #[n(3)]
    pub first_asked_at: Timestamp,
    /// When it was last made.
    #[n(4)]
    pub asked_at: Timestamp,
    /// How often it was made.
    #[n(5)]
    pub asked: u32,
}

/// What a call asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
#[cbor(index_only)]
pub enum CallKind {
    /// Take the amount from a card.
    #[n(0)]
    Create,
    /// Go on with a payment that the buyer has confirmed.
    #[n(1)]
    Confirm,
}

/// How far a call got.
#[derive(Clone, Copy, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
#[cbor(index_only)]
pub enum CallState {
    /// Written down; it is being made, or was when the process ended.
    #[n(0)]
    Staged,
    /// No definite answer came; it is asked again.
    #[n(1)]
    Unknown,
    /// A definite answer came.
    #[n(2)]
    Answered,
    /// No definite answer came in a day: a person resolves it.
    #[n(3)]
    Manual,
}

/// What came of asking the provider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProviderOutcome {
    /// The amount was taken.
    Completed {
        /// The provider's name for the payment.
        token: String,
    },
    /// The buyer must confirm first.
    Challenged {
        /// The provider's name for the payment.
        token: String,
    },
    /// It is known that nothing was taken.
    Failed {
        /// Why.
        code: FailureCode,
        /// The provider's name for the payment, if it got one.
        token: Option<String>,
    },
    /// The provider knows nothing of the key: the call never reached it.
    Absent,
    /// Nobody can tell yet: a time-out, a lost connection, a provider in trouble.
    Unknown,
}

impl CallKind {
    fn word(self) -> &'static str {
        match self {
            Self::Create => "create",
            Self::Confirm => "confirm",
        }
    }
}

impl ProviderCall {
    /// A call of the payment that the provider knows by `root`, written down at `now`.
    pub(super) fn staged(root: &str, kind: CallKind, now: Timestamp) -> Self {
        Self {
            key: format!("{root}-{}", kind.word()),
            kind,
            state: CallState::Staged,
            first_asked_at: now,
            asked_at: now,
            asked: 1,
        }
    }

    /// When to ask again: some time after an answer that said nothing, or when no answer at all
    /// was heard of. `None` once it is answered or left to a person.
    pub fn ask_again_at(&self) -> Option<Timestamp> {
        let wait = match self.state {
            CallState::Staged => LOST_SECONDS,
            CallState::Unknown => {
                let doublings = self.asked.saturating_sub(1).min(16);
                (FIRST_WAIT_SECONDS << doublings).min(LONGEST_WAIT_SECONDS)
            }
            CallState::Answered | CallState::Manual => return None,
        };
        Some(self.asked_at.plus_seconds(wait))
    }

    /// Whether a day of asking has passed.
    pub(super) fn is_for_a_person(&self, now: Timestamp) -> bool {
        now >= self.first_asked_at.plus_seconds(RECONCILE_SECONDS)
    }
}
