//! The processor of demo mode: no money moves, and the card's number decides (decisions 7).
//!
//! It keeps nothing. Its token spells out what it answered and for which key, so that asking
//! again gives the same answer after a restart too, and the card's number need not be kept.

use data_encoding::HEXLOWER;
use futures::future::{BoxFuture, ready};
use sha2::{Digest, Sha256};

use super::{Confirm, Create, LookUp, Processor};
use crate::domain::payments::failure::FailureCode;
use crate::domain::payments::payment::ProviderOutcome;

/// The processor of demo mode.
#[derive(Clone, Copy, Debug, Default)]
pub struct Simulator;

/// What a card of demo mode does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Script {
    Approve,
    Challenge,
    Fail(FailureCode),
}

impl Script {
    /// Every other number approves, as the ordinary test cards of other processors do.
    fn of(number: &str) -> Self {
        match number {
            "4000000000003220" => Self::Challenge,
            "4000000000000002" => Self::Fail(FailureCode::Declined),
            "4000000000000119" => Self::Fail(FailureCode::ProviderError),
            "4000000000000259" => Self::Fail(FailureCode::ProviderTimeout),
            "4000000000000036" => Self::Fail(FailureCode::AddressMismatch),
            "4000000000000101" => Self::Fail(FailureCode::RiskRejected),
            _ => Self::Approve,
        }
    }

    fn word(self) -> String {
        match self {
            Self::Approve => "approve".to_owned(),
            Self::Challenge => "challenge".to_owned(),
            Self::Fail(code) => code.code().to_string(),
        }
    }

    fn parse(word: &str) -> Option<Self> {
        match word {
            "approve" => Some(Self::Approve),
            "challenge" => Some(Self::Challenge),
            code => FailureCode::parse(code.parse().ok()?).map(Self::Fail),
        }
    }

    fn outcome(self, token: String) -> ProviderOutcome {
        match self {
            Self::Approve => ProviderOutcome::Completed { token },
            Self::Challenge => ProviderOutcome::Challenged { token },
            Self::Fail(code) => ProviderOutcome::Failed { code, token: Some(token) },
        }
    }
}

impl Processor for Simulator {
    fn create(&self, ask: Create) -> BoxFuture<'_, ProviderOutcome> {
        let script = Script::of(ask.card.number());
        Box::pin(ready(script.outcome(token(script, &ask.key))))
    }

    fn confirm(&self, ask: Confirm) -> BoxFuture<'_, ProviderOutcome> {
        let outcome = match script_of(&ask.token) {
            Some(Script::Challenge | Script::Approve) => {
                ProviderOutcome::Completed { token: ask.token }
            }
            Some(script @ Script::Fail(_)) => script.outcome(ask.token),
            None => ProviderOutcome::Absent,
        };
        Box::pin(ready(outcome))
    }

    fn look_up(&self, ask: LookUp) -> BoxFuture<'_, ProviderOutcome> {
        let known = ask.token.and_then(|known| {
            let script = script_of(&known)?;
            (token(script, &ask.key) == known).then(|| script.outcome(known))
        });
        Box::pin(ready(known.unwrap_or(ProviderOutcome::Absent)))
    }
}

/// The simulator's name for the payment that was asked for under `key`.
fn token(script: Script, key: &str) -> String {
    let digest = Sha256::digest(key.as_bytes());
    format!("sim_{}_{}", script.word(), HEXLOWER.encode(&digest[..12]))
}

/// What the simulator answered when it gave this token; `None` for a token it never gave.
fn script_of(token: &str) -> Option<Script> {
    let (word, digest) = token.strip_prefix("sim_")?.split_once('_')?;
    (digest.len() == 24).then(|| Script::parse(word))?
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::money::{Currency, Money};
    use crate::domain::payments::card::CardInput;

    fn create(number: &str, key: &str) -> Create {
        let card = CardInput {
            number: number.into(),
            cvv: "123".into(),
            exp_month: Some(12),
            exp_year: Some(2030),
            holder: String::new(),
        };
        Create {
            key: key.to_owned(),
            amount: Money::new(1, Currency::EUR).expect("money"),
            reference: "r".to_owned(),
            card: card.check().expect("a card").into(),
        }
    }

    fn told(outcome: &ProviderOutcome) -> (&'static str, u16, Option<&str>) {
        match outcome {
            ProviderOutcome::Completed { token } => ("completed", 0, Some(token)),
            ProviderOutcome::Challenged { token } => ("challenged", 0, Some(token)),
            ProviderOutcome::Failed { code, token } => ("failed", code.code(), token.as_deref()),
            ProviderOutcome::Absent => ("absent", 0, None),
            ProviderOutcome::Unknown => ("unknown", 0, None),
        }
    }

    #[tokio::test]
    async fn the_number_decides_and_asking_again_changes_nothing() {
        for (number, what, code) in [
            ("4242424242424242", "completed", 0),
            ("5555555555554444", "completed", 0),
            ("4111111111111111", "completed", 0),
            ("4000000000003220", "challenged", 0),
            ("4000000000000002", "failed", 2001),
            ("4000000000000119", "failed", 2002),
            ("4000000000000259", "failed", 2003),
            ("4000000000000036", "failed", 2005),
            ("4000000000000101", "failed", 1002),
        ] {
            let outcome = Simulator.create(create(number, "key-create")).await;
            let (kind, failure, token) = told(&outcome);
            assert_eq!((kind, failure), (what, code), "{number}");
            assert_eq!(Simulator.create(create(number, "key-create")).await, outcome);
            let token = token.expect("a token").to_owned();
            assert!(!token.contains(&number[..6]), "{token} tells the number");
            let lost = LookUp {
                key: "key-create".to_owned(),
                reference: "r".to_owned(),
                token: Some(token.clone()),
            };
            assert_eq!(Simulator.look_up(lost.clone()).await, outcome, "after a restart");
            let other = LookUp { key: "other".to_owned(), ..lost.clone() };
            assert_eq!(Simulator.look_up(other).await, ProviderOutcome::Absent);
            let unknown = LookUp { token: None, ..lost };
            assert_eq!(Simulator.look_up(unknown).await, ProviderOutcome::Absent);
        }
    }

    #[tokio::test]
    async fn a_confirmed_challenge_completes_again_and_again() {
        let outcome = Simulator.create(create("4000000000003220", "k-create")).await;
        let token = told(&outcome).2.expect("a token").to_owned();
        let confirm = Confirm { key: "k-confirm".to_owned(), token: token.clone() };
        for _ in 0..2 {
            let answer = Simulator.confirm(confirm.clone()).await;
            assert_eq!(answer, ProviderOutcome::Completed { token: token.clone() });
        }
        let forged = Confirm { token: "sim_4242_x".to_owned(), ..confirm };
        assert_eq!(Simulator.confirm(forged).await, ProviderOutcome::Absent);
    }
}
