//! What is read of the processor's objects.

use serde::de::Error;
use serde::{Deserialize, Deserializer};

use super::error::ErrorBody;
use super::form::segment;
use crate::domain::payments::failure::FailureCode;
use crate::domain::payments::payment::{Ask, ProviderOutcome};
use crate::domain::payments::saved_card::CardToken;

pub(super) const INTENTS: &str = "/v1/payment_intents";
pub(super) const SETUP_INTENTS: &str = "/v1/setup_intents";

/// Characters of a name that the processor gives, which payments keep. An answer with a longer one
/// is not readable.
const NAME_CHARS: usize = 255;

/// The intent of a payment, or one that has a card verified to keep it: they have the same life.
#[derive(Debug, Deserialize)]
pub(super) struct Intent {
    #[serde(deserialize_with = "name")]
    pub(super) id: String,
    pub(super) status: Status,
    #[serde(default)]
    pub(super) next_action: Option<NextAction>,
    #[serde(default, alias = "last_setup_error")]
    pub(super) last_payment_error: Option<ErrorBody>,
    #[serde(default)]
    pub(super) payment_method_types: Vec<String>,
    /// What was taken so far, in minor units.
    #[serde(default)]
    pub(super) amount_received: Option<i64>,
    /// Who the processor keeps the card for, which card that is, and that it does so.
    #[serde(default, deserialize_with = "maybe_name")]
    customer: Option<String>,
    #[serde(default, deserialize_with = "maybe_name")]
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
    #[serde(deserialize_with = "name")]
    entity: String,
    #[serde(deserialize_with = "name")]
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
    #[serde(deserialize_with = "name")]
    id: String,
    #[serde(default)]
    status: Option<String>,
    #[serde(default)]
    metadata: Metadata,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Metadata {
    /// The provider key that it was asked for under.
    pub(super) key: Option<String>,
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
    #[serde(deserialize_with = "name")]
    pub(super) id: String,
}

pub(super) fn name<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    let name = String::deserialize(from)?;
    match name.chars().nth(NAME_CHARS) {
        None => Ok(name),
        Some(_) => Err(D::Error::custom("a name is too long")),
    }
}

pub(super) fn maybe_name<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    #[derive(Deserialize)]
    struct Name(#[serde(deserialize_with = "name")] String);
    Ok(Option::<Name>::deserialize(from)?.map(|Name(name)| name))
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

    /// Why it has no card any more, where that was turned down.
    pub(super) fn decline(&self) -> Option<FailureCode> {
        let error = self.last_payment_error.as_ref();
        error.filter(|_| self.status == Status::RequiresPaymentMethod).map(ErrorBody::failure)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_with_a_name_too_long_to_be_kept_is_not_readable() {
        let intent = |id: &str, customer: &str| {
            let body = format!(
                r#"{{"id":"{id}","customer":"{customer}","payment_method":null,
                    "status":"succeeded"}}"#
            );
            serde_json::from_str::<Intent>(&body).map(|intent| intent.id)
        };
        let (most, more) = ("ä".repeat(255), "x".repeat(256));
        assert_eq!(intent(&most, "cus_1").expect("readable"), most);
        assert!(intent(&more, "cus_1").is_err());
        assert!(intent("pi_1", &more).is_err());
        let named = |id: &str| serde_json::from_str::<Named>(&format!(r#"{{"id":"{id}"}}"#));
        assert!(named(&most).is_ok() && named(&more).is_err());
        let voucher = |text: &str| {
            let body = format!(r#"{{"entity":"{text}","reference":"1"}}"#);
            serde_json::from_str::<Voucher>(&body)
        };
        assert!(voucher("12345").is_ok() && voucher(&more).is_err());
        let refund =
            |id: &str| serde_json::from_str::<RefundObject>(&format!(r#"{{"id":"{id}"}}"#));
        assert!(refund("re_1").is_ok() && refund(&more).is_err());
    }
}
