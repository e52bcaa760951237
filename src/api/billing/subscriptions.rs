//! Subscriptions over HTTP.

mod actions;
mod body;
mod create;
#[cfg(test)]
mod tests;
mod view;

use std::sync::Arc;

use actors::domain::ids::{ContractId, SubscriptionId};
use actors::query;

pub use actions::{cancel, change_plan, end_trial, pause, resume};
pub use body::{
    CancelBody, ChangePlanBody, EndTrialBody, NewSubscriptionBody, PauseBody, ResumeBody,
};
pub use create::create;
pub use view::{PendingChangeView, SubscriptionList, SubscriptionView};

use super::contracts::apart;
use crate::api::page;
use crate::app::App;
use crate::http::{Answer, Call, Problem, Reply};

pub async fn list(app: Arc<App>, call: Call) -> Answer {
    let (paging, seller) = (page(call.paging("beforeId")?), call.seller_id());
    let contract = call.query_id("contractId", ContractId)?;
    let read = move |store: &_| query::subscriptions(store, seller, contract, paging);
    Ok(Reply::ok(&SubscriptionList::from(apart(&app, read).await?)))
}

pub async fn get(app: Arc<App>, call: Call) -> Answer {
    let id = call.id("subscriptionId", SubscriptionId)?;
    let found = query::subscription(&app.store, call.seller_id(), id)?;
    Ok(Reply::ok(&SubscriptionView::from(&found.ok_or_else(Problem::missing)?)))
}
