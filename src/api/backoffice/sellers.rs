//! Seller accounts in the operator's hands.

mod body;
mod patch;
mod view;

use std::sync::Arc;

use actors::domain::ids::SellerId;
use actors::query;

pub use body::NewSellerBody;
pub use patch::PatchSellerBody;
pub use view::{SellerList, SellerView};

use crate::api::billing::sandbox::MintedView;
use crate::app::App;
use crate::gate::{Request, Route};
use crate::http::{ApiError, ApiResult, Response};

pub async fn list(app: Arc<App>, request: Request) -> ApiResult {
    let paging = request.paging("beforeId")?;
    let found = app.blocking(move |store| query::sellers(store, paging)).await?;
    let view = |seller| SellerView::new(&seller, &app.settings);
    Ok(Response::ok(&SellerList::of(found, view)))
}

pub async fn create(app: Arc<App>, request: Request) -> ApiResult {
    let new = request.json::<NewSellerBody>()?.parse()?;
    let minted = app.sellers.open_live(new).await?;
    Ok(Response::created(&MintedView::from(&minted)).unstored())
}

pub async fn patch(app: Arc<App>, request: Request) -> ApiResult {
    let id = request.id("sellerAccountId", SellerId)?;
    app.directory.seller(id)?.ok_or_else(ApiError::missing)?;
    let patch = request.json::<PatchSellerBody>()?.parse()?;
    let seller = app.sellers.patch(id, patch).await?;
    Ok(Response::ok(&SellerView::new(&seller, &app.settings)))
}

pub fn routes() -> Vec<Route> {
    vec![
        Route::get("/sellers", list)
            .named("listSellers")
            .summary("List seller accounts")
            .describe("Quotas and rate limits are shown as they hold, the settings' included.")
            .paged("beforeId")
            .answer::<SellerList>(200, "Newest first."),
        Route::post("/sellers", create)
            .named("createSeller")
            .summary("Make a live seller account")
            .describe("Active at once. Its key is shown in this answer and never again.")
            .body::<NewSellerBody>()
            .answer::<MintedView<'_>>(201, "The account with its key.")
            .refuses(400, "A field is missing or malformed.")
            .refuses(409, "The e-mail belongs to another account."),
        Route::patch("/sellers/{sellerAccountId}", patch)
            .named("updateSeller")
            .summary("Change a seller account")
            .describe(
                "What is left out stays. Of quotas and rate limits, `null` goes back to the \
                 setting and 0 turns the limit off.",
            )
            .path_id("sellerAccountId")
            .body::<PatchSellerBody>()
            .answer::<SellerView>(200, "The account as it is now.")
            .refuses(400, "A field is malformed.")
            .refuses(409, "The e-mail belongs to another account.")
            .refuses(
                422,
                "A minted sandbox account stays demo, live never goes back, and `taxMode` \
                 `automatic` needs a country of the EU.",
            ),
    ]
}
