mod body;
mod create;
mod view;

use std::sync::Arc;

use actors::domain::ids::{PayeeId, PayoutId, WalletId};
use actors::domain::payments::payout::PayoutStatus;
use actors::query::{self, PayoutFilter};

pub use body::{PayeePayoutBody, PayoutBody};
pub use create::{PayoutConflictView, create, create_for_payee};
pub use view::{PayoutList, PayoutView};

use crate::app::App;
use crate::gate::{Request, Route};
use crate::http::{ApiError, ApiResult, Response};

pub async fn list(app: Arc<App>, request: Request) -> ApiResult {
    let (paging, seller) = (request.paging("beforeId")?, request.seller_id());
    let expected = "pending, processing, completed, failed or cancelled";
    let filter = PayoutFilter {
        payee: request.query_id("payeeId", PayeeId)?,
        wallet: request.query_id("walletId", WalletId)?,
        status: request.query_as("status", expected, PayoutStatus::parse)?,
    };
    let found = app.blocking(move |store| query::payouts(store, seller, filter, paging)).await?;
    Ok(Response::ok(&PayoutList::of(found, |payout| PayoutView::from(&payout))))
}

pub async fn get(app: Arc<App>, request: Request) -> ApiResult {
    let id = request.id("payoutId", PayoutId)?;
    let payout =
        query::payout(&app.store, request.seller_id(), id)?.ok_or_else(ApiError::missing)?;
    Ok(Response::ok(&PayoutView::from(&payout)))
}

/// Why neither way makes a payout.
const REFUSED: &str = "The balance is insufficient, or a vendor's allowance; the payee is archived \
                       or not approved, or has 1000 open payouts or no wallet in the currency; the \
                       wallet is of demo mode; or the key was used: by the same request, then with \
                       `payoutId` and `status`, or by another.";

const STATUSES: &[&str] = &["pending", "processing", "completed", "failed", "cancelled"];

pub fn routes() -> Vec<Route> {
    vec![
        Route::post("/payouts", create)
            .named("createPayout")
            .summary("Pay out from a wallet")
            .describe(
                "The money is reserved at once and comes back when the payout fails. A `main` \
                 wallet is paid out to a payout method of the seller, which nobody verifies. Both \
                 ways of making a payout share one space of keys. With `webhookUrl` each later \
                 move is posted there as `PayoutUpdated`, signed with `webhookSecret`, which is \
                 shown once.",
            )
            .body::<PayoutBody>()
            .answer::<PayoutView>(201, "The payout.")
            .refuses(400, "A field is missing or wrong.")
            .refuses(404, "No such wallet, or no such method of its payee, or of the seller.")
            .answer::<PayoutConflictView>(409, REFUSED),
        Route::post("/payees/{payeeId}/payouts", create_for_payee)
            .named("createPayeePayout")
            .summary("Pay a payee out")
            .describe("As paying out from the payee's wallet in the currency of the method.")
            .path_id("payeeId")
            .body::<PayeePayoutBody>()
            .answer::<PayoutView>(201, "The payout.")
            .refuses(400, "A field is missing or wrong.")
            .refuses(404, "No such payee, or no such method of the payee.")
            .answer::<PayoutConflictView>(409, REFUSED),
        Route::get("/payouts", list)
            .named("listPayouts")
            .summary("List payouts")
            .query_id("payeeId", "Only those to this payee.")
            .query_id("walletId", "Only those from this wallet.")
            .query_one_of("status", STATUSES, "Only those that stand so.")
            .paged("beforeId")
            .answer::<PayoutList>(200, "Newest first."),
        Route::get("/payouts/{payoutId}", get)
            .named("getPayout")
            .summary("Read a payout")
            .path_id("payoutId")
            .answer::<PayoutView>(200, "The payout."),
    ]
}
