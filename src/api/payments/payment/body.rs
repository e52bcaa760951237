//! What sellers send to begin a payment.

use std::sync::Arc;

use actors::domain::money::Money;
use actors::domain::payments::amount::AmountRefusal;
use actors::domain::payments::card::CardInput;
use actors::domain::payments::initiation::fields::{self, billing_country, billing_text};
use actors::domain::payments::initiation::{Initiation, InitiationRefusal, ReturnRules};
use actors::domain::payments::method::Method;
use actors::domain::payments::payment::BillingDetails;
use actors::domain::payments::source::{Source, WalletToken};
use actors::domain::payments::terminal::Rail;
use secrecy::SecretString;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;
use utoipa::ToSchema;
use utoipa::openapi::schema::Object;

use crate::api::payments::major::Major;
use crate::api::payments::split::OrderData;
use crate::api::wire::text_or_object;

/// A payment to be begun. Fields that are not named here are not read.
#[derive(Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct InitiationBody {
    /// Your reference, and the payment's id in paths: 1-128 printable characters, unique.
    #[schema(required)]
    external_order_ref: Option<String>,
    #[schema(required)]
    amount: Option<Major>,
    /// `EUR`, `USD`, `GBP`, `DKK`, `NOK` or `SEK`.
    #[schema(required)]
    currency_code: Option<String>,
    /// `card`, also when it is absent, or `apm`.
    payment_type: Option<String>,
    /// With `card`: `card`, also when it is absent, `apple_pay` or `google_pay`; with `apm`:
    /// `bancontact`, `multibanco`, `mbway`, `wero` or `swish`.
    payment_method: Option<String>,
    /// The buyer's country, ISO 3166-1 alpha-2; required with `apm`.
    country_code: Option<String>,
    /// `https` (`http` for demo accounts), of an allowed return host.
    return_url: Option<String>,
    /// They go before `returnUrl`.
    return_links: Option<Vec<LinkBody>>,
    /// Cards need country and zip.
    billing_details: Option<BillingBody>,
    apm_data: Option<ApmBody>,
    /// No challenge by the bank, if the card can do without.
    #[serde(rename = "skip3DS")]
    skip_3ds: Option<bool>,
    /// `false` together with `captureMode` `manual`.
    auto_settlement: Option<bool>,
    /// `automatic`, also when it is absent, or `manual`.
    capture_mode: Option<String>,
    /// Required with `paymentMethod` `card`; never kept.
    card_data: Option<CardBody>,
    /// Required with `apple_pay` and `google_pay`; never kept.
    wallet_data: Option<WalletDataBody>,
    pub(super) order_data: Option<OrderData>,
}

/// A card.
#[derive(Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct CardBody {
    /// 12-19 digits.
    #[schema(value_type = String)]
    card_number: Option<SecretString>,
    /// 3 or 4 digits.
    #[schema(value_type = String)]
    cvv: Option<SecretString>,
    #[schema(required, minimum = 1, maximum = 12)]
    exp_month: Option<i64>,
    /// With its century.
    #[schema(required, minimum = 2000, maximum = 2099)]
    exp_year: Option<i64>,
    /// ASCII letters, spaces, apostrophes, dots and hyphens.
    #[schema(max_length = 80)]
    holder_name: Option<String>,
}

/// What a wallet made for this payment.
#[derive(Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct WalletDataBody {
    #[schema(required)]
    payment_token: Option<TokenBody>,
    /// Counts where there are no `billingDetails`.
    billing_contact: Option<BillingBody>,
}

/// A wallet's token.
#[derive(Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct TokenBody {
    #[schema(schema_with = decrypted_data)]
    decrypted_data: Option<Value>,
    payment_method: Option<TokenMethodBody>,
    /// Stands for the token where there is no `decryptedData`.
    transaction_identifier: Option<String>,
}

/// The card in a wallet, as the wallet shows it.
#[derive(Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct TokenMethodBody {
    display_name: Option<String>,
    network: Option<String>,
    /// As the wallet has it (`credit`, `debit`); it is not read.
    #[serde(rename = "type")]
    #[schema(value_type = Option<String>)]
    #[expect(dead_code, reason = "senders state it")]
    kind: Option<IgnoredAny>,
}

/// Whom an app asks.
#[derive(Default, Deserialize, ToSchema)]
struct ApmBody {
    /// E.164: `+` and 8-15 digits. With `mbway` the app of this number asks the buyer.
    phone: Option<String>,
}

/// Where a buyer goes.
#[derive(Default, Deserialize, ToSchema)]
struct LinkBody {
    /// `default`, `on_completed`, `on_failed` or `on_cancelled`.
    #[schema(required)]
    rel: Option<String>,
    #[schema(required)]
    href: Option<String>,
    /// `GET`.
    method: Option<String>,
}

/// What the bank compares with what it holds. Each text has at most 255 characters.
#[derive(Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", default)]
struct BillingBody {
    address_line1: Option<String>,
    address_line2: Option<String>,
    city: Option<String>,
    company: Option<String>,
    /// ISO 3166-1 alpha-2, unless `countryCode` is.
    country: Option<String>,
    country_code: Option<String>,
    email: Option<String>,
    first_name: Option<String>,
    last_name: Option<String>,
    phone: Option<String>,
    postal_code: Option<String>,
    state: Option<String>,
    /// Counts where there is no `addressLine1`.
    street: Option<String>,
    /// `postalCode` counts where there is none.
    zip: Option<String>,
}

impl InitiationBody {
    /// The payment that is asked for; the first check that fails is the answer. Whether anybody
    /// can carry it out is not asked here.
    pub(super) fn parse(
        mut self,
        rules: &ReturnRules<'_>,
    ) -> Result<Initiation, InitiationRefusal> {
        let currency = fields::currency(self.currency_code.as_deref())?;
        let amount = self.amount.ok_or(AmountRefusal::NotPositive)?;
        let amount = Money { minor: amount.minor(currency)?, currency };
        let reference = fields::reference(self.external_order_ref)?;
        let rail = fields::rail(self.payment_type.as_deref())?;
        let (named, country) = (self.payment_method.as_deref(), self.country_code.as_deref());
        let (method, country) = fields::market(rail, named, currency, country)?;
        let contact = self.wallet_data.as_mut().and_then(|wallet| wallet.billing_contact.take());
        let source = source(method, self.card_data, self.wallet_data)?;
        let phone = fields::phone(method, self.apm_data.and_then(|apm| apm.phone))?;
        let url = rules.check_url(self.return_url)?;
        let link = |link: LinkBody| rules.check_link(link.rel, link.href, link.method.as_deref());
        let links = self.return_links.map(|links| links.into_iter().map(link).collect());
        let returns = rules.returns(url, links.transpose()?, rail == Rail::Apm)?;
        let mode = self.capture_mode.as_deref();
        let capture = fields::capture_mode(mode, self.auto_settlement, method)?;
        let billing = self.billing_details.or(contact).map(BillingBody::parse).transpose()?;
        Ok(Initiation {
            reference,
            amount,
            method,
            country,
            source,
            phone,
            returns,
            capture,
            billing,
            skip_challenge: self.skip_3ds.unwrap_or(false),
        })
    }
}

fn source(
    method: Method,
    card: Option<CardBody>,
    wallet: Option<WalletDataBody>,
) -> Result<Source, InitiationRefusal> {
    if method.rail() == Rail::Apm {
        return Ok(Source::Local);
    }
    if method == Method::Card {
        return fields::card(card.ok_or(InitiationRefusal::Required("cardData"))?.input());
    }
    let wallet = wallet.ok_or(InitiationRefusal::Required("walletData"))?;
    let token = wallet.payment_token;
    let token = token.ok_or(InitiationRefusal::Required("walletData.paymentToken"))?;
    Ok(Source::Wallet(Arc::new(token.parse()?)))
}

impl CardBody {
    fn input(self) -> CardInput {
        CardInput {
            number: self.card_number.unwrap_or_default(),
            cvv: self.cvv.unwrap_or_default(),
            exp_month: self.exp_month,
            exp_year: self.exp_year,
            holder: self.holder_name.unwrap_or_default(),
            ..CardInput::default()
        }
    }
}

impl TokenBody {
    /// Refused when nothing in it identifies what is charged.
    fn parse(self) -> Result<WalletToken, InitiationRefusal> {
        let data = match self.decrypted_data {
            None | Some(Value::Null) => None,
            Some(Value::String(text)) => Some(text),
            Some(Value::Object(data)) => Some(Value::Object(data).to_string()),
            Some(_) => return Err(InitiationRefusal::WalletData),
        };
        let data = first_said(data, self.transaction_identifier);
        let data =
            data.ok_or(InitiationRefusal::Required("walletData.paymentToken.decryptedData"))?;
        let method = self.payment_method.unwrap_or_default();
        Ok(WalletToken::new(SecretString::from(data), method.display_name, method.network))
    }
}

impl BillingBody {
    fn parse(self) -> Result<BillingDetails, InitiationRefusal> {
        let country = billing_country(self.country_code.as_deref(), self.country.as_deref())?;
        let names = [self.first_name, self.last_name].into_iter().flatten();
        let names: Vec<String> = names.filter(|name| !name.is_empty()).collect();
        let name = Some(names.join(" "));
        Ok(BillingDetails {
            line1: billing_text(
                "billingDetails.addressLine1",
                first_said(self.address_line1, self.street),
            )?,
            line2: billing_text("billingDetails.addressLine2", self.address_line2)?,
            city: billing_text("billingDetails.city", self.city)?,
            state: billing_text("billingDetails.state", self.state)?,
            zip: billing_text("billingDetails.zip", first_said(self.zip, self.postal_code))?,
            country,
            name: billing_text("billingDetails.firstName with lastName", name)?,
            email: billing_text("billingDetails.email", self.email)?,
            phone: billing_text("billingDetails.phone", self.phone)?,
            company: billing_text("billingDetails.company", self.company)?,
        })
    }
}

/// What a wallet hides in its token, for the API document.
fn decrypted_data() -> Object {
    text_or_object("As the wallet gave it: an object, or its text.")
}

/// The first of two texts that says something.
fn first_said(one: Option<String>, other: Option<String>) -> Option<String> {
    one.into_iter().chain(other).find(|text| !text.trim().is_empty())
}

#[cfg(test)]
mod tests;
