mod adhoc;
mod body;
mod breakdown;
mod create;
mod filter;
mod line;
mod party;
mod settlement;
#[cfg(test)]
mod tests;
mod usage;
mod view;

use std::sync::Arc;

use actors::domain::billing::invoice::Invoice;
use actors::domain::ids::InvoiceId;
use actors::domain::platform::limits::QuotaKind;
use actors::query;

pub use body::{BillToBody, LineBody, NewInvoiceBody};
pub use breakdown::{LegView, PartView, RatingBreakdownView};
pub use create::create;
pub use filter::{Filter, ORIGINS, STATUSES, TYPES};
pub use line::{AppliedCreditView, LineView};
pub use party::{SellerPartyView, TaxSubtotalView};
pub use settlement::{SettledPaymentView, SettlementView, settlement};
pub use usage::{RatedBasisView, RatedSeatsView, RatedUnitsView, RatedUsageView};
pub use view::{BillToView, InvoiceList, InvoiceView};

use crate::app::App;
use crate::gate::{Request, Route};
use crate::http::{ApiError, ApiResult, Response};

pub async fn list(app: Arc<App>, request: Request) -> ApiResult {
    let (paging, seller) = (request.paging("beforeId")?, request.seller_id());
    let filter = Filter::read(&request)?;
    let found = app.blocking(move |store| filter.page(store, seller, paging)).await?;
    let view = |of: Invoice| InvoiceView::new(&of, app.payment_url(seller, &of));
    Ok(Response::ok(&InvoiceList::of(found, view)))
}

pub async fn get(app: Arc<App>, request: Request) -> ApiResult {
    let invoice = load_invoice(&app, &request)?;
    Ok(Response::ok(&whole(&app, &invoice, &request)?))
}

pub async fn send(app: Arc<App>, request: Request) -> ApiResult {
    let Invoice { id, contract, .. } = load_invoice(&app, &request)?;
    let sent = app.contracts.send_invoice(request.seller_id(), contract, id).await?;
    Ok(Response::ok(&whole(&app, &sent, &request)?))
}

fn load_invoice(app: &App, request: &Request) -> Result<Invoice, ApiError> {
    let id = request.id("invoiceId", InvoiceId)?;
    query::invoice(&app.store, request.seller_id(), id)?.ok_or_else(ApiError::missing)
}

/// An invoice with its lines, which never change.
fn whole(app: &App, invoice: &Invoice, request: &Request) -> Result<InvoiceView, ApiError> {
    let lines = query::invoice_lines(&app.store, request.seller_id(), invoice.id)?;
    let page = app.payment_url(request.seller_id(), invoice);
    Ok(InvoiceView::new(invoice, page).with_lines(&lines))
}

pub fn routes() -> Vec<Route> {
    vec![
        Route::get("/invoices", list)
            .summary("List invoices")
            .describe(
                "Without lines. `contractId`, `sellerCustomerId` and `corrects` are matched as \
                 given. The origin `subscription` is an older name of `recurring`.",
            )
            .query_text("contractId", "Only those of this contract.")
            .query_text("sellerCustomerId", "Only those of this customer.")
            .query_one_of("origin", ORIGINS, "Only those that bill this.")
            .query_one_of("status", STATUSES, "Only those that stand so.")
            .query_one_of("invoiceType", TYPES, "Only documents of this sort.")
            .query_text("corrects", "Only those that correct the invoice of this number.")
            .query_time("issuedFrom", "Only those issued at this time or later.")
            .query_time("issuedTo", "Only those issued before this time.")
            .paged("beforeId")
            .answer::<InvoiceList>(200, "Newest first."),
        Route::post("/invoices", create)
            .summary("Issue an invoice")
            .describe(
                "Composes and numbers a document, and sends it unless `send` is false or it is \
                 collected by bank transfer. `recurring` bills the oldest due term of each \
                 subscription of the contract, with the plan changes bound to it, and `usage` \
                 closed usage; every other origin bills the lines that are stated. `adhoc` finds \
                 or makes the customer by `billTo.email` and a contract in the currency; the \
                 recipient's details fill what the customer lacks. A document with nothing to \
                 collect is paid at once.\n\nA repeated key answers the invoice as it is now, and \
                 is held against the first request field by field, after defaults: numbers by \
                 value, the e-mail in lower case, and of recipient and `dueDate` what was stated. \
                 Refusals and replays count in the quota; a refused request spends no key and \
                 leaves no customer behind.\n\nTax is computed for each rate on the sum of \
                 its lines, rounded half up once. A plan change within a term is one line with \
                 both legs where they have one tax rate, else a line for each; a credit is a \
                 discount on the subscription's line of its rate, or a negative line of its own.",
            )
            .idempotent()
            .quota(QuotaKind::Invoices)
            .body::<NewInvoiceBody>()
            .answer::<InvoiceView>(201, "The invoice with its lines.")
            .answer::<InvoiceView>(200, "A replay: the invoice as it is now.")
            .refuses(400, "A field is missing, malformed or out of bounds; or the key is.")
            .refuses(404, "The contract is unknown, or another seller's.")
            .refuses(422, "Nothing is due, the total is negative, or the key was used otherwise.")
            .refuses(429, "The rate or the daily quota is used up; see `Retry-After`."),
        Route::get("/invoices/{invoiceId}", get)
            .summary("Read an invoice")
            .path_id("invoiceId")
            .answer::<InvoiceView>(200, "The invoice with its lines."),
        Route::post("/invoices/{invoiceId}/send", send)
            .summary("Send an invoice")
            .describe("Makes its payment page. One that was sent keeps it, and its `sentAt`.")
            .path_id("invoiceId")
            .answer::<InvoiceView>(200, "The invoice as it is now.")
            .refuses(422, "It is collected by bank transfer, or nothing is to be paid."),
        Route::get("/invoices/{invoiceId}/settlement", settlement)
            .summary("Read how an invoice was paid")
            .path_id("invoiceId")
            .answer::<SettlementView>(200, "Its payments, newest first."),
    ]
}
