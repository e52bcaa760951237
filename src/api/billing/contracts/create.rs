//! `POST /contracts`: one key makes one contract.

use std::sync::Arc;

use actors::contract::Once;
use actors::domain::billing::contract::{ContractRefusal, NewContract, replay_difference};
use actors::domain::ids::ContractId;
use actors::query;
use actors::tables::CONTRACT_KEYS;

use super::{ContractMade, NewContractBody, refused};
use crate::app::App;
use crate::http::{Answer, Call, Problem, Reply};

pub async fn create(app: Arc<App>, call: Call) -> Answer {
    let new = call.json::<NewContractBody>()?.parse().map_err(refused)?;
    if let Some(replay) = replay(&app, &call, &new)? {
        return Ok(replay);
    }
    let seller = call.seller_id();
    let customer = query::customer(&app.store, seller, new.customer)?
        .ok_or_else(|| refused(ContractRefusal::UnknownCustomer))?;
    let key = call.idempotency_key().to_owned();
    match app.contracts.create(seller, new.clone(), customer, key).await? {
        Once::Made(contract) => Ok(Reply::created(&ContractMade::from(contract))),
        Once::Before => replay(&app, &call, &new)?.ok_or_else(Problem::unanswered),
    }
}

/// The answer of a key that has made a contract before: the contract as it is now. Comes before
/// whatever depends on time or state, so that a replay stays one.
///
/// # Errors
/// `422` naming the field in which the request differs from the first.
fn replay(app: &App, call: &Call, new: &NewContract) -> Result<Option<Reply>, Problem> {
    let (store, seller) = (&app.store, call.seller_id());
    let row = (seller, call.idempotency_key().to_owned());
    let Some(id) = store.get(CONTRACT_KEYS, &row)?.map(ContractId) else { return Ok(None) };
    let torn = || Problem::internal(&format!("a key's contract {id} is not whole"));
    let contract = query::contract(store, seller, id)?.ok_or_else(torn)?;
    let first = query::contract_version(store, seller, id, 1)?.ok_or_else(torn)?;
    match replay_difference(new, &first, &contract) {
        Some(field) => Err(Problem::unprocessable(format!(
            "Idempotency-Key was used for a contract with a different {field}"
        ))),
        None => Ok(Some(Reply::replayed(&ContractMade::from(contract)))),
    }
}
