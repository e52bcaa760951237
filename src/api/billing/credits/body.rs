//! What a request says of a grant.

use actors::domain::billing::credit::{CreditRefusal, CreditType, NewTopup};
use actors::domain::ids::CustomerId;
use actors::domain::money::Currency;
use actors::domain::time::Timestamp;
use serde::Deserialize;
use utoipa::ToSchema;
use utoipa::openapi::Object;

use crate::api::wire::{accepted_currencies, words};

/// Credit to be granted.
#[derive(Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CreditGrantBody {
    /// `purchased` and `enterprise` are paid for, and never expire.
    #[schema(required, schema_with = granted_types)]
    pub(super) credit_type: Option<String>,
    #[schema(required, minimum = 1, maximum = 1_000_000_000_000_i64)]
    pub(super) amount_minor: Option<i64>,
    /// The contract's.
    #[schema(required, schema_with = accepted_currencies)]
    pub(super) currency: Option<String>,
    /// In the future; never by default.
    #[schema(format = DateTime)]
    pub(super) expires_at: Option<String>,
    #[schema(required, max_length = 512)]
    pub(super) reason: Option<String>,
    /// A customer of the seller; the contract's by default.
    pub(super) seller_customer_id: Option<u64>,
}

impl CreditGrantBody {
    /// The grant, judged by itself. `customer` is that of the contract.
    pub(super) fn parse(&self, customer: CustomerId) -> Result<NewTopup, CreditRefusal> {
        let text = |text: &Option<String>, field| match text.as_deref().map(str::trim) {
            Some(text) if !text.is_empty() => Ok(text.to_owned()),
            _ => Err(CreditRefusal::Required(field)),
        };
        let kind = text(&self.credit_type, "creditType")?;
        let amount_minor = self.amount_minor.ok_or(CreditRefusal::Required("amountMinor"))?;
        let currency = text(&self.currency, "currency")?.to_ascii_uppercase();
        let expires_at = self.expires_at.as_deref().map(Timestamp::parse);
        let new = NewTopup {
            credit_type: parse_type(&kind)?,
            amount_minor,
            currency: Currency::parse(&currency).ok_or(CreditRefusal::CurrencyUnknown)?,
            expires_at: match expires_at {
                Some(None) => return Err(CreditRefusal::ExpiryMalformed),
                known => known.flatten(),
            },
            reason: text(&self.reason, "reason")?,
            customer: self.seller_customer_id.map_or(customer, CustomerId),
        };
        new.check().map(|()| new)
    }
}

fn parse_type(name: &str) -> Result<CreditType, CreditRefusal> {
    match CreditType::parse(&name.to_ascii_lowercase()) {
        None => Err(CreditRefusal::TypeUnknown),
        Some(CreditType::Proration) => Err(CreditRefusal::TypeNotGranted),
        Some(known) => Ok(known),
    }
}

fn granted_types() -> Object {
    let granted = CreditType::ALL.iter().filter(|kind| **kind != CreditType::Proration);
    words(granted.map(|kind| kind.name()))
}
