//! How the processor says no.

use serde::Deserialize;

use super::intent::maybe_name;
use crate::domain::payments::failure::FailureCode;
use crate::domain::payments::payment::{ProcessorRefusal, ProviderOutcome};

#[derive(Debug, Default, Deserialize)]
pub(super) struct ErrorAnswer {
    #[serde(default)]
    pub(super) error: ErrorBody,
}

/// What is read of a refusal, and of the last error of an intent.
#[derive(Clone, Debug, Default, Deserialize)]
pub(super) struct ErrorBody {
    #[serde(default, rename = "type")]
    pub(super) kind: Option<String>,
    #[serde(default)]
    pub(super) code: Option<String>,
    #[serde(default)]
    pub(super) decline_code: Option<String>,
    #[serde(default, deserialize_with = "maybe_name")]
    pub(super) charge: Option<String>,
    /// Prose, which may name what was sent.
    #[serde(default)]
    pub(super) message: Option<String>,
}

#[derive(Debug)]
pub(super) struct Declined {
    pub(super) status: u16,
    pub(super) error: ErrorBody,
}

impl Declined {
    /// Whether the card was turned down, and not the question.
    pub(super) fn is_of_card(&self) -> bool {
        self.status == 402
    }

    /// Whether the account was turned away. That says nothing of what was asked before.
    pub(super) fn is_of_account(&self) -> bool {
        matches!(self.status, 401 | 403)
    }

    /// Whether the key was used for a question with other content.
    pub(super) fn is_of_key(&self) -> bool {
        self.error.kind.as_deref() == Some("idempotency_error")
    }

    /// The outcome of a question that the processor did nothing for. Unless it is the card that was
    /// turned down, what the processor says goes to the operator.
    pub(super) fn outcome(&self, code: FailureCode, token: Option<String>) -> ProviderOutcome {
        if self.is_of_card() {
            return ProviderOutcome::Failed { code, token };
        }
        let ErrorBody { code: name, message, .. } = &self.error;
        let refusal = ProcessorRefusal::new(
            self.status,
            name.as_deref(),
            message.as_deref(),
            self.is_final(),
        );
        ProviderOutcome::Refused { code, token, refusal }
    }

    /// Whether what was asked about is gone, or has gone further than what was asked.
    fn is_final(&self) -> bool {
        let over = ["charge_expired_for_capture", "payment_intent_unexpected_state"];
        self.status == 404 || self.error.code.as_deref().is_some_and(|code| over.contains(&code))
    }

    /// Why the card was not charged; a question that is wrong in itself is 2002.
    pub(super) fn code(&self) -> FailureCode {
        match self.is_of_card() {
            true => self.error.failure(),
            false => FailureCode::ProviderError,
        }
    }
}

impl ErrorBody {
    /// The failure code of a card that was turned down. Declines tell no more than that.
    pub(super) fn failure(&self) -> FailureCode {
        let words = [self.code.as_deref(), self.decline_code.as_deref()];
        let says = |known: &[&str]| words.iter().flatten().any(|word| known.contains(word));
        if says(&["authentication_required", "authentication_not_handled"]) {
            FailureCode::AuthenticationRequired
        } else if says(&["incorrect_zip", "incorrect_address", "postal_code_invalid"]) {
            FailureCode::AddressMismatch
        } else if says(&["processing_error", "issuer_not_available", "try_again_later"]) {
            FailureCode::ProviderError
        } else {
            FailureCode::Declined
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_card_error_has_the_code_that_says_what_to_do() {
        for (code, decline, expected) in [
            ("card_declined", Some("generic_decline"), 2001),
            ("card_declined", Some("insufficient_funds"), 2001),
            ("card_declined", Some("do_not_honor"), 2001),
            ("card_declined", Some("authentication_required"), 3002),
            ("card_declined", Some("issuer_not_available"), 2002),
            ("card_declined", None, 2001),
            ("authentication_required", None, 3002),
            ("payment_intent_authentication_failure", None, 2001),
            ("incorrect_zip", None, 2005),
            ("incorrect_address", None, 2005),
            ("expired_card", None, 2001),
            ("incorrect_cvc", None, 2001),
            ("processing_error", None, 2002),
        ] {
            let error = ErrorBody {
                kind: Some("card_error".to_owned()),
                code: Some(code.to_owned()),
                decline_code: decline.map(str::to_owned),
                charge: None,
                message: None,
            };
            let declined = Declined { status: 402, error };
            assert_eq!(declined.code().code(), expected, "{code} {decline:?}");
            assert_eq!(Declined { status: 400, ..declined }.code(), FailureCode::ProviderError);
        }
    }
}
