//! The processor of demo mode: no money moves, and the card's number decides.
//!
//! It keeps nothing. Its token spells out what it answered and for which key, so that asking
//! again gives the same answer after a restart too, and the card's number need not be kept.

mod later;
mod script;

use futures::future::{BoxFuture, ready};

use self::later::Later;
use self::script::{Script, refund_token};
use super::{Cancel, Capture, Charge, Confirm, Create, LookUp, Processor, Refund};
use crate::domain::payments::failure::FailureCode;
use crate::domain::payments::payment::{CallKind, ForcedRefund, ProviderOutcome};
use crate::domain::payments::saved_card::CardToken;

#[derive(Clone, Copy, Debug, Default)]
pub struct Simulator;

impl Processor for Simulator {
    fn create(&self, ask: Create) -> BoxFuture<'_, ProviderOutcome> {
        let answer = Script::of(&ask).answer(&ask.key);
        at_once(match Later::of(&ask) {
            Some(later) => {
                let card = CardToken::new(later.token(&ask.key));
                ProviderOutcome::KeepsCard { card, then: Box::new(answer) }
            }
            None => answer,
        })
    }

    /// [`create`](Self::create) does it all: what is asked once more fails once more.
    fn charge(&self, ask: Charge) -> BoxFuture<'_, ProviderOutcome> {
        at_once(match Script::in_token(&ask.token) {
            Some(Script::Fail(code)) => ProviderOutcome::Failed { code, token: Some(ask.token) },
            _ => ProviderOutcome::Absent,
        })
    }

    fn confirm(&self, ask: Confirm) -> BoxFuture<'_, ProviderOutcome> {
        at_once(confirmed(ask.token))
    }

    fn capture(&self, ask: Capture) -> BoxFuture<'_, ProviderOutcome> {
        let token = Some(ask.token);
        at_once(match ask.forced {
            Some(code @ FailureCode::CaptureFailed) => ProviderOutcome::Failed { code, token },
            _ => ProviderOutcome::Captured,
        })
    }

    fn cancel(&self, _: Cancel) -> BoxFuture<'_, ProviderOutcome> {
        at_once(ProviderOutcome::Cancelled)
    }

    /// The money is some time under way: who asks again hears that it went back.
    fn refund(&self, ask: Refund) -> BoxFuture<'_, ProviderOutcome> {
        let token = refund_token(&ask.key);
        at_once(match ask.forced {
            Some(ForcedRefund::Fails(code)) => ProviderOutcome::Failed { code, token: Some(token) },
            Some(ForcedRefund::Cancelled) => ProviderOutcome::RefundCancelled,
            None => ProviderOutcome::Pending { token: Some(token) },
        })
    }

    /// A confirmation or a refund is done by now. What is captured or called off is not kept:
    /// asking again tells.
    fn look_up(&self, ask: LookUp) -> BoxFuture<'_, ProviderOutcome> {
        let token = ask.token;
        at_once(
            match ask.kind {
                CallKind::Create => token.and_then(|token| created(&token, &ask.key)),
                CallKind::Confirm => token.map(confirmed),
                CallKind::Refund => {
                    token.map(|_| ProviderOutcome::Refunded { token: refund_token(&ask.key) })
                }
                CallKind::Charge | CallKind::Capture | CallKind::Cancel => None,
            }
            .unwrap_or(ProviderOutcome::Absent),
        )
    }
}

fn at_once(outcome: ProviderOutcome) -> BoxFuture<'static, ProviderOutcome> {
    Box::pin(ready(outcome))
}

/// What was answered under this key with this token; `None` when it is a token of another key.
fn created(token: &str, key: &str) -> Option<ProviderOutcome> {
    let script = Script::in_token(token)?;
    (script.token(key) == token).then(|| script.answer(key))
}

fn confirmed(token: String) -> ProviderOutcome {
    match Script::in_token(&token) {
        Some(script) => script.confirmed(token),
        None => ProviderOutcome::Absent,
    }
}

#[cfg(test)]
mod tests;
