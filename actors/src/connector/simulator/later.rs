//! What a card that was kept does when it is charged again, with nobody there; its token spells it.

use super::script::{Script, digest};
use crate::connector::Create;
use crate::domain::payments::failure::FailureCode;
use crate::domain::payments::source::Source;

const PREFIX: &str = "simcard_";

/// Why every later charge of the card fails; `None` where it goes through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Later(Option<FailureCode>);

impl Later {
    /// Of a card that is to be kept.
    pub(super) fn of(ask: &Create) -> Option<Self> {
        let Source::Card(card) = &ask.source else { return None };
        ask.keeps_card.then(|| Self(of_number(card.number())))
    }

    /// The simulator's name for the card that it has kept under `key`.
    pub(super) fn token(self, key: &str) -> String {
        let word = self.0.map_or_else(|| "approve".to_owned(), |code| code.code().to_string());
        format!("{PREFIX}{word}_{}", digest(key))
    }

    /// Why a charge of the card of this token fails, if it does; one that the simulator never gave
    /// is declined.
    pub(super) fn failure_in(token: &str) -> Option<FailureCode> {
        let word = token.strip_prefix(PREFIX).and_then(|rest| rest.split_once('_'));
        match word {
            Some(("approve", _)) => None,
            Some((code, _)) => code.parse().ok().and_then(FailureCode::parse),
            None => Some(FailureCode::Declined),
        }
    }
}

impl Script {
    /// Of a card that was kept.
    pub(super) fn of_kept(token: &str, end: super::script::End) -> Self {
        Later::failure_in(token).map_or(Self::End(end), Self::Fail)
    }
}

/// Cards that pay when they are saved and fail later.
fn of_number(number: &str) -> Option<FailureCode> {
    match number {
        "4000000000000341" => Some(FailureCode::Declined),
        "4000000000009979" => Some(FailureCode::ProviderTimeout),
        "4000000000003220" => Some(FailureCode::AuthenticationRequired),
        _ => None,
    }
}
