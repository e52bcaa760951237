//! What is asked for as a payout.

use actors::domain::money::Currency;
use actors::domain::payments::amount::{minor_of, positive};
use actors::domain::payments::payout::PayoutRefusal;
use serde::Deserialize;
use utoipa::ToSchema;

use crate::gate::Request;

const MAX_KEY: usize = 128;

/// A payout from a wallet.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PayoutBody {
    #[schema(required)]
    pub(super) wallet_id: Option<u64>,
    /// The currency of the wallet.
    #[schema(required)]
    pub(super) currency_code: Option<String>,
    /// Must be of the wallet's payee, and active.
    #[schema(required)]
    pub(super) payout_method_id: Option<u64>,
    #[serde(flatten)]
    pub(super) sum: SumBody,
}

/// A payout to a payee, from its wallet in the currency of the payout method.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PayeePayoutBody {
    #[schema(required)]
    pub(super) payout_method_id: Option<u64>,
    #[serde(flatten)]
    pub(super) sum: SumBody,
}

/// How much, under which key, and where to call back.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct SumBody {
    /// Major units as a decimal string, such as `12.50`; wins over `amountMinor`.
    amount: Option<String>,
    /// Minor units; deprecated, use `amount`.
    amount_minor: Option<i64>,
    /// 1-128 characters; without it the header `Idempotency-Key` is read.
    #[schema(max_length = 128)]
    idempotency_key: Option<String>,
    /// Called whenever the payout moves: `https` (`http` for demo accounts), of a host all of
    /// whose addresses are in the webhook allowlist.
    pub(super) webhook_url: Option<String>,
}

impl SumBody {
    /// The key, from the body or else from the header.
    pub(super) fn key(&self, request: &Request) -> Result<String, PayoutRefusal> {
        let stated = self.idempotency_key.as_deref().filter(|key| !key.is_empty());
        let key =
            stated.or_else(|| request.header("idempotency-key").filter(|key| !key.is_empty()));
        let key = key.ok_or(PayoutRefusal::Required("idempotencyKey"))?;
        let plain = key.chars().count() <= MAX_KEY && !key.chars().any(char::is_control);
        if plain { Ok(key.to_owned()) } else { Err(PayoutRefusal::Key) }
    }

    /// Minor units of `currency`.
    pub(super) fn amount(&self, currency: Currency) -> Result<i64, PayoutRefusal> {
        let stated = self.amount.as_deref().filter(|amount| !amount.is_empty());
        Ok(match (stated, self.amount_minor) {
            (Some(amount), _) => minor_of(amount, currency)?,
            (None, Some(minor)) => positive(minor)?,
            (None, None) => return Err(PayoutRefusal::Required("amount")),
        })
    }

    pub(super) fn url(&self) -> Option<&str> {
        self.webhook_url.as_deref().filter(|url| !url.is_empty())
    }
}
