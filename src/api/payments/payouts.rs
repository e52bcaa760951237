mod body;
mod create;
mod view;

use std::sync::Arc;

use actors::domain::ids::{PayeeId, PayoutId, WalletId};
use actors::domain::payments::payout::PayoutStatus;
use actors::query::{self, PayoutFilter};

pub use body::{PayeePayoutBody, PayoutBody};
pub use create::{create, create_for_payee};
pub use view::{PayoutList, PayoutView};

use crate::api::billing::contracts::apart;
use crate::api::page;
use crate::app::App;
use crate::http::{Answer, Call, Problem, Reply};

pub async fn list(app: Arc<App>, call: Call) -> Answer {
    let (paging, seller) = (page(call.paging("beforeId")?), call.seller_id());
    let expected = "pending, processing, completed, failed or cancelled";
    let filter = PayoutFilter {
        payee: call.query_id("payeeId", PayeeId)?,
        wallet: call.query_id("walletId", WalletId)?,
        status: call.query_as("status", expected, PayoutStatus::parse)?,
    };
    let found = apart(&app, move |store| query::payouts(store, seller, filter, paging)).await?;
    Ok(Reply::ok(&PayoutList::of(found, |payout| PayoutView::from(&payout))))
}

pub async fn get(app: Arc<App>, call: Call) -> Answer {
    let id = call.id("payoutId", PayoutId)?;
    let payout = query::payout(&app.store, call.seller_id(), id)?.ok_or_else(Problem::missing)?;
    Ok(Reply::ok(&PayoutView::from(&payout)))
}
