//! `/contracts/{contractId}/credits/auto-topup`: credit that is bought with the saved card.

use std::sync::Arc;

use actors::domain::billing::credit::{AutoTopup, CreditRefusal, PackTerms};
use actors::domain::ids::ContractId;
use actors::domain::money::Currency;
use actors::domain::refusal::Refusal;
use actors::query;
use actors::tables::AUTO_TOPUPS;
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;
use utoipa::ToSchema;

use super::require_credits;
use crate::app::App;
use crate::gate::{Request, Route};
use crate::http::{ApiError, ApiResult, Response};

/// How the credit of a contract tops itself up. The amounts stay as they are where none is stated.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AutoTopupBody {
    #[schema(required)]
    enabled: Option<bool>,
    /// A pack is bought once less than this can be drawn.
    #[schema(minimum = 1, maximum = 1_000_000_000_000_i64)]
    threshold_minor: Option<i64>,
    /// The credit of a pack; at least `thresholdMinor`.
    #[schema(minimum = 1, maximum = 1_000_000_000_000_i64)]
    amount_minor: Option<i64>,
    /// What a pack costs, before tax.
    #[schema(minimum = 1, maximum = 1_000_000_000_000_i64)]
    price_minor: Option<i64>,
}

#[skip_serializing_none]
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AutoTopupView {
    enabled: bool,
    currency: Currency,
    threshold_minor: Option<i64>,
    amount_minor: Option<i64>,
    price_minor: Option<i64>,
    /// The invoice of the pack that is being bought.
    pending_invoice_id: Option<u64>,
}

impl AutoTopupBody {
    fn parse(&self) -> Result<(bool, Option<PackTerms>), CreditRefusal> {
        let enabled = self.enabled.ok_or(CreditRefusal::Required("enabled"))?;
        let amounts = [self.threshold_minor, self.amount_minor, self.price_minor];
        if amounts == [None; 3] {
            return Ok((enabled, None));
        }
        let stated = |minor: Option<i64>, field| minor.ok_or(CreditRefusal::Required(field));
        let terms = PackTerms {
            threshold_minor: stated(self.threshold_minor, "thresholdMinor")?,
            amount_minor: stated(self.amount_minor, "amountMinor")?,
            price_minor: stated(self.price_minor, "priceMinor")?,
        };
        terms.check().map(|()| (enabled, Some(terms)))
    }
}

impl AutoTopupView {
    fn new(currency: Currency, known: Option<&AutoTopup>) -> Self {
        let terms = known.map(|known| known.terms);
        Self {
            enabled: known.is_some_and(|known| known.enabled),
            currency,
            threshold_minor: terms.map(|terms| terms.threshold_minor),
            amount_minor: terms.map(|terms| terms.amount_minor),
            price_minor: terms.map(|terms| terms.price_minor),
            pending_invoice_id: known.and_then(|known| known.buying).map(|buying| buying.invoice.0),
        }
    }
}

async fn get(app: Arc<App>, request: Request) -> ApiResult {
    require_credits(&request)?;
    let (seller, id) = (request.seller_id(), request.id("contractId", ContractId)?);
    let contract = query::contract(&app.store, seller, id)?.ok_or_else(ApiError::missing)?;
    let known = app.store.get(AUTO_TOPUPS, &(seller, id))?;
    Ok(Response::ok(&AutoTopupView::new(contract.currency, known.as_ref())))
}

async fn put(app: Arc<App>, request: Request) -> ApiResult {
    require_credits(&request)?;
    let (seller, id) = (request.seller_id(), request.id("contractId", ContractId)?);
    let contract = query::contract(&app.store, seller, id)?.ok_or_else(ApiError::missing)?;
    let (enabled, terms) = request.json::<AutoTopupBody>()?.parse().map_err(Refusal::from)?;
    let set = app.contracts.set_auto_topup(seller, id, enabled, terms).await?;
    Ok(Response::ok(&AutoTopupView::new(contract.currency, Some(&set))))
}

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::get("/contracts/{contractId}/credits/auto-topup", get)
            .named("getAutoTopUp")
            .summary("Read how the credit of a contract tops itself up")
            .path_id("contractId")
            .answer::<AutoTopupView>(200, "Whether, when and for how much.")
            .refuses(501, "Stored credits are off."),
        Route::put("/contracts/{contractId}/credits/auto-topup", put)
            .named("setAutoTopUp")
            .summary("Let the credit of a contract top itself up")
            .describe(
                "Once less than `thresholdMinor` can be drawn, a pack of credit is bought with \
                 the customer's saved card, as soon as there is one: an `adhoc` invoice over \
                 `priceMinor` and the seller's tax, which no stored credit pays for. Paid, it is \
                 a `purchased` lot of `amountMinor`, less the part that a credit note took off. \
                 One pack is bought at a time. If the charge fails, its invoice is voided, or what \
                 a credit note leaves of it is written off; the top-up is switched off and \
                 `CreditAutoTopUpFailed` is sent. It does not ask for the switch of automatic \
                 charges.",
            )
            .path_id("contractId")
            .body::<AutoTopupBody>()
            .answer::<AutoTopupView>(200, "As it is from now on.")
            .refuses(400, "A field is missing, malformed or out of bounds.")
            .refuses(422, "The contract is closed.")
            .refuses(501, "Stored credits are off."),
    ]
}
