//! `POST /contracts`: one key makes one contract.

use std::sync::Arc;

use actors::contract::Once;
use actors::domain::billing::contract::{ContractRefusal, NewContract, replay_difference};
use actors::query;
use actors::tables::CONTRACT_KEYS;

use super::{ContractMade, NewContractBody, refused};
use crate::app::App;
use crate::gate::Request;
use crate::http::{ApiError, ApiResult, Response};

pub async fn create(app: Arc<App>, request: Request) -> ApiResult {
    let new = request.json::<NewContractBody>()?.parse().map_err(refused)?;
    if let Some(replay) = replay(&app, &request, &new)? {
        return Ok(replay);
    }
    let seller = request.seller_id();
    let customer = query::customer(&app.store, seller, new.customer)?
        .ok_or_else(|| refused(ContractRefusal::UnknownCustomer))?;
    let key = request.idempotency_key().to_owned();
    match app.contracts.create(seller, new.clone(), customer, key).await? {
        Once::Made(contract) => Ok(Response::created(&ContractMade::from(contract))),
        Once::Before => replay(&app, &request, &new)?.ok_or_else(ApiError::unanswered),
    }
}

/// The answer of a key that has made a contract before: the contract as it is now, or `422` naming
/// the field that differs. Comes before whatever depends on time or state, so that a replay
/// stays one.
fn replay(app: &App, request: &Request, new: &NewContract) -> Result<Option<Response>, ApiError> {
    let (store, seller) = (&app.store, request.seller_id());
    let row = (seller, request.idempotency_key().to_owned());
    let Some(id) = store.get(CONTRACT_KEYS, &row)? else { return Ok(None) };
    let torn = || ApiError::internal(&format!("a key's contract {id} is not whole"));
    let contract = query::contract(store, seller, id)?.ok_or_else(torn)?;
    let first = query::contract_version(store, seller, id, 1)?.ok_or_else(torn)?;
    match replay_difference(new, &first, &contract) {
        Some(field) => Err(ApiError::unprocessable(format!(
            "Idempotency-Key was used for a contract with a different {field}"
        ))),
        None => Ok(Some(Response::replayed(&ContractMade::from(contract)))),
    }
}
