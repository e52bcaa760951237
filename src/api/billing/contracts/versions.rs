//! `GET /contracts/{contractId}/versions`: every version stays readable.

use std::sync::Arc;

use actors::domain::ids::ContractId;
use actors::query;

use super::{ContractView, apart};
use crate::api::page;
use crate::api::wire::{List, Listed};
use crate::app::App;
use crate::http::{Answer, Call, Problem, Reply};

/// A contract is listed by its versions; the cursor is the number of one.
pub struct Versions;

pub type VersionList = List<ContractView, Versions>;

impl Listed for Versions {
    const LIST: &'static str = "VersionList";
    const ITEMS: &'static str = "versions";
}

pub async fn versions(app: Arc<App>, call: Call) -> Answer {
    let (id, seller) = (call.id("contractId", ContractId)?, call.seller_id());
    let paging = page(call.paging("beforeId")?);
    let found = apart(&app, move |store| {
        let Some(contract) = query::contract(store, seller, id)? else { return Ok(None) };
        Ok(Some((contract, query::versions(store, seller, id, paging)?)))
    });
    let (contract, page) = found.await?.ok_or_else(Problem::missing)?;
    let view = |version| ContractView::version(&contract, version);
    Ok(Reply::ok(&VersionList::of(page, view)))
}
