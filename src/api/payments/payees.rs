mod body;
mod setup;
mod view;

use std::sync::Arc;

use actors::domain::ids::PayeeId;
use actors::domain::payments::payee::Payee;
use actors::domain::refusal::Refusal;
use actors::kernel::Once;
use actors::payee::PayeeOrder;
use actors::query;

pub use body::{PatchPayeeBody, PayeeBody};
pub use setup::{SetupBody, SetupView, setup};
pub use view::{Archived, PayeeList, PayeeView, VerificationView};

use super::idempotency_key;
use crate::app::App;
use crate::gate::{Request, Route};
use crate::http::{ApiError, ApiResult, Response};

const ENDPOINT: &str = "payees";

pub async fn create(app: Arc<App>, request: Request) -> ApiResult {
    let body: PayeeBody = request.json()?;
    let claim = idempotency_key::claim(&app, &request, ENDPOINT, &[], 0);
    if let Some(made) = idempotency_key::used(&app, &request, &claim).await? {
        return replay(&app, &request, PayeeId(made));
    }
    let payee = body.parse().map_err(Refusal::from)?;
    let order = PayeeOrder { payee, method: None, wallet: None };
    match app.payees.create(request.seller_id(), order, claim.clone()).await? {
        Once::Made(opened) => Ok(Response::created(&view(&request, &opened.payee))),
        Once::Before => {
            let made = idempotency_key::winner(&app, &request, &claim).await?;
            replay(&app, &request, PayeeId(made))
        }
    }
}

pub async fn list(app: Arc<App>, request: Request) -> ApiResult {
    let (paging, seller) = (request.paging("beforeId")?, request.seller_id());
    let found = app.blocking(move |store| query::payees(store, seller, paging)).await?;
    Ok(Response::ok(&PayeeList::of(found, |payee| view(&request, &payee))))
}

pub async fn get(app: Arc<App>, request: Request) -> ApiResult {
    Ok(Response::ok(&view(&request, &load_payee(&app, &request)?)))
}

pub async fn patch(app: Arc<App>, request: Request) -> ApiResult {
    let id = load_payee(&app, &request)?.id;
    let body: PatchPayeeBody = request.json()?;
    let patch = body.parse().map_err(Refusal::from)?;
    let payee = app.payees.patch(request.seller_id(), id, patch).await?;
    Ok(Response::ok(&view(&request, &payee)))
}

pub async fn archive(app: Arc<App>, request: Request) -> ApiResult {
    let id = load_payee(&app, &request)?.id;
    app.payees.archive(request.seller_id(), id).await?;
    Ok(Response::ok(&Archived { archived: true }))
}

pub(super) fn load_payee(app: &App, request: &Request) -> Result<Payee, ApiError> {
    let id = request.id("payeeId", PayeeId)?;
    query::payee(&app.store, request.seller_id(), id)?.ok_or_else(ApiError::missing)
}

fn replay(app: &App, request: &Request, id: PayeeId) -> ApiResult {
    let payee = query::payee(&app.store, request.seller_id(), id)?.ok_or_else(ApiError::missing)?;
    Ok(Response::replayed(&view(request, &payee)))
}

fn view(request: &Request, payee: &Payee) -> PayeeView {
    PayeeView::new(payee, request.seller().seller.mode)
}

pub fn routes() -> Vec<Route> {
    vec![
        Route::post("/payees", create)
            .named("createPayee")
            .summary("Make a payee")
            .describe(
                "Verification begins at once, and tells of itself in `KYBVerification…` events. In \
                 a demo account it passes by itself within seconds.",
            )
            .idempotent()
            .body::<PayeeBody>()
            .answer::<PayeeView>(201, "The payee.")
            .answer::<PayeeView>(200, "A replay: the payee as it is now.")
            .refuses(400, "A field is missing or wrong.")
            .refuses(
                409,
                "Another payee has the `payeeContractId`, or the key was used for a different \
                 request.",
            ),
        Route::post("/payees/setup", setup)
            .named("setUpPayee")
            .audited()
            .summary("Make a payee with a payout method and a wallet")
            .describe("All three or none.")
            .idempotent()
            .body::<SetupBody>()
            .answer::<SetupView>(201, "The three of them.")
            .answer::<SetupView>(200, "A replay: the three as they are now.")
            .refuses(400, "A field is missing or wrong; the text names it with its part.")
            .refuses(
                409,
                "Another payee has the `payeeContractId`, or the key was used for a different \
                 request.",
            ),
        Route::get("/payees", list)
            .named("listPayees")
            .summary("List payees")
            .paged("beforeId")
            .answer::<PayeeList>(200, "Newest first, archived ones too."),
        Route::get("/payees/{payeeId}", get)
            .named("getPayee")
            .summary("Read a payee")
            .path_id("payeeId")
            .answer::<PayeeView>(200, "The payee."),
        Route::patch("/payees/{payeeId}", patch)
            .named("updatePayee")
            .audited()
            .summary("Change a payee")
            .describe(
                "A field that is left out stays. `null` takes one away, but not `displayName` or \
                 `role`. A changed `displayName`, `businessName` or `taxId` restarts verification, \
                 but not that of a payee rejected for good.",
            )
            .path_id("payeeId")
            .body::<PatchPayeeBody>()
            .answer::<PayeeView>(200, "The payee as it is now.")
            .refuses(400, "A field is wrong.")
            .refuses(409, "Another payee has the `payeeContractId`, or the payee is archived."),
        Route::delete("/payees/{payeeId}", archive)
            .named("archivePayee")
            .audited()
            .summary("Archive a payee")
            .describe(
                "Its `payeeContractId` is free for another payee. Money that comes to it later, as \
                 when a bank sends a payout back, takes it into use again, without one.",
            )
            .path_id("payeeId")
            .answer::<Archived>(200, "It is archived, and its wallets are closed.")
            .refuses(
                409,
                "It has an open payout or a balance that is not zero, or an open payment names it.",
            ),
    ]
}
