//! The back office.

use crate::api::backoffice::{passes, sellers, switches};
use crate::api::billing::sandbox;
use crate::http::route::Route;

/// The routes of this part.
pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::get("/backoffice/v1/switches", switches::list)
            .summary("List the switches")
            .answer::<switches::SwitchList>(200, "All of them."),
        Route::put("/backoffice/v1/switches/{name}", switches::put)
            .summary("Turn a switch")
            .describe(
                "For all sellers, or for one, who then keeps it whatever is turned for all. \
                 Takes effect at once and outlives a restart.",
            )
            .path_text("name", "Name of the switch.")
            .body::<switches::SwitchBody>()
            .answer::<switches::SwitchView>(200, "The switch as it stands now.")
            .refuses(400, "A field is malformed, or there is no such seller.")
            .refuses(404, "No such switch."),
        Route::get("/backoffice/v1/sellers", sellers::list)
            .summary("List seller accounts")
            .describe("Quotas and rate limits are shown as they hold, the settings' included.")
            .paged("beforeId")
            .answer::<sellers::SellerList>(200, "Newest first."),
        Route::post("/backoffice/v1/sellers", sellers::create)
            .summary("Make a live seller account")
            .describe("Active at once. Its key is shown in this answer and never again.")
            .body::<sellers::NewSellerBody>()
            .answer::<sandbox::MintedView<'_>>(201, "The account with its key.")
            .refuses(400, "A field is missing or malformed."),
        Route::patch("/backoffice/v1/sellers/{sellerAccountId}", sellers::patch)
            .summary("Change a seller account")
            .describe(
                "What is left out stays. Of quotas and rate limits, `null` goes back to the \
                 setting and 0 turns the limit off.",
            )
            .path_id("sellerAccountId")
            .body::<sellers::PatchSellerBody>()
            .answer::<sellers::SellerView>(200, "The account as it is now.")
            .refuses(400, "A field is malformed.")
            .refuses(422, "A minted sandbox account stays demo, and live never goes back."),
        Route::post("/backoffice/v1/passes/{name}/run", passes::run)
            .summary("Run a pass now")
            .describe(
                "Contracts on a test clock take part, by their own clock. A pass that is \
                 switched off does nothing and says so.",
            )
            .path_text("name", "Name of the pass.")
            .answer::<passes::PassRunView>(200, "What it did.")
            .refuses(404, "No such pass."),
    ]
}
