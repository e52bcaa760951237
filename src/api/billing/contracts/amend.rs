//! `POST /contracts/{contractId}/amendments`: the next version.

use std::sync::Arc;

use super::{AmendmentBody, ContractMade, demand, refused};
use crate::app::App;
use crate::http::{Answer, Call, Reply};

pub async fn amend(app: Arc<App>, call: Call) -> Answer {
    let id = demand(&app, &call)?;
    let amendment = call.json::<AmendmentBody>()?.parse().map_err(refused)?;
    let amended = app.contracts.amend(call.seller_id(), id, amendment).await?;
    Ok(Reply::ok(&ContractMade::from(amended)))
}
