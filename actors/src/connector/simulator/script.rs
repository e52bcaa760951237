//! What a payment of demo mode does, and how its token spells it.

use data_encoding::HEXLOWER;
use sha2::{Digest, Sha256};

use crate::connector::{Challenge, Create};
use crate::domain::payments::failure::FailureCode;
use crate::domain::payments::method::Method;
use crate::domain::payments::payment::{Ask, CaptureMode, ProviderOutcome};
use crate::domain::payments::source::Source;

const ENTITY: &str = "21800";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Script {
    Fail(FailureCode),
    /// It ends so at once.
    End(End),
    /// The buyer acts, then it ends so.
    Ask(What, End),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum What {
    Challenge,
    Redirect,
    Push,
    Voucher,
}

/// How a payment ends that nobody refuses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    Take,
    Hold,
}

impl Script {
    /// What is forced goes before what the card says, and that before the challenge.
    pub(super) fn of(ask: &Create) -> Self {
        // What cannot be captured is held all the same: its capture fails by itself.
        let is_held =
            ask.capture == CaptureMode::Manual || ask.forced == Some(FailureCode::CaptureFailed);
        let end = if is_held { End::Hold } else { End::Take };
        if let Some(code) = ask.forced.filter(|code| is_of_the_beginning(*code)) {
            return Self::Fail(code);
        }
        match &ask.source {
            Source::Card(card) => Self::of_card(card.number(), ask.challenge, end),
            Source::Saved(card) => Self::of_kept(card.token(), end),
            Source::Wallet(_) => Self::End(end),
            Source::Local => Self::Ask(What::of(ask.method, ask.phone.is_some()), end),
        }
    }

    /// Every number that is not listed approves, as the ordinary test cards of other processors
    /// do.
    fn of_card(number: &str, challenge: Challenge, end: End) -> Self {
        let listed = match number {
            "4000000000003220" if challenge == Challenge::Skip => {
                Some(FailureCode::AuthenticationRequired)
            }
            "4000000000003220" => return Self::Ask(What::Challenge, end),
            "4000000000000002" => Some(FailureCode::Declined),
            "4000000000000119" => Some(FailureCode::ProviderError),
            "4000000000000259" => Some(FailureCode::ProviderTimeout),
            "4000000000000036" => Some(FailureCode::AddressMismatch),
            "4000000000000101" => Some(FailureCode::RiskRejected),
            _ => None,
        };
        match (listed, challenge) {
            (Some(code), _) => Self::Fail(code),
            (None, Challenge::Force) => Self::Ask(What::Challenge, end),
            (None, Challenge::Skip | Challenge::Ask) => Self::End(end),
        }
    }

    pub(super) fn answer(self, key: &str) -> ProviderOutcome {
        let token = self.token(key);
        match self {
            Self::Fail(code) => ProviderOutcome::Failed { code, token: Some(token) },
            Self::End(end) => end.outcome(token),
            Self::Ask(what, _) => {
                ProviderOutcome::Challenged { token, asks: what.ask(key), url: None }
            }
        }
    }

    pub(super) fn confirmed(self, token: String) -> ProviderOutcome {
        match self {
            Self::Fail(code) => ProviderOutcome::Failed { code, token: Some(token) },
            Self::End(end) | Self::Ask(_, end) => end.outcome(token),
        }
    }

    /// The simulator's name for the payment that was begun under `key`.
    pub(super) fn token(self, key: &str) -> String {
        format!("sim_{}_{}", self.word(), digest(key))
    }

    /// What the simulator answered when it gave this token; `None` for a token it never gave.
    pub(super) fn in_token(token: &str) -> Option<Self> {
        let (word, digest) = token.strip_prefix("sim_")?.split_once('_')?;
        (digest.len() == 24).then(|| Self::parse(word))?
    }

    fn word(self) -> String {
        match self {
            Self::Fail(code) => code.code().to_string(),
            Self::End(end) => end.word().to_owned(),
            Self::Ask(what, End::Take) => what.word().to_owned(),
            Self::Ask(what, end) => format!("{}-{}", what.word(), end.word()),
        }
    }

    fn parse(word: &str) -> Option<Self> {
        if let Some(end) = End::parse(word) {
            return Some(Self::End(end));
        }
        let (what, end) = match word.split_once('-') {
            Some((what, end)) => (what, End::parse(end)?),
            None => (word, End::Take),
        };
        if let Some(what) = What::parse(what) {
            return Some(Self::Ask(what, end));
        }
        FailureCode::parse(word.parse().ok()?).map(Self::Fail)
    }
}

impl What {
    fn of(method: Method, has_phone: bool) -> Self {
        match method {
            Method::Multibanco => Self::Voucher,
            Method::MbWay if has_phone => Self::Push,
            _ => Self::Redirect,
        }
    }

    fn ask(self, key: &str) -> Ask {
        match self {
            Self::Challenge => Ask::Challenge,
            Self::Redirect => Ask::Redirect,
            Self::Push => Ask::Push,
            Self::Voucher => {
                Ask::Voucher { entity: ENTITY.to_owned(), reference: voucher_reference(key) }
            }
        }
    }

    fn word(self) -> &'static str {
        match self {
            Self::Challenge => "challenge",
            Self::Redirect => "redirect",
            Self::Push => "push",
            Self::Voucher => "voucher",
        }
    }

    fn parse(word: &str) -> Option<Self> {
        let all = [Self::Challenge, Self::Redirect, Self::Push, Self::Voucher];
        all.into_iter().find(|what| what.word() == word)
    }
}

impl End {
    fn outcome(self, token: String) -> ProviderOutcome {
        match self {
            Self::Take => ProviderOutcome::Completed { token },
            Self::Hold => ProviderOutcome::Authorized { token },
        }
    }

    fn word(self) -> &'static str {
        match self {
            Self::Take => "approve",
            Self::Hold => "hold",
        }
    }

    fn parse(word: &str) -> Option<Self> {
        [Self::Take, Self::Hold].into_iter().find(|end| end.word() == word)
    }
}

/// The simulator's name for the refund that was asked for under `key`.
pub(super) fn refund_token(key: &str) -> String {
    format!("simre_{}", digest(key))
}

/// Whether a payment with this forced code fails at its beginning, at the provider.
fn is_of_the_beginning(code: FailureCode) -> bool {
    matches!(
        code,
        FailureCode::Declined
            | FailureCode::ProviderError
            | FailureCode::ProviderTimeout
            | FailureCode::AddressMismatch
            | FailureCode::AuthenticationRequired
    )
}

/// Nine digits, the same for the same key.
fn voucher_reference(key: &str) -> String {
    let hash = Sha256::digest(key.as_bytes());
    let number =
        hash.iter().skip(12).take(8).fold(0_u64, |sum, byte| (sum << 8) | u64::from(*byte));
    format!("{:09}", number % 1_000_000_000)
}

pub(super) fn digest(key: &str) -> String {
    HEXLOWER.encode(&Sha256::digest(key.as_bytes())[..12])
}
