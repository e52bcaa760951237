//! Charging an open intent. The card goes to the processor here, and nowhere else.

use super::Stripe;
use super::form::Form;
use super::http::Trouble;
use super::intent::{Intent, Named, Status, is_setup, path};
use crate::connector::{Challenge, Charge};
use crate::domain::payments::card::CardData;
use crate::domain::payments::failure::FailureCode;
use crate::domain::payments::payment::{BillingDetails, ProviderOutcome};
use crate::domain::payments::source::{Source, WalletToken};

impl Stripe {
    /// In three steps: the card becomes a payment method, that one the intent's, and then the
    /// intent is confirmed. Only the last one charges. Not every compatible processor takes the
    /// card with the confirmation.
    pub(super) async fn charge_card(&self, ask: Charge) -> ProviderOutcome {
        let intent = match self.charged(&ask).await {
            Ok(intent) => intent,
            Err(trouble) => {
                return trouble.outcome(|it| it.outcome(it.code(), Some(ask.token)));
            }
        };
        match intent.status {
            Status::RequiresAction if ask.challenge == Challenge::Skip => {
                self.unconfirmed(ask.token).await
            }
            Status::Canceled => ProviderOutcome::Absent,
            _ => intent.outcome(),
        }
    }

    /// Nobody is told where to confirm, so this intent can only end.
    pub(super) async fn unconfirmed(&self, token: String) -> ProviderOutcome {
        match self.cancelled(&token).await {
            ProviderOutcome::Cancelled => {
                let code = FailureCode::AuthenticationRequired;
                ProviderOutcome::Failed { code, token: Some(token) }
            }
            other => other,
        }
    }

    /// An intent is charged once at most. One whose card was turned down may be charged anew,
    /// under a key that the refused charge is a part of.
    async fn charged(&self, ask: &Charge) -> Result<Intent, Trouble> {
        let Charge { token, source, .. } = ask;
        let intent: Intent = self.endpoint.get(&path(token, "")).await?;
        let is_open =
            matches!(intent.status, Status::RequiresPaymentMethod | Status::RequiresConfirmation);
        if !is_open {
            return Ok(intent);
        }
        let refused = intent.last_payment_error.as_ref().and_then(|error| error.charge.as_ref());
        let key =
            &refused.map_or_else(|| ask.key.clone(), |charge| format!("{}-{charge}", ask.key));
        let source = match source {
            Source::Saved(card) => return self.charged_again(ask, key, card.token()).await,
            Source::Card(card) => card_form(card, ask.billing.as_ref()),
            Source::Wallet(wallet) => {
                let card = self.wallet_card(key, wallet).await?;
                let form = Form::new().with("type", "card").with("card[token]", &card);
                billing_fields(form, "billing_details", ask.billing.as_ref(), None, true)
            }
            // What a local method needs was said when its intent was begun.
            Source::Local => return Ok(intent),
        };
        let method: Named =
            self.endpoint.post("/v1/payment_methods", &format!("{key}-method"), source).await?;
        let attached = Form::new().with("payment_method", &method.id);
        let attached = match ask.keeps_card {
            true => self.for_later(token, key, attached).await?,
            false => attached,
        };
        let _: Intent =
            self.endpoint.post(&path(token, ""), &format!("{key}-attach"), attached).await?;
        let confirm = match ask.challenge {
            Challenge::Skip => Form::new(),
            Challenge::Ask => Form::new().maybe("return_url", ask.return_url.as_deref()),
            Challenge::Force => Form::new()
                .maybe("return_url", ask.return_url.as_deref())
                .with("payment_method_options[card][request_three_d_secure]", "any"),
        };
        self.endpoint.post(&path(token, "/confirm"), key, confirm).await
    }

    /// Asks the processor to keep the card, which it does for a customer of its own.
    async fn for_later(&self, token: &str, key: &str, form: Form) -> Result<Form, Trouble> {
        let customer = Form::new().with("metadata[key]", key);
        let customer: Named =
            self.endpoint.post("/v1/customers", &format!("{key}-customer"), customer).await?;
        let form = form.with("customer", &customer.id);
        // One that only verifies the card says so from its beginning.
        Ok(if is_setup(token) { form } else { form.with("setup_future_usage", "off_session") })
    }

    /// Charges a card that the processor keeps, with nobody there to confirm anything.
    async fn charged_again(&self, ask: &Charge, key: &str, kept: &str) -> Result<Intent, Trouble> {
        let (customer, method) = kept.split_once('/').unwrap_or(("", kept));
        let attached = Form::new().with("customer", customer).with("payment_method", method);
        let to = path(&ask.token, "");
        let _: Intent = self.endpoint.post(&to, &format!("{key}-attach"), attached).await?;
        let confirm = Form::new().with("off_session", "true");
        self.endpoint.post(&path(&ask.token, "/confirm"), key, confirm).await
    }

    /// The processor's name for the card in a wallet. Google's token may hold one already,
    /// Apple's is exchanged for one.
    async fn wallet_card(&self, key: &str, wallet: &WalletToken) -> Result<String, Trouble> {
        let text = wallet.token();
        let held = serde_json::from_str::<Named>(text).map_or_else(|_| text.to_owned(), |it| it.id);
        if held.starts_with("tok_") {
            return Ok(held);
        }
        let form = Form::new().with("pk_token", text);
        let made: Named = self.endpoint.post("/v1/tokens", &format!("{key}-token"), form).await?;
        Ok(made.id)
    }
}

fn card_form(card: &CardData, billing: Option<&BillingDetails>) -> Form {
    let form = Form::new()
        .with("type", "card")
        .with("card[number]", card.number())
        .with("card[exp_month]", &card.expiry.month.to_string())
        .with("card[exp_year]", &card.expiry.year.to_string())
        .with("card[cvc]", card.cvv());
    billing_fields(form, "billing_details", billing, card.holder.as_deref(), true)
}

/// What the bank compares. `holder` is the name on the card, which goes before the buyer's.
pub(super) fn billing_fields(
    form: Form,
    prefix: &str,
    billing: Option<&BillingDetails>,
    holder: Option<&str>,
    with_phone: bool,
) -> Form {
    let nobody = BillingDetails::default();
    let told = billing.unwrap_or(&nobody);
    let phone = told.phone.as_deref().filter(|_| with_phone);
    let country = told.country.as_ref().map(|country| country.code());
    [
        ("[name]", holder.or(told.name.as_deref())),
        ("[email]", told.email.as_deref()),
        ("[phone]", phone),
        ("[address][line1]", told.line1.as_deref()),
        ("[address][line2]", told.line2.as_deref()),
        ("[address][city]", told.city.as_deref()),
        ("[address][state]", told.state.as_deref()),
        ("[address][postal_code]", told.zip.as_deref()),
        ("[address][country]", country),
    ]
    .into_iter()
    .fold(form, |form, (field, value)| form.maybe(&format!("{prefix}{field}"), value))
}
