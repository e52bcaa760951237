//! What is asked of an intent that was charged. Each may be asked again, so a refusal of the
//! account says nothing: the question may have been acted on before. Nor does it when an intent is
//! not known that the processor has named: then another account was asked, or another processor.

use super::Stripe;
use super::error::Declined;
use super::form::Form;
use super::http::Trouble;
use super::intent::{Intent, RefundObject, Status, path};
use crate::connector::{Capture, Confirm, Refund};
use crate::domain::payments::failure::FailureCode;
use crate::domain::payments::payment::ProviderOutcome;
use crate::entropy::Entropy;

pub(super) const UNKNOWN: ProviderOutcome =
    ProviderOutcome::Unknown { doubt: FailureCode::ProviderError };

impl Stripe {
    /// The bank tells the processor by itself what the buyer did: the intent is read.
    pub(super) async fn confirmed(&self, ask: Confirm) -> ProviderOutcome {
        let read = match self.endpoint.get::<Intent>(&path(&ask.token, "")).await {
            Ok(intent) if intent.status == Status::RequiresConfirmation => {
                let path = path(&ask.token, "/confirm");
                self.endpoint.post(&path, &ask.key, Form::new()).await
            }
            read => read,
        };
        match read {
            Ok(intent) => intent.outcome(),
            Err(trouble) => trouble.outcome(|declined| match declined.status {
                402 => ProviderOutcome::Failed { code: declined.code(), token: Some(ask.token) },
                _ => UNKNOWN,
            }),
        }
    }

    /// Whether the intent has gone on from where its buyer is to act; not where nobody can tell.
    pub(super) async fn buyer_acted(&self, token: &str) -> bool {
        let read = self.endpoint.get::<Intent>(&path(token, "")).await;
        read.is_ok_and(|intent| !matches!(intent.status, Status::RequiresAction | Status::Other))
    }

    /// A refusal is final: what was captured under this key before is answered as then.
    pub(super) async fn captured(&self, ask: Capture) -> ProviderOutcome {
        let form = Form::new().with("amount_to_capture", &ask.amount.minor.to_string());
        let form = match ask.last {
            true => form,
            false => form.with("final_capture", "false"),
        };
        let path = path(&ask.token, "/capture");
        let code = FailureCode::CaptureFailed;
        match self.endpoint.post::<Intent>(&path, &ask.key, form).await {
            Ok(intent) => match intent.status {
                Status::Succeeded => ProviderOutcome::Captured,
                Status::RequiresCapture if !ask.last => ProviderOutcome::Captured,
                Status::Processing => ProviderOutcome::Pending { token: Some(intent.id) },
                Status::Canceled => ProviderOutcome::Cancelled,
                _ => UNKNOWN,
            },
            Err(trouble) => {
                trouble.outcome(unless_of_account(|it| it.outcome(code, Some(ask.token))))
            }
        }
    }

    /// What the bank said of a buyer who has not come back since is read first.
    pub(super) async fn given_up(&self, token: String) -> ProviderOutcome {
        let decline = match self.endpoint.get::<Intent>(&path(&token, "")).await {
            Ok(intent) => intent.decline(),
            Err(trouble) => return trouble.outcome(|_| UNKNOWN),
        };
        match (self.cancelled(&token).await, decline) {
            (ProviderOutcome::Cancelled, Some(code)) => {
                ProviderOutcome::Failed { code, token: Some(token) }
            }
            (outcome, _) => outcome,
        }
    }

    /// Each try has a key of its own: twice is no harm, and under one key a failure would be told
    /// again. An intent that cannot be called off is read, since it may have been called off
    /// before, or taken.
    pub(super) async fn cancelled(&self, token: &str) -> ProviderOutcome {
        let cancel = path(token, "/cancel");
        match self.endpoint.post::<Intent>(&cancel, &Entropy.token(), Form::new()).await {
            Ok(_) => return ProviderOutcome::Cancelled,
            Err(Trouble::Refused(_)) => (),
            Err(trouble) => return trouble.outcome(|_| UNKNOWN),
        }
        match self.endpoint.get::<Intent>(&path(token, "")).await {
            Ok(intent) => match intent.status {
                Status::Canceled => ProviderOutcome::Cancelled,
                // Its card may be one that is kept.
                Status::Succeeded => intent.outcome(),
                Status::Processing => ProviderOutcome::Pending { token: Some(intent.id) },
                _ => UNKNOWN,
            },
            Err(trouble) => trouble.outcome(|_| UNKNOWN),
        }
    }

    /// The key is noted at the refund, so that it is found again. The seller's words stay here.
    pub(super) async fn refunded(&self, ask: Refund) -> ProviderOutcome {
        let form = Form::new()
            .with("payment_intent", &ask.token)
            .with("amount", &ask.amount.minor.to_string())
            .with("metadata[key]", &ask.key);
        match self.endpoint.post::<RefundObject>("/v1/refunds", &ask.key, form).await {
            Ok(refund) => refund.outcome(),
            Err(trouble) => trouble.outcome(unless_of_account(|declined| {
                if declined.status == 404 {
                    return UNKNOWN;
                }
                let code = match declined.error.code.as_deref() {
                    Some("balance_insufficient") => FailureCode::RefundTooEarly,
                    _ => FailureCode::Declined,
                };
                declined.outcome(code, None)
            })),
        }
    }
}

fn unless_of_account(
    refused: impl FnOnce(Declined) -> ProviderOutcome,
) -> impl FnOnce(Declined) -> ProviderOutcome {
    |declined| match declined.is_of_account() {
        true => UNKNOWN,
        false => refused(declined),
    }
}
