mod adhoc;
mod body;
mod breakdown;
mod create;
mod export;
mod filter;
mod line;
mod party;
mod pdf;
mod settlement;
#[cfg(test)]
mod tests;
mod upcoming;
mod usage;
mod view;
mod xml;

use std::sync::Arc;

use actors::domain::billing::invoice::Invoice;
use actors::domain::ids::InvoiceId;
use actors::domain::platform::limits::QuotaKind;
use actors::query;

pub use body::{BillToBody, LineBody, NewInvoiceBody};
pub use breakdown::{LegView, PartView, RatingBreakdownView};
pub use create::create;
pub(crate) use create::drafted;
pub(crate) use export::as_export;
pub use export::export;
pub use filter::{Filter, ORIGINS, STATUSES, TYPES};
pub use line::{AppliedCreditView, LineContent, LineView};
pub use party::{SellerPartyView, TaxSubtotalView};
pub use pdf::pdf;
pub(crate) use pdf::printed;
pub use settlement::{SettledPaymentView, SettlementView, settlement};
pub use upcoming::{UpcomingInvoiceView, UpcomingLineView, upcoming};
pub use usage::{RatedBasisView, RatedSeatsView, RatedUnitsView, RatedUsageView};
pub use view::{BillToView, InvoiceList, InvoiceTotalsView, InvoiceView};
pub use xml::{EInvoiceView, xml};

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

pub(crate) fn load_invoice(app: &App, request: &Request) -> Result<Invoice, ApiError> {
    let id = request.id("invoiceId", InvoiceId)?;
    query::invoice(&app.store, request.seller_id(), id)?.ok_or_else(ApiError::missing)
}

/// An invoice with its lines, which never change.
pub(crate) fn whole(
    app: &App,
    invoice: &Invoice,
    request: &Request,
) -> Result<InvoiceView, ApiError> {
    let lines = query::invoice_lines(&app.store, request.seller_id(), invoice.id)?;
    let page = app.payment_url(request.seller_id(), invoice);
    Ok(InvoiceView::new(invoice, page).with_lines(&lines))
}

pub fn routes() -> Vec<Route> {
    vec![
        Route::get("/invoices", list)
            .named("listInvoices")
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
            .named("createInvoice")
            .summary("Issue an invoice")
            .describe(
                "Composes and numbers a document, and sends it unless `send` is false or it is \
                 collected by bank transfer. `recurring` bills the oldest due term of each \
                 subscription of the contract, with the plan changes bound to it, and `usage` \
                 closed usage; every other origin bills the lines that are stated. `adhoc` finds \
                 or makes the customer by `billTo.email` and a contract in the currency; the \
                 recipient's details fill what the customer lacks. A document with nothing to \
                 collect is paid at once.\n\nWhile stored credits are on, the contract's credit \
                 pays of whatever is not collected by bank transfer, its tax included: what \
                 expires first, then what was granted before what was paid for, then the oldest; \
                 at most 1,000 lots for one document. What is left of a plan's credit when its \
                 line is at 0 becomes stored credit, with its tax; else it waits for the next \
                 document.\n\n`credit_note` and `modified` correct the invoice of the number in \
                 `corrects`; they bill what their lines state and claim nothing. A credit note is \
                 stated in positive amounts and kept in negative ones, taxed as the line of the \
                 same description there, else with the one rate of that invoice, unless a line \
                 states its own; a `taxRate` alone takes its category from there too. Several \
                 lines of one description are told apart by their amounts, and each stands for \
                 one; what could still be meant at several rates has to state its own (`422`). \
                 All notes together never exceed the invoice, nor what it bills at one of its \
                 rates (0 as well) or in one of its tax categories. A note lowers what \
                 is outstanding; then it gives back what was paid and not refunded, as `purchased` \
                 credit (while credits are off the timeline says `refund_due`), which a later \
                 refund takes back; and at last what stored credit had paid. Invoices never change \
                 otherwise.\n\nA repeated key answers the invoice as it is now, and is held \
                 against the first request field by field, after defaults: numbers by \
                 value, the e-mail in lower case, and of recipient and `dueDate` what was stated. \
                 Refusals and replays count in the quota; a refused request spends no key and \
                 leaves no customer behind.\n\nTax is computed for each rate on the sum of \
                 its lines, rounded half up once. A plan change within a term is one line with \
                 both legs where they have one tax rate, else a line for each; a credit is a \
                 discount on the subscription's line of its rate, or a negative line of its own. Where \
                 the term was billed with tax and the terms are outside its scope (`O`) by now, \
                 the credit becomes stored credit with that tax.",
            )
            .idempotent()
            .quota(QuotaKind::Invoices)
            .body::<NewInvoiceBody>()
            .answer::<InvoiceView>(201, "The invoice with its lines.")
            .answer::<InvoiceView>(200, "A replay: the invoice as it is now.")
            .refuses(400, "A field is missing, malformed or out of bounds; or the key is.")
            .refuses(404, "The contract is unknown, or another seller's.")
            .refuses(
                422,
                "Nothing is due, the total is negative, a correction does not fit what it \
                 corrects, or the key was used otherwise.",
            )
            .refuses(429, "The rate or the daily quota is used up; see `Retry-After`."),
        Route::get("/contracts/{contractId}/invoices/upcoming", upcoming)
            .named("projectUpcomingInvoice")
            .summary("Project the next invoice of a contract")
            .describe(
                "What the passes would issue on `nextIssueDate`: of each subscription its oldest \
                 term that is due by then, the plan changes bound to it, and usage and seats that \
                 close by then, with what was used so far: seats count up to and with the day of \
                 `at`. What comes later stands in `notes`, as does a pass that is switched off. \
                 Nothing is written, and nothing is promised.",
            )
            .path_id("contractId")
            .query_time("at", "As of this time; by default that of the contract's clock.")
            .answer::<UpcomingInvoiceView>(200, "The estimate.")
            .refuses(400, "`at` is malformed.")
            .refuses(404, "The contract is unknown, or another seller's.")
            .refuses(501, "The projection is not enabled for the seller."),
        as_export(Route::get("/invoices/export", export))
            .named("exportInvoices")
            .summary("Export the invoices of a period")
            .describe(
                "One file, newest first, as of the moment of the call (where much is written \
                 meanwhile, the rest as of a later one), of at most 100,000 documents: a period of \
                 more is refused, whatever the filters leave of it. Your \
                 top-up invoices are in it, of the origin `topup` and of no contract and \
                 customer. NDJSON has one invoice a line as the list serves it. The line of a \
                 top-up invoice has the fields of the list's invoices but for `contractId`, \
                 `sellerCustomerId`, `seller`, `billTo`, `taxSummary` and `eInvoice`, and besides \
                 their statuses it may be `partially_paid` or `expired`. CSV has a head, \
                 money in whole minor units, and columns that are only ever appended; an empty \
                 cell of `outstandingMinor` would mean that it is not known, and is never 0. A \
                 text that a spreadsheet would run as a formula begins with an apostrophe. An \
                 answer that is cut off lacks its end.",
            ),
        Route::get("/invoices/{invoiceId}", get)
            .named("getInvoice")
            .summary("Read an invoice")
            .path_id("invoiceId")
            .answer::<InvoiceView>(200, "The invoice with its lines."),
        Route::get("/invoices/{invoiceId}/pdf", pdf)
            .named("getInvoicePdf")
            .summary("Print an invoice")
            .describe(
                "Made anew at each call from what is stored: A4, in English, PDF/A-3b, with a \
                 link and a QR code while it can be paid online. A credit note states its amounts \
                 above zero.",
            )
            .path_id("invoiceId")
            .answer_file(pdf::PDF, "The file."),
        Route::get("/invoices/{invoiceId}/xml", xml)
            .named("getInvoiceXml")
            .summary("Read an invoice as an electronic invoice")
            .describe(
                "EN 16931, as UN/CEFACT Cross Industry Invoice (`cii`, the default) or as OASIS \
                 UBL 2.1 (`ubl`); a credit note is a 381 and states its amounts above zero.",
            )
            .path_id("invoiceId")
            .query_one_of("syntax", xml::SYNTAXES, "How it is written.")
            .answer_file(xml::XML, "The file.")
            .refuses(422, "It lacks what an electronic invoice has to say; the fields are named."),
        Route::post("/invoices/{invoiceId}/send", send)
            .named("sendInvoice")
            .summary("Send an invoice")
            .describe(
                "Makes its payment page; a credit note has none. One that was sent keeps it, and \
                 its `sentAt`.",
            )
            .path_id("invoiceId")
            .answer::<InvoiceView>(200, "The invoice as it is now.")
            .refuses(422, "It is collected by bank transfer, or nothing is to be paid."),
        Route::get("/invoices/{invoiceId}/settlement", settlement)
            .named("getInvoiceSettlement")
            .summary("Read how an invoice was paid")
            .path_id("invoiceId")
            .answer::<SettlementView>(200, "Its payments, newest first."),
    ]
}
