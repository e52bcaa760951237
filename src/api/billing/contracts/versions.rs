//! `GET /contracts/{contractId}/versions`: every version stays readable (decisions 3).

use std::sync::Arc;

use actors::domain::ids::ContractId;
use actors::query;
use serde::Serialize;
use utoipa::ToSchema;

use super::{ContractView, apart};
use crate::api::page;
use crate::app::App;
use crate::http::{Answer, Call, Problem, Reply};

/// A page of versions. The cursor is a version's number.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct VersionList {
    versions: Vec<ContractView>,
    has_more: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_before_id: Option<u64>,
}

/// `GET /contracts/{contractId}/versions`.
pub async fn versions(app: Arc<App>, call: Call) -> Answer {
    let (id, seller) = (call.id("contractId", ContractId)?, call.seller_id());
    let paging = page(call.paging("beforeId")?);
    let found = apart(&app, move |store| {
        let Some(contract) = query::contract(store, seller, id)? else { return Ok(None) };
        Ok(Some((contract, query::versions(store, seller, id, paging)?)))
    });
    let (contract, page) = found.await?.ok_or_else(Problem::missing)?;
    let view = |version| ContractView::version(&contract, version);
    Ok(Reply::ok(&VersionList {
        versions: page.items.into_iter().map(view).collect(),
        has_more: page.next.is_some(),
        next_cursor: page.next,
        next_before_id: page.next,
    }))
}
