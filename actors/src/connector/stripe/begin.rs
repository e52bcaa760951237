//! Opening an intent. Nothing is charged by it.

use super::Stripe;
use super::charge::billing_fields;
use super::error::Declined;
use super::form::Form;
use super::http::{Answered, Trouble};
use super::intent::{INTENTS, Intent, SETUP_INTENTS, Status, path};
use crate::connector::Create;
use crate::domain::money::Money;
use crate::domain::payments::failure::FailureCode;
use crate::domain::payments::method::Method;
use crate::domain::payments::payment::{CaptureMode, ProviderOutcome};
use crate::domain::payments::terminal::Rail;

/// How many intents are opened for one payment, one after the other was called off.
const MOST_PLACES: u32 = 20;

impl Stripe {
    /// A card's intent is only opened. A local method's is confirmed in the same step: nothing
    /// is charged before the buyer has acted, and the buyer is told where by this answer.
    pub(super) async fn begin(&self, ask: Create) -> ProviderOutcome {
        let asked = match ask.method.rail() {
            Rail::Card => self.open_anew(&ask).await,
            Rail::Apm => self.endpoint.post(INTENTS, &ask.key, local_form(&ask)).await,
        };
        match asked {
            Ok(intent) if ask.method.rail() == Rail::Card => {
                ProviderOutcome::Opened { token: intent.id }
            }
            Ok(intent) => intent.outcome(),
            Err(trouble) => trouble.outcome(refused),
        }
    }

    /// What was opened under the key before may have been called off since, when nobody knew
    /// what had become of it, or opened with other content so that it could be called off; or the
    /// processor may keep a failure for the key. Then another is opened in its place: one without
    /// a card charges nothing, whatever becomes of it.
    async fn open_anew(&self, ask: &Create) -> Result<Intent, Trouble> {
        let mut key = ask.key.clone();
        for place in 2..=MOST_PLACES {
            match self.open(&key, ask.amount, &ask.reference, ask.capture).await {
                Ok(told) if !told.is_repeated => return Ok(told.object),
                Ok(told) => {
                    let intent: Intent = self.endpoint.get(&path(&told.object.id, "")).await?;
                    if intent.status != Status::Canceled {
                        return Ok(intent);
                    }
                }
                Err(Trouble::Refused(declined)) if declined.is_of_key() => (),
                Err(Trouble::Kept) => (),
                Err(trouble) => return Err(trouble),
            }
            key = format!("{}-{place}", ask.key);
        }
        Err(Trouble::Unknown(FailureCode::ProviderError))
    }

    /// What is sent depends on nothing that a lost call does not know, so that it can be sent
    /// once more. Where nothing is charged the card is verified, for charges with nobody there.
    pub(super) async fn open(
        &self,
        key: &str,
        amount: Money,
        reference: &str,
        capture: CaptureMode,
    ) -> Result<Answered<Intent>, Trouble> {
        if amount.minor == 0 {
            let form = name_fields(Form::new(), reference, key).with("usage", "off_session");
            let form = form.with("payment_method_types[0]", "card");
            return self.endpoint.post_noting(SETUP_INTENTS, key, form).await;
        }
        let form = amount_fields(amount, reference, key);
        let form = match capture {
            CaptureMode::Automatic => form.with("capture_method", "automatic"),
            CaptureMode::Manual => form
                .with("capture_method", "manual")
                .with("payment_method_options[card][request_multicapture]", "if_available"),
        };
        self.endpoint.post_noting(INTENTS, key, form).await
    }
}

fn refused(declined: Declined) -> ProviderOutcome {
    declined.outcome(declined.code(), None)
}

fn amount_fields(amount: Money, reference: &str, key: &str) -> Form {
    let form = Form::new()
        .with("amount", &amount.minor.to_string())
        .with("currency", &amount.currency.code().to_ascii_lowercase());
    name_fields(form, reference, key)
}

fn name_fields(form: Form, reference: &str, key: &str) -> Form {
    form.with("metadata[reference]", reference).with("metadata[key]", key)
}

fn local_form(ask: &Create) -> Form {
    let kind = match ask.method {
        Method::MbWay => "mb_way",
        method => method.name(),
    };
    let form = amount_fields(ask.amount, &ask.reference, &ask.key)
        .with("payment_method_types[0]", kind)
        .with("payment_method_data[type]", kind)
        .with("confirm", "true")
        .maybe("description", ask.description.as_deref())
        .maybe("return_url", ask.return_url.as_deref());
    let prefix = "payment_method_data[billing_details]";
    let form = match &ask.phone {
        Some(phone) => form.with(&format!("{prefix}[phone]"), phone),
        None => form,
    };
    billing_fields(form, prefix, ask.billing.as_ref(), None, ask.phone.is_none())
}
