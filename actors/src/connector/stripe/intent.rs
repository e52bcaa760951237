//! What is read of the processor's objects.

use serde::Deserialize;

use super::error::ErrorBody;
use super::form::segment;
use crate::domain::payments::failure::FailureCode;
use crate::domain::payments::payment::{Ask, ProviderOutcome};
use crate::domain::payments::saved_card::CardToken;

pub(super) const INTENTS: &str = "/v1/payment_intents";
pub(super) const SETUP_INTENTS: &str = "/v1/setup_intents";

/// The intent of a payment, or one that has a card verified to keep it: they have the same life.
#[derive(Debug, Deserialize)]
pub(super) struct Intent {
    pub(super) id: String,
    pub(super) status: Status,
    #[serde(default)]
    pub(super) next_action: Option<NextAction>,
    #[serde(default, alias = "last_setup_error")]
    pub(super) last_payment_error: Option<ErrorBody>,
    #[serde(default)]
    pub(super) payment_method_types: Vec<String>,
    /// Who the processor keeps the card for, which card that is, and that it does so.
    #[serde(default)]
    customer: Option<String>,
    #[serde(default)]
    payment_method: Option<String>,
    #[serde(default, alias = "usage")]
    setup_future_usage: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Status {
    /// Nothing was charged: there is no card, or it was turned down.
    RequiresPaymentMethod,
    /// Nothing was charged: the card is there.
    RequiresConfirmation,
    RequiresAction,
    Processing,
    RequiresCapture,
    Canceled,
    Succeeded,
    #[serde(other)]
    Other,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct NextAction {
    redirect_to_url: Option<Redirect>,
    multibanco_display_details: Option<Voucher>,
    swish_handle_redirect_or_display_qr_code: Option<Hosted>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Redirect {
    url: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Voucher {
    entity: String,
    reference: String,
    hosted_voucher_url: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Hosted {
    hosted_instructions_url: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(super) struct RefundObject {
    id: String,
    #[serde(default)]
    status: Option<String>,
    #[serde(default)]
    metadata: RefundMetadata,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct RefundMetadata {
    key: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(super) struct List<T> {
    pub(super) data: Vec<T>,
    #[serde(default)]
    pub(super) has_more: bool,
}

/// An object of which only the name is of interest.
#[derive(Debug, Deserialize)]
pub(super) struct Named {
    pub(super) id: String,
}

/// Of a payment's intent, or of one that only verifies a card: its name says which.
pub(super) fn path(token: &str, verb: &str) -> String {
    let intents = if is_setup(token) { SETUP_INTENTS } else { INTENTS };
    format!("{intents}/{}{verb}", segment(token))
}

/// Whether an intent of this name charges nothing.
pub(super) fn is_setup(token: &str) -> bool {
    token.starts_with("seti_")
}

impl Intent {
    pub(super) fn outcome(self) -> ProviderOutcome {
        let card = self.kept_card();
        let outcome = self.own_outcome();
        match card {
            Some(card) => ProviderOutcome::KeepsCard { card, then: Box::new(outcome) },
            None => outcome,
        }
    }

    /// The name of the card that the processor keeps: its customer's and its own.
    fn kept_card(&self) -> Option<CardToken> {
        self.setup_future_usage.as_ref()?;
        let (customer, method) = (self.customer.as_ref()?, self.payment_method.as_ref()?);
        Some(CardToken::new(format!("{customer}/{method}")))
    }

    fn own_outcome(self) -> ProviderOutcome {
        let token = self.id.clone();
        match self.status {
            Status::Succeeded => ProviderOutcome::Completed { token },
            Status::RequiresCapture => ProviderOutcome::Authorized { token },
            Status::Processing => ProviderOutcome::Pending { token: Some(token) },
            Status::RequiresAction => self.challenged(),
            Status::RequiresPaymentMethod => {
                let code = self.last_payment_error.as_ref().map(ErrorBody::failure);
                let code = code.unwrap_or(FailureCode::Declined);
                ProviderOutcome::Failed { code, token: Some(token) }
            }
            Status::Canceled => ProviderOutcome::Cancelled,
            Status::RequiresConfirmation | Status::Other => {
                ProviderOutcome::Unknown { doubt: FailureCode::ProviderError }
            }
        }
    }

    fn challenged(self) -> ProviderOutcome {
        let action = self.next_action.unwrap_or_default();
        let is_of = |name: &str| self.payment_method_types.iter().any(|own| own == name);
        let (asks, url) = if let Some(voucher) = action.multibanco_display_details {
            let Voucher { entity, reference, hosted_voucher_url } = voucher;
            (Ask::Voucher { entity, reference }, hosted_voucher_url)
        } else if let Some(hosted) = action.swish_handle_redirect_or_display_qr_code {
            (Ask::Redirect, hosted.hosted_instructions_url)
        } else {
            let url = action.redirect_to_url.and_then(|redirect| redirect.url);
            let asks = if is_of("mb_way") && url.is_none() {
                Ask::Push
            } else if self.payment_method_types.is_empty() || is_of("card") {
                Ask::Challenge
            } else {
                Ask::Redirect
            };
            (asks, url)
        };
        ProviderOutcome::Challenged { token: self.id, asks, url }
    }
}

impl RefundObject {
    pub(super) fn id(&self) -> &str {
        &self.id
    }

    /// Whether it was asked for under this provider key.
    pub(super) fn is_of(&self, key: &str) -> bool {
        self.metadata.key.as_deref() == Some(key)
    }

    pub(super) fn outcome(self) -> ProviderOutcome {
        let token = self.id;
        match self.status.as_deref() {
            Some("succeeded") => ProviderOutcome::Refunded { token },
            Some("canceled") => ProviderOutcome::RefundCancelled,
            Some("failed") => {
                ProviderOutcome::Failed { code: FailureCode::Declined, token: Some(token) }
            }
            _ => ProviderOutcome::Pending { token: Some(token) },
        }
    }
}
