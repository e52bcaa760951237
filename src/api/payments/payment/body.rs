//! What sellers send about payments.

use actors::domain::payments::card::CardInput;
use actors::domain::payments::initiation::{
    BillingRequest, CaptureRequest, InitiationRequest, LinkRequest, ReturnsRequest, WalletRequest,
};
use secrecy::SecretString;
use serde::Deserialize;
use serde_json::Value;
use utoipa::ToSchema;

use crate::api::payments::major::Major;
use crate::api::payments::split::OrderData;

/// A payment to be begun. Fields that are not named here are not read.
#[derive(Deserialize, ToSchema)]
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
    order_data: Option<OrderData>,
}

/// A card.
#[derive(Deserialize, ToSchema)]
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
    #[schema(required)]
    exp_year: Option<i64>,
    /// ASCII letters, spaces, apostrophes, dots and hyphens.
    #[schema(max_length = 80)]
    holder_name: Option<String>,
}

/// What a wallet made for this payment.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct WalletDataBody {
    #[schema(required)]
    payment_token: Option<TokenBody>,
    /// Counts where there are no `billingDetails`.
    billing_contact: Option<BillingBody>,
}

/// A wallet's token.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct TokenBody {
    /// As the wallet gave it.
    #[schema(value_type = Object)]
    decrypted_data: Option<Value>,
    payment_method: Option<TokenMethodBody>,
    /// Stands for the token where there is no `decryptedData`.
    transaction_identifier: Option<String>,
}

/// The card in a wallet, as the wallet shows it.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct TokenMethodBody {
    display_name: Option<String>,
    network: Option<String>,
}

/// Whom an app asks.
#[derive(Deserialize, ToSchema)]
struct ApmBody {
    /// E.164: `+` and 8-15 digits. With `mbway` the app of this number asks the buyer.
    phone: Option<String>,
}

/// Where a buyer goes.
#[derive(Deserialize, ToSchema)]
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

/// A payment to be finalized.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FinalizeBody {
    #[schema(required)]
    pub(super) external_order_ref: Option<String>,
    /// Without it, all that is authorized. Not with manual capture.
    pub(super) amount: Option<Major>,
}

/// What is to be captured.
#[derive(Deserialize, ToSchema)]
pub struct CaptureBody {
    /// Without it, all that is left.
    pub(super) amount: Option<Major>,
    /// Lets go of what is left afterwards, at once.
    #[serde(rename = "final")]
    pub(super) last: Option<bool>,
}

/// What is to be given back.
#[derive(Deserialize, ToSchema)]
pub struct RefundBody {
    /// Without it, all that is left.
    pub(super) amount: Option<Major>,
    /// Your words; shown in the payment.
    #[schema(max_length = 255)]
    pub(super) reason: Option<String>,
}

impl InitiationBody {
    /// The request, and what it says of its split.
    pub(super) fn request(self) -> (InitiationRequest, Option<OrderData>) {
        let links = self.return_links.map(|links| links.into_iter().map(LinkBody::request));
        let request = InitiationRequest {
            currency: self.currency_code,
            amount: self.amount.map(|amount| amount.text().to_owned()),
            reference: self.external_order_ref,
            payment_type: self.payment_type,
            payment_method: self.payment_method,
            country: self.country_code,
            card: self.card_data.map(CardBody::input),
            wallet: self.wallet_data.map(WalletDataBody::request),
            phone: self.apm_data.and_then(|apm| apm.phone),
            returns: ReturnsRequest { url: self.return_url, links: links.map(Iterator::collect) },
            capture: CaptureRequest {
                auto_settlement: self.auto_settlement,
                mode: self.capture_mode,
            },
            billing: self.billing_details.map(BillingBody::request),
            skip_challenge: self.skip_3ds.unwrap_or(false),
        };
        (request, self.order_data)
    }
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

impl WalletDataBody {
    fn request(self) -> WalletRequest {
        let token = self.payment_token;
        let method = token.as_ref().and_then(|token| token.payment_method.as_ref());
        WalletRequest {
            display_name: method.and_then(|method| method.display_name.clone()),
            network: method.and_then(|method| method.network.clone()),
            token: token.and_then(TokenBody::secret),
            contact: self.billing_contact.map(BillingBody::request),
        }
    }
}

impl TokenBody {
    fn secret(self) -> Option<SecretString> {
        let data = match self.decrypted_data {
            None | Some(Value::Null) => None,
            Some(Value::String(text)) => Some(text),
            Some(data) => Some(data.to_string()),
        };
        let data = data.or(self.transaction_identifier).filter(|text| !text.is_empty());
        data.map(SecretString::from)
    }
}

impl LinkBody {
    fn request(self) -> LinkRequest {
        LinkRequest { rel: self.rel, href: self.href, method: self.method }
    }
}

impl BillingBody {
    fn request(self) -> BillingRequest {
        BillingRequest {
            line1: self.address_line1.or(self.street),
            line2: self.address_line2,
            city: self.city,
            state: self.state,
            zip: self.zip.or(self.postal_code),
            countries: [self.country_code, self.country],
            names: [self.first_name, self.last_name],
            email: self.email,
            phone: self.phone,
            company: self.company,
        }
    }
}
