//! Invoices.

use actors::domain::platform::limits::QuotaKind;

use crate::api::billing::invoices;
use crate::http::route::Route;

/// The routes of this part.
pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::get("/billing-api/v1/invoices", invoices::list)
            .tag("Invoices")
            .summary("List invoices")
            .describe(
                "Without lines. `contractId`, `sellerCustomerId` and `corrects` are matched as \
                 given. The origin `subscription` is an older name of `recurring`.",
            )
            .query_text("contractId", "Only those of this contract.")
            .query_text("sellerCustomerId", "Only those of this customer.")
            .query_one_of("origin", invoices::ORIGINS, "Only those that bill this.")
            .query_one_of("status", invoices::STATUSES, "Only those that stand so.")
            .query_one_of("invoiceType", invoices::TYPES, "Only documents of this sort.")
            .query_text("corrects", "Only those that correct the invoice of this number.")
            .query_time("issuedFrom", "Only those issued at this time or later.")
            .query_time("issuedTo", "Only those issued before this time.")
            .paged("beforeId")
            .answer::<invoices::InvoiceList>(200, "Newest first."),
        Route::post("/billing-api/v1/invoices", invoices::create)
            .tag("Invoices")
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
            .body::<invoices::NewInvoiceBody>()
            .answer::<invoices::InvoiceView>(201, "The invoice with its lines.")
            .answer::<invoices::InvoiceView>(200, "A replay: the invoice as it is now.")
            .refuses(400, "A field is missing, malformed or out of bounds; or the key is.")
            .refuses(404, "The contract is unknown, or another seller's.")
            .refuses(422, "Nothing is due, the total is negative, or the key was used otherwise.")
            .refuses(429, "The rate or the daily quota is used up; see `Retry-After`."),
        Route::get("/billing-api/v1/invoices/{invoiceId}", invoices::get)
            .tag("Invoices")
            .summary("Read an invoice")
            .path_id("invoiceId")
            .answer::<invoices::InvoiceView>(200, "The invoice with its lines."),
        Route::post("/billing-api/v1/invoices/{invoiceId}/send", invoices::send)
            .tag("Invoices")
            .summary("Send an invoice")
            .describe("Makes its payment page. One that was sent keeps it, and its `sentAt`.")
            .path_id("invoiceId")
            .answer::<invoices::InvoiceView>(200, "The invoice as it is now.")
            .refuses(422, "It is collected by bank transfer, or nothing is to be paid."),
        Route::get("/billing-api/v1/invoices/{invoiceId}/settlement", invoices::settlement)
            .tag("Invoices")
            .summary("Read how an invoice was paid")
            .path_id("invoiceId")
            .answer::<invoices::SettlementView>(200, "Its payments, newest first."),
    ]
}
