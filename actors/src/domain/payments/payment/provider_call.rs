//! A call to the provider, as it is written down before it is made.

use super::ProcessorRefusal;
use crate::domain::ids::RefundId;
use crate::domain::payments::failure::FailureCode;
use crate::domain::payments::saved_card::CardToken;
use crate::domain::time::Timestamp;

/// How long Accrue asks after an outcome by itself before a person has to.
const RECONCILE_SECONDS: i64 = 24 * 3600;

/// How long a provider is relied on to know a key, in seconds: Stripe keeps keys for 24 hours at
/// least, of which one is left for clocks that differ.
const KEY_SECONDS: i64 = 23 * 3600;

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
    #[n(1)]
    pub kind: CallKind,
    #[n(2)]
    pub state: CallState,
    #[n(3)]
    pub first_asked_at: Timestamp,
    #[n(4)]
    pub asked_at: Timestamp,
    #[n(5)]
    pub asked: u32,
    #[n(6)]
    pub minor: Option<i64>,
    #[n(7)]
    pub refund: Option<RefundId>,
    /// Whether nothing is captured after it.
    #[n(8)]
    #[cbor(default)]
    pub last: bool,
    /// The idempotency key that is given back if the call fails for certain.
    #[n(9)]
    pub spent: Option<SpentKey>,
    /// How long to wait before the provider, which works on it, is asked again; in seconds.
    #[n(10)]
    pub wait_seconds: Option<i64>,
    #[n(11)]
    pub doubt: Option<FailureCode>,
    /// Whether a payment is called off because its time ran out.
    #[n(12)]
    #[cbor(default)]
    pub expired: bool,
    /// Whether the payment is called off as a whole, and not one attempt at checkout.
    #[n(13)]
    #[cbor(default)]
    pub whole: bool,
    /// When the first question was asked of those whose answers are missing since the provider last
    /// said anything.
    #[n(14)]
    pub doubted_since: Option<Timestamp>,
}

/// A key of the payments surface, spent on a call.
#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct SpentKey {
    #[n(0)]
    pub endpoint: String,
    #[n(1)]
    pub key: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
#[cbor(index_only)]
pub enum CallKind {
    #[n(0)]
    Create,
    /// Go on with a payment that the buyer has confirmed.
    #[n(1)]
    Confirm,
    /// Take what was opened from the buyer's card.
    #[n(2)]
    Charge,
    #[n(3)]
    Capture,
    /// Let go of what is held, or call the payment off.
    #[n(4)]
    Cancel,
    #[n(5)]
    Refund,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
#[cbor(index_only)]
pub enum CallState {
    /// Written down; it is being made, or was when the process ended.
    #[n(0)]
    Staged,
    /// No definite answer came; it is asked again.
    #[n(1)]
    Unknown,
    #[n(2)]
    Answered,
    /// No definite answer came in a day: a person resolves it.
    #[n(3)]
    Manual,
    /// The provider works on it and is asked again.
    #[n(4)]
    Working,
}

/// What the provider wants of the buyer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ask {
    /// To confirm with the bank that issued the card.
    Challenge,
    Redirect,
    /// To answer the app on the telephone.
    Push,
    Voucher {
        /// Five digits.
        entity: String,
        /// Nine digits.
        reference: String,
    },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProviderOutcome {
    /// The payment is there and nothing was asked of the card yet.
    Opened { token: String },
    /// The amount is held.
    Authorized { token: String },
    /// The amount was taken.
    Completed { token: String },
    /// The buyer must act first.
    Challenged {
        token: String,
        asks: Ask,
        /// Where, unless it is a page of the simulator.
        url: Option<String>,
    },
    /// It is known that nothing was taken, held or given back.
    Failed {
        code: FailureCode,
        /// The provider's name for the payment, if it got one.
        token: Option<String>,
    },
    /// The question was refused as such: as [`Failed`](Self::Failed), and asked again it is refused
    /// again.
    Refused { code: FailureCode, token: Option<String>, refusal: ProcessorRefusal },
    /// As `then`; and the processor keeps the card, to be charged again under this name.
    KeepsCard { card: CardToken, then: Box<Self> },
    /// Some of what was held was taken.
    Captured,
    /// The payment is called off, what was held is let go.
    Cancelled,
    /// The refund went through.
    Refunded { token: String },
    /// The provider called the refund off.
    RefundCancelled,
    /// The provider works on it: it is asked again.
    Pending {
        /// The provider's name for what it works on, if it gave one.
        token: Option<String>,
    },
    /// The provider knows nothing of the key: the call never reached it.
    Absent,
    /// Nobody can tell yet.
    Unknown {
        /// `ProviderTimeout` when no answer came, `ProviderError` when one said nothing.
        doubt: FailureCode,
    },
}

impl ProviderOutcome {
    /// The outcome, apart from the name of the card that the processor keeps.
    pub fn and_card(self) -> (Self, Option<CardToken>) {
        match self {
            Self::KeepsCard { card, then } => (*then, Some(card)),
            outcome => (outcome, None),
        }
    }
}

impl CallKind {
    fn word(self) -> &'static str {
        match self {
            Self::Create => "create",
            Self::Confirm => "confirm",
            Self::Charge => "charge",
            Self::Capture => "capture",
            Self::Cancel => "cancel",
            Self::Refund => "refund",
        }
    }
}

impl ProviderCall {
    /// A call of the payment that the provider knows by `root`, written down at `now`. Calls
    /// that a payment makes more than once are told apart by `place`.
    pub(super) fn staged(root: &str, kind: CallKind, place: Option<u64>, now: Timestamp) -> Self {
        let word = kind.word();
        Self {
            key: place
                .map_or_else(|| format!("{root}-{word}"), |nth| format!("{root}-{word}-{nth}")),
            kind,
            state: CallState::Staged,
            first_asked_at: now,
            asked_at: now,
            asked: 1,
            minor: None,
            refund: None,
            last: false,
            spent: None,
            wait_seconds: None,
            doubt: None,
            expired: false,
            whole: false,
            doubted_since: None,
        }
    }

    /// When to ask again: some time after an answer that said nothing, or when no answer at all
    /// was heard of. `None` once it is answered or left to a person.
    pub fn ask_again_at(&self) -> Option<Timestamp> {
        let doublings = self.asked.saturating_sub(1).min(16);
        let backoff = (FIRST_WAIT_SECONDS << doublings).min(LONGEST_WAIT_SECONDS);
        let wait = match self.state {
            CallState::Staged => LOST_SECONDS,
            CallState::Unknown => backoff,
            CallState::Working => self.wait_seconds.unwrap_or(backoff),
            CallState::Answered | CallState::Manual => return None,
        };
        Some(self.asked_at.plus_seconds(wait))
    }

    /// When it was first asked, where the provider may have forgotten its key since.
    pub fn asked_long_ago(&self, now: Timestamp) -> Option<Timestamp> {
        let forgotten_at = self.first_asked_at.plus_seconds(KEY_SECONDS);
        (now >= forgotten_at).then_some(self.first_asked_at)
    }

    /// Whether it takes nothing, and lets go of what is held.
    pub fn releases(&self) -> bool {
        self.kind == CallKind::Capture && self.minor == Some(0)
    }

    /// Takes note that the question that was asked last has no answer.
    pub(super) fn lose_answer(&mut self) {
        self.doubted_since.get_or_insert(self.asked_at);
    }

    pub(super) fn needs_a_person(&self, now: Timestamp) -> bool {
        self.doubted_since.is_some_and(|since| now >= since.plus_seconds(RECONCILE_SECONDS))
    }
}
