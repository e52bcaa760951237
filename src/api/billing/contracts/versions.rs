//! `GET /contracts/{contractId}/versions`: every version stays readable.

use std::sync::Arc;

use actors::domain::ids::ContractId;
use actors::query;

use super::ContractView;
use crate::api::wire::{List, Listed};
use crate::app::App;
use crate::gate::Request;
use crate::http::{ApiError, ApiResult, Response};

/// A contract is listed by its versions; the cursor is the number of one.
pub struct Versions;

pub type VersionList = List<ContractView, Versions>;

impl Listed for Versions {
    const LIST: &'static str = "VersionList";
    const ITEMS: &'static str = "versions";
}

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
