mod body;
#[cfg(test)]
mod tests;
mod view;

use std::sync::Arc;

use actors::contract::Once;
use actors::domain::billing::contract::{ContractRefusal, NewContract, replay_difference};
use actors::domain::ids::ContractId;
use actors::domain::platform::limits::QuotaKind;
use actors::domain::refusal::Refusal;
use actors::query;
use actors::tables::{CONTRACT_KEYS, CONTRACTS};

pub use body::{AmendmentBody, LineItemBody, NewContractBody};
pub use view::{ContractList, ContractMade, ContractView, LineItemView, VersionList};

use crate::app::App;
use crate::gate::{Request, Route};
use crate::http::{ApiError, ApiResult, Response};

pub async fn list(app: Arc<App>, request: Request) -> ApiResult {
    let (paging, seller) = (request.paging("afterId")?, request.seller_id());
    let found = app.blocking(move |store| query::contracts(store, seller, paging)).await?;
    Ok(Response::ok(&ContractList::of(found, ContractView::brief)))
}

pub async fn get(app: Arc<App>, request: Request) -> ApiResult {
    let id = request.id("contractId", ContractId)?;
    let found = query::contract(&app.store, request.seller_id(), id)?;
    let contract = found.ok_or_else(ApiError::missing)?;
    Ok(Response::ok(&ContractView::from(contract)))
}

/// One key makes one contract.
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

/// Appends a version.
pub async fn amend(app: Arc<App>, request: Request) -> ApiResult {
    let id = require_contract(&app, &request)?;
    let amendment = request.json::<AmendmentBody>()?.parse().map_err(refused)?;
    let amended = app.contracts.amend(request.seller_id(), id, amendment).await?;
    Ok(Response::ok(&ContractMade::from(amended)))
}

/// Every version stays readable.
pub async fn versions(app: Arc<App>, request: Request) -> ApiResult {
    let (id, seller) = (request.id("contractId", ContractId)?, request.seller_id());
    let paging = request.paging("beforeId")?;
    let found = app.blocking(move |store| {
        let Some(contract) = query::contract(store, seller, id)? else { return Ok(None) };
        Ok(Some((contract, query::versions(store, seller, id, paging)?)))
    });
    let (contract, page) = found.await?.ok_or_else(ApiError::missing)?;
    let view = |version| ContractView::version(&contract, version);
    Ok(Response::ok(&VersionList::of(page, view)))
}

pub(in crate::api) fn require_contract(
    app: &App,
    request: &Request,
) -> Result<ContractId, ApiError> {
    let id = request.id("contractId", ContractId)?;
    let there = app.store.contains(CONTRACTS, &(request.seller_id(), id))?;
    there.then_some(id).ok_or_else(ApiError::missing)
}

fn refused(refusal: ContractRefusal) -> ApiError {
    Refusal::from(refusal).into()
}

pub fn routes() -> Vec<Route> {
    vec![
        Route::get("/contracts", list)
            .named("listContracts")
            .summary("List contracts")
            .describe("Without line items, which `GET /contracts/{contractId}` answers.")
            .paged("afterId")
            .answer::<ContractList>(200, "Oldest first."),
        Route::post("/contracts", create)
            .named("createContract")
            .summary("Make a contract")
            .describe(
                "Version 1, a draft. A repeated key answers the contract as it is now, and is \
                 held against the first request: `sellerCustomerId` and `currency` against the \
                 contract, `startDate`, `endDate` and `lineItems` (in any order) against version \
                 1, and of the customer's details those that the request states. A key is looked \
                 up before all that depends on time or state, so a replay stays one when the \
                 same request would be refused today. A refused request does not spend its key. \
                 Refusals and replays count in the quota.",
            )
            .idempotent()
            .quota(QuotaKind::Contracts)
            .body::<NewContractBody>()
            .answer::<ContractMade>(201, "The contract.")
            .answer::<ContractMade>(200, "A replay: the contract as it is now.")
            .refuses(400, "A field is missing, malformed or out of bounds; or the key is.")
            .refuses(422, "The key was used for a different contract; the text names the field.")
            .refuses(429, "The rate or the daily quota is used up; see `Retry-After`."),
        Route::get("/contracts/{contractId}", get)
            .named("getContract")
            .summary("Read a contract")
            .path_id("contractId")
            .answer::<ContractView>(200, "The current version with its line items."),
        Route::post("/contracts/{contractId}/amendments", amend)
            .named("amendContract")
            .summary("Amend a contract")
            .describe(
                "Appends a version. Status moves: `draft` to `active`, `active` to `suspended` \
                 and back, and from all of these to `closed`; naming the present status is no \
                 move. A closed contract takes no amendment. Line items that carry the \
                 `lineItemId` of the current version stay the same items; others match by equal \
                 type, configuration and quantity, and the rest are new. Dates that stay what \
                 they were are not held against today's window. `null` for `endDate` asks that \
                 there be none, which is refused where there is one; elsewhere `null` is as \
                 leaving a field out.",
            )
            .path_id("contractId")
            .quota(QuotaKind::Amendments)
            .body::<AmendmentBody>()
            .answer::<ContractMade>(200, "The contract in its new version.")
            .refuses(400, "A field is malformed or out of bounds.")
            .refuses(422, "A stale version, a closed contract, or a move that is not allowed.")
            .refuses(429, "The rate or the daily quota is used up; see `Retry-After`."),
        Route::get("/contracts/{contractId}/versions", versions)
            .named("listContractVersions")
            .summary("List the versions of a contract")
            .describe("The cursor is the number of a version.")
            .path_id("contractId")
            .paged("beforeId")
            .answer::<VersionList>(200, "Newest first, each with its full content."),
    ]
}
