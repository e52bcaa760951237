//! `POST /contracts/{contractId}/credits/top-up`: one key makes one grant.

use std::sync::Arc;

use actors::contract::Once;
use actors::domain::billing::credit::{CreditRefusal, NewTopup, first_difference};
use actors::domain::ids::ContractId;
use actors::domain::refusal::Refusal;
use actors::query;
use actors::tables::{CREDIT_ENTRIES, CREDIT_KEYS, CUSTOMERS};

use super::{CreditEntryView, CreditGrantBody, require_credits};
use crate::app::App;
use crate::gate::Request;
use crate::http::{ApiError, ApiResult, Response};

pub async fn top_up(app: Arc<App>, request: Request) -> ApiResult {
    require_credits(&request)?;
    let seller = request.seller_id();
    let id = request.id("contractId", ContractId)?;
    let contract = query::contract(&app.store, seller, id)?.ok_or_else(ApiError::missing)?;
    let new = request.json::<CreditGrantBody>()?.parse(contract.customer).map_err(Refusal::from)?;
    if let Some(replay) = replay(&app, &request, id, &new)? {
        return Ok(replay);
    }
    if !app.store.contains(CUSTOMERS, &(seller, new.customer))? {
        return Err(Refusal::from(CreditRefusal::CustomerUnknown).into());
    }
    let key = request.idempotency_key().to_owned();
    match app.contracts.top_up_credit(seller, id, new.clone(), key).await? {
        Once::Made(made) => Ok(Response::created(&CreditEntryView::from(made))),
        Once::Before => replay(&app, &request, id, &new)?.ok_or_else(ApiError::unanswered),
    }
}

/// The answer of a key that has made a grant before, or `422` naming the field that differs.
fn replay(
    app: &App,
    request: &Request,
    contract: ContractId,
    again: &NewTopup,
) -> Result<Option<Response>, ApiError> {
    let (store, seller) = (&app.store, request.seller_id());
    let row = (seller, request.idempotency_key().to_owned());
    let Some(key) = store.get(CREDIT_KEYS, &row)? else { return Ok(None) };
    let torn = || ApiError::internal(&format!("a key's grant {} is not there", key.entry));
    let row = (seller, key.contract, key.entry);
    let first = store.get(CREDIT_ENTRIES, &row)?.ok_or_else(torn)?;
    match first_difference((key.contract, &first), (contract, again)) {
        Some(field) => Err(ApiError::unprocessable(format!(
            "Idempotency-Key was used for a credit grant with a different {field}"
        ))),
        None => Ok(Some(Response::replayed(&CreditEntryView::from(first)))),
    }
}
