//! What became of a question whose answer was lost.

use super::Stripe;
use super::after::UNKNOWN;
use super::form::segment;
use super::http::Trouble;
use super::intent::{Intent, List, RefundObject, Status, path};
use crate::connector::{Challenge, Confirm, LookUp, Refund};
use crate::domain::payments::payment::{CallKind, CaptureMode, ProviderOutcome};
use crate::domain::payments::terminal::Rail;

/// How many refunds of one payment are looked through: a hundred at a time.
const PAGES: usize = 50;

impl Stripe {
    pub(super) async fn looked_up(&self, ask: LookUp) -> ProviderOutcome {
        let Some(token) = ask.token.clone() else {
            return match ask.kind {
                CallKind::Create => match ask.asked_long_ago {
                    Some(at) => self.create_was_lost_long_ago(&ask, at).await,
                    None => self.create_was_lost(&ask).await,
                },
                _ => ProviderOutcome::Absent,
            };
        };
        let (key, amount) = (ask.key, ask.amount);
        match ask.kind {
            CallKind::Create => self.charge_was_lost(token, Challenge::Ask).await,
            CallKind::Charge => self.charge_was_lost(token, ask.challenge).await,
            CallKind::Confirm => self.confirmed(Confirm { key, token, amount }).await,
            CallKind::Capture => self.capture_was_lost(&token, ask.taken).await,
            CallKind::Cancel => self.given_up(token).await,
            CallKind::Refund => {
                let ask = Refund { key, token, amount, reason: None, forced: None };
                self.refund_was_lost(ask).await
            }
        }
    }

    /// An intent that was opened has no card, so nothing was charged. It is opened once more
    /// under its key, which answers the one that is there, and called off. It may have been
    /// opened for either way of capturing; a key of another content is not opened again. Of a
    /// card's intent it does not matter what became of it where the processor keeps a failure for
    /// the key: no card was sent before it was known.
    async fn create_was_lost(&self, ask: &LookUp) -> ProviderOutcome {
        let mut unless_found = UNKNOWN;
        for capture in [CaptureMode::Automatic, CaptureMode::Manual] {
            match self.open(&ask.key, ask.amount, &ask.reference, capture).await {
                Ok(told) => return self.called_off(&told.object.id).await,
                Err(Trouble::Refused(declined)) if declined.is_of_key() => (),
                Err(Trouble::Refused(declined)) if !declined.is_of_account() => {
                    return ProviderOutcome::Absent;
                }
                Err(Trouble::Kept) if ask.method.rail() == Rail::Card => {
                    unless_found = ProviderOutcome::Absent;
                    break;
                }
                Err(_) => break,
            }
        }
        match ask.amount.minor {
            // Those that only verify a card cannot be searched for.
            0 => unless_found,
            _ => self.searched_for(&ask.key, unless_found).await,
        }
    }

    /// What was begun for a local method cannot be begun again without knowing which, and an app
    /// may have asked the buyer already; and a processor in trouble may repeat its error for the
    /// key. Then the intent is searched for, which may take a minute to find it.
    async fn searched_for(&self, key: &str, unless_found: ProviderOutcome) -> ProviderOutcome {
        let query = segment(&format!("metadata['key']:'{key}'"));
        let page = format!("/v1/payment_intents/search?query={query}");
        match self.endpoint.get::<List<Intent>>(&page).await {
            Ok(found) => match found.data.into_iter().next() {
                Some(intent) if intent.status == Status::Canceled => ProviderOutcome::Absent,
                Some(intent) => self.called_off(&intent.id).await,
                None => unless_found,
            },
            Err(trouble) => trouble.outcome(|_| UNKNOWN),
        }
    }

    /// What was not confirmed is called off before it counts as never charged: the lost
    /// question may still arrive.
    async fn charge_was_lost(&self, token: String, challenge: Challenge) -> ProviderOutcome {
        let intent = match self.endpoint.get::<Intent>(&path(&token, "")).await {
            Ok(intent) => intent,
            Err(trouble) => return trouble.outcome(|_| UNKNOWN),
        };
        match intent.status {
            Status::RequiresPaymentMethod if intent.decline().is_some() => intent.outcome(),
            Status::RequiresPaymentMethod | Status::RequiresConfirmation => {
                self.called_off(&token).await
            }
            Status::RequiresAction if challenge == Challenge::Skip => self.unconfirmed(token).await,
            Status::Canceled => ProviderOutcome::Absent,
            _ => intent.outcome(),
        }
    }

    pub(super) async fn called_off(&self, token: &str) -> ProviderOutcome {
        match self.cancelled(token).await {
            ProviderOutcome::Cancelled => ProviderOutcome::Absent,
            other => other,
        }
    }

    /// While something is held, what was taken so far tells whether this part was; else only asking
    /// again under the key does.
    async fn capture_was_lost(&self, token: &str, taken: Option<i64>) -> ProviderOutcome {
        match self.endpoint.get::<Intent>(&path(token, "")).await {
            Ok(intent) => match intent.status {
                Status::Succeeded => ProviderOutcome::Captured,
                Status::Canceled => ProviderOutcome::Cancelled,
                Status::Processing => ProviderOutcome::Pending { token: Some(intent.id) },
                Status::RequiresCapture if taken.is_some() && intent.amount_received == taken => {
                    ProviderOutcome::Captured
                }
                Status::RequiresCapture => ProviderOutcome::Absent,
                _ => UNKNOWN,
            },
            Err(trouble) => trouble.outcome(|_| UNKNOWN),
        }
    }

    /// A refund that is not there is asked for under its key: the lost question may still
    /// arrive, and then it is the same one.
    async fn refund_was_lost(&self, ask: Refund) -> ProviderOutcome {
        let first = format!("/v1/refunds?payment_intent={}&limit=100", segment(&ask.token));
        let mut page = first.clone();
        for _ in 0..PAGES {
            let found = match self.endpoint.get::<List<RefundObject>>(&page).await {
                Ok(found) => found,
                Err(trouble) => return trouble.outcome(|_| UNKNOWN),
            };
            let last = found.data.last().map(|refund| segment(refund.id()));
            if let Some(refund) = found.data.into_iter().find(|refund| refund.is_of(&ask.key)) {
                return refund.outcome();
            }
            let Some(last) = last.filter(|_| found.has_more) else { break };
            page = format!("{first}&starting_after={last}");
        }
        self.refunded(ask).await
    }
}
