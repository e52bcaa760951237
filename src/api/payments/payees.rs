mod body;
mod setup;
mod view;

use std::sync::Arc;

use actors::domain::ids::PayeeId;
use actors::domain::payments::payee::Payee;
use actors::domain::refusal::Refusal;
use actors::payee::PayeeOrder;
use actors::query;
use actors::seller::Spent;

pub use body::{PatchPayeeBody, PayeeBody};
pub use setup::{SetupBody, SetupView, setup};
pub use view::{Archived, PayeeList, PayeeView};

use super::idempotency_key;
use crate::api::billing::contracts::apart;
use crate::api::page;
use crate::app::App;
use crate::gate::Route;
use crate::http::{Answer, Call, Problem, Reply};

const ENDPOINT: &str = "payees";

pub async fn create(app: Arc<App>, call: Call) -> Answer {
    let body: PayeeBody = call.json()?;
    let claim = idempotency_key::claim(&call, ENDPOINT, &[], 0);
    if let Some(made) = idempotency_key::used(&app, &call, &claim).await? {
        return replay(&app, &call, PayeeId(made));
    }
    let payee = body.parse().map_err(Refusal::from)?;
    let order = PayeeOrder { payee, method: None, wallet: None };
    match app.payees.create(call.seller_id(), order, claim.clone()).await? {
        Spent::Made(opened) => Ok(Reply::created(&view(&call, &opened.payee))),
        Spent::Before => {
            let made = idempotency_key::winner(&app, &call, &claim).await?;
            replay(&app, &call, PayeeId(made))
        }
    }
}

pub async fn list(app: Arc<App>, call: Call) -> Answer {
    let (paging, seller) = (page(call.paging("beforeId")?), call.seller_id());
    let found = apart(&app, move |store| query::payees(store, seller, paging)).await?;
    Ok(Reply::ok(&PayeeList::of(found, |payee| view(&call, &payee))))
}

pub async fn get(app: Arc<App>, call: Call) -> Answer {
    Ok(Reply::ok(&view(&call, &load_payee(&app, &call)?)))
}

pub async fn patch(app: Arc<App>, call: Call) -> Answer {
    let id = load_payee(&app, &call)?.id;
    let body: PatchPayeeBody = call.json()?;
    let patch = body.parse().map_err(Refusal::from)?;
    let payee = app.payees.patch(call.seller_id(), id, patch).await?;
    Ok(Reply::ok(&view(&call, &payee)))
}

pub async fn archive(app: Arc<App>, call: Call) -> Answer {
    let id = load_payee(&app, &call)?.id;
    app.payees.archive(call.seller_id(), id).await?;
    Ok(Reply::ok(&Archived { archived: true }))
}

/// The payee that the path names.
///
/// # Errors
/// `404` when the caller has no payee of that id.
pub(super) fn load_payee(app: &App, call: &Call) -> Result<Payee, Problem> {
    let id = call.id("payeeId", PayeeId)?;
    query::payee(&app.store, call.seller_id(), id)?.ok_or_else(Problem::missing)
}

fn replay(app: &App, call: &Call, id: PayeeId) -> Answer {
    let payee = query::payee(&app.store, call.seller_id(), id)?.ok_or_else(Problem::missing)?;
    Ok(Reply::replayed(&view(call, &payee)))
}

fn view(call: &Call, payee: &Payee) -> PayeeView {
    PayeeView::new(payee, call.seller().seller.mode)
}

pub fn routes() -> Vec<Route> {
    vec![
        Route::post("/payees", create)
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
            .summary("List payees")
            .paged("beforeId")
            .answer::<PayeeList>(200, "Newest first, archived ones too."),
        Route::get("/payees/{payeeId}", get)
            .summary("Read a payee")
            .path_id("payeeId")
            .answer::<PayeeView>(200, "The payee."),
        Route::patch("/payees/{payeeId}", patch)
            .summary("Change a payee")
            .describe(
                "A field that is left out stays. `null` takes one away, but not `displayName` or \
                 `role`. A changed `displayName`, `businessName` or `taxId` restarts verification.",
            )
            .path_id("payeeId")
            .body::<PatchPayeeBody>()
            .answer::<PayeeView>(200, "The payee as it is now.")
            .refuses(400, "A field is wrong.")
            .refuses(409, "Another payee has the `payeeContractId`, or the payee is archived."),
        Route::delete("/payees/{payeeId}", archive)
            .summary("Archive a payee")
            .path_id("payeeId")
            .answer::<Archived>(200, "It is archived, and its wallets are closed.")
            .refuses(409, "It has an open payout, or a balance that is not zero."),
    ]
}
