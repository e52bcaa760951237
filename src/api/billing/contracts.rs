//! Contracts over HTTP.

mod amend;
mod body;
mod create;
#[cfg(test)]
mod tests;
mod versions;
mod view;

use std::sync::Arc;

use actors::domain::billing::contract::ContractRefusal;
use actors::domain::ids::ContractId;
use actors::domain::refusal::Refusal;
use actors::query;
use actors::tables::CONTRACTS;
use storage::{ReadError, Store};

pub use amend::amend;
pub use body::{AmendmentBody, LineItemBody, NewContractBody};
pub use create::create;
pub use versions::{VersionList, versions};
pub use view::{ContractList, ContractMade, ContractView, LineItemView};

use crate::api::page;
use crate::app::App;
use crate::http::{Answer, Call, Problem, Reply};

pub async fn list(app: Arc<App>, call: Call) -> Answer {
    let (paging, seller) = (page(call.paging("afterId")?), call.seller_id());
    let found = apart(&app, move |store| query::contracts(store, seller, paging)).await?;
    Ok(Reply::ok(&ContractList::of(found, ContractView::brief)))
}

pub async fn get(app: Arc<App>, call: Call) -> Answer {
    let id = call.id("contractId", ContractId)?;
    let found = query::contract(&app.store, call.seller_id(), id)?;
    let contract = found.ok_or_else(Problem::missing)?;
    Ok(Reply::ok(&ContractView::from(contract)))
}

/// The contract that the path names.
pub(in crate::api) fn demand(app: &App, call: &Call) -> Result<ContractId, Problem> {
    let id = call.id("contractId", ContractId)?;
    let there = app.store.contains(CONTRACTS, &(call.seller_id(), id))?;
    there.then_some(id).ok_or_else(Problem::missing)
}

/// Reads many rows away from the threads that serve connections: it may wait for the disk.
pub(in crate::api) async fn apart<T: Send + 'static>(
    app: &App,
    read: impl FnOnce(&Store) -> Result<T, ReadError> + Send + 'static,
) -> Result<T, Problem> {
    let store = app.store.clone();
    match tokio::task::spawn_blocking(move || read(&store)).await {
        Ok(found) => Ok(found?),
        Err(error) => Err(Problem::internal(&error)),
    }
}

fn refused(refusal: ContractRefusal) -> Problem {
    Refusal::from(refusal).into()
}
