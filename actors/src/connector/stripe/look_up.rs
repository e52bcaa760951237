//! What became of a question whose answer was lost.

use super::Stripe;
use super::after::UNKNOWN;
use super::form::segment;
use super::http::Trouble;
use super::intent::{Intent, List, RefundObject, Status, path};
use crate::connector::{Cancel, Confirm, LookUp, Refund};
use crate::domain::payments::payment::{CallKind, CaptureMode, ProviderOutcome};

/// How many refunds of one payment are looked through: a hundred at a time.
const PAGES: usize = 50;

impl Stripe {
    pub(super) async fn looked_up(&self, ask: LookUp) -> ProviderOutcome {
        let Some(token) = ask.token.clone() else {
            return match ask.kind {
                CallKind::Create => self.create_was_lost(&ask).await,
                _ => ProviderOutcome::Absent,
            };
        };
        let (key, amount) = (ask.key, ask.amount);
        match ask.kind {
            CallKind::Create | CallKind::Charge => self.charge_was_lost(key, token).await,
            CallKind::Confirm => self.confirmed(Confirm { key, token, amount }).await,
            CallKind::Capture => self.capture_was_lost(&token).await,
            CallKind::Cancel => self.cancelled(Cancel { key, token }).await,
            CallKind::Refund => {
                let ask = Refund { key, token, amount, reason: None, forced: None };
                self.refund_was_lost(ask).await
            }
        }
    }

    /// An intent that was opened has no card, so nothing was charged. It is opened once more
    /// under its key, which answers the one that is there, and called off. It may have been
    /// opened for either way of capturing; a key of another content is not opened again.
    async fn create_was_lost(&self, ask: &LookUp) -> ProviderOutcome {
        for capture in [CaptureMode::Automatic, CaptureMode::Manual] {
            match self.open(&ask.key, ask.amount, &ask.reference, capture).await {
                Ok(told) => return self.called_off(&ask.key, told.object.id).await,
                Err(Trouble::Refused(declined)) if declined.is_of_key() => (),
                Err(Trouble::Refused(declined)) if !declined.is_of_account() => {
                    return ProviderOutcome::Absent;
                }
                Err(_) => break,
            }
        }
        match ask.amount.minor {
            // Those that only verify a card cannot be searched for; nothing was charged.
            0 => UNKNOWN,
            _ => self.searched_for(&ask.key).await,
        }
    }

    /// What was begun for a local method cannot be begun again without knowing which, and an app
    /// may have asked the buyer already; and a processor in trouble may repeat its error for the
    /// key. Then the intent is searched for, which may take a minute to find it.
    async fn searched_for(&self, key: &str) -> ProviderOutcome {
        let query = segment(&format!("metadata['key']:'{key}'"));
        let page = format!("/v1/payment_intents/search?query={query}");
        match self.endpoint.get::<List<Intent>>(&page).await {
            Ok(found) => match found.data.into_iter().next() {
                Some(intent) if intent.status == Status::Canceled => ProviderOutcome::Absent,
                Some(intent) => self.called_off(key, intent.id).await,
                None => UNKNOWN,
            },
            Err(trouble) => trouble.outcome(|_| UNKNOWN),
        }
    }

    /// What was not confirmed is called off before it counts as never charged: the lost
    /// question may still arrive.
    async fn charge_was_lost(&self, key: String, token: String) -> ProviderOutcome {
        let intent = match self.endpoint.get::<Intent>(&path(&token, "")).await {
            Ok(intent) => intent,
            Err(Trouble::Refused(declined)) if declined.status == 404 => {
                return ProviderOutcome::Absent;
            }
            Err(trouble) => return trouble.outcome(|_| UNKNOWN),
        };
        let is_declined = intent.last_payment_error.is_some();
        match intent.status {
            Status::RequiresPaymentMethod if is_declined => intent.outcome(),
            Status::RequiresPaymentMethod | Status::RequiresConfirmation => {
                self.called_off(&key, token).await
            }
            Status::Canceled => ProviderOutcome::Absent,
            _ => intent.outcome(),
        }
    }

    async fn called_off(&self, key: &str, token: String) -> ProviderOutcome {
        let cancel = Cancel { key: format!("{key}-off"), token };
        match self.cancelled(cancel).await {
            ProviderOutcome::Cancelled => ProviderOutcome::Absent,
            other => other,
        }
    }

    /// While something is held, only asking again under the key tells whether this was taken.
    async fn capture_was_lost(&self, token: &str) -> ProviderOutcome {
        match self.endpoint.get::<Intent>(&path(token, "")).await {
            Ok(intent) => match intent.status {
                Status::Succeeded => ProviderOutcome::Captured,
                Status::Canceled => ProviderOutcome::Cancelled,
                Status::Processing => ProviderOutcome::Pending { token: Some(intent.id) },
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
