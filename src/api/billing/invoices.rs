//! Invoices over HTTP.

mod adhoc;
mod body;
mod breakdown;
mod create;
mod filter;
mod line;
mod settlement;
#[cfg(test)]
mod tests;
mod usage;
mod view;

use std::sync::Arc;

use actors::domain::billing::invoice::Invoice;
use actors::domain::ids::InvoiceId;
use actors::query;

pub use body::{BillToBody, LineBody, NewInvoiceBody};
pub use breakdown::{LegView, PartView, RatingBreakdownView};
pub use create::create;
pub use filter::{Filter, ORIGINS, STATUSES, TYPES};
pub use line::{AppliedCreditView, LineView};
pub use settlement::{SettledPaymentView, SettlementView, settlement};
pub use usage::{RatedBasisView, RatedSeatsView, RatedUnitsView, RatedUsageView};
pub use view::{BillToView, InvoiceList, InvoiceView};

use super::contracts::apart;
use crate::api::page;
use crate::app::App;
use crate::http::{Answer, Call, Problem, Reply};

pub async fn list(app: Arc<App>, call: Call) -> Answer {
    let (paging, seller) = (page(call.paging("beforeId")?), call.seller_id());
    let filter = Filter::read(&call)?;
    let found = apart(&app, move |store| filter.page(store, seller, paging)).await?;
    Ok(Reply::ok(&InvoiceList::of(found, |of| InvoiceView::new(&of, app.public_url()))))
}

pub async fn get(app: Arc<App>, call: Call) -> Answer {
    let invoice = demand(&app, &call)?;
    Ok(Reply::ok(&whole(&app, &invoice, &call)?))
}

pub async fn send(app: Arc<App>, call: Call) -> Answer {
    let Invoice { id, contract, .. } = demand(&app, &call)?;
    let sent = app.contracts.send_invoice(call.seller_id(), contract, id).await?;
    Ok(Reply::ok(&whole(&app, &sent, &call)?))
}

/// The invoice that the path names.
fn demand(app: &App, call: &Call) -> Result<Invoice, Problem> {
    let id = call.id("invoiceId", InvoiceId)?;
    query::invoice(&app.store, call.seller_id(), id)?.ok_or_else(Problem::missing)
}

/// An invoice with its lines, which never change.
fn whole(app: &App, invoice: &Invoice, call: &Call) -> Result<InvoiceView, Problem> {
    let lines = query::invoice_lines(&app.store, call.seller_id(), invoice.id)?;
    Ok(InvoiceView::new(invoice, app.public_url()).with_lines(&lines))
}
