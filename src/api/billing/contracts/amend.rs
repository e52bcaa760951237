//! `POST /contracts/{contractId}/amendments`: the next version.

use std::sync::Arc;

use super::{AmendmentBody, ContractMade, refused, require_contract};
use crate::app::App;
use crate::gate::Request;
use crate::http::{ApiResult, Response};

pub async fn amend(app: Arc<App>, request: Request) -> ApiResult {
    let id = require_contract(&app, &request)?;
    let amendment = request.json::<AmendmentBody>()?.parse().map_err(refused)?;
    let amended = app.contracts.amend(request.seller_id(), id, amendment).await?;
    Ok(Response::ok(&ContractMade::from(amended)))
}
