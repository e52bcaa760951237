//! Invoices and their lines.

use storage::{ReadError, Scan, Store};

use super::{Page, Paging};
use crate::domain::billing::invoice::{Invoice, InvoiceFilter, InvoiceLine};
use crate::domain::ids::{ContractId, InvoiceId, SellerId};
use crate::tables::{CONTRACT_INVOICES, INVOICE_LINES, INVOICES};

pub fn invoice(
    store: &Store,
    seller: SellerId,
    id: InvoiceId,
) -> Result<Option<Invoice>, ReadError> {
    store.get(INVOICES, &(seller, id))
}

/// The lines of an invoice, in order.
pub fn invoice_lines(
    store: &Store,
    seller: SellerId,
    id: InvoiceId,
) -> Result<Vec<InvoiceLine>, ReadError> {
    let mut lines = Vec::new();
    for row in store.scan(INVOICE_LINES, Scan::prefix(&(seller, id))) {
        lines.extend(row?.1.0);
    }
    Ok(lines)
}

/// Invoices that a filter lets through, newest first. With a contract in the
/// filter only that contract's invoices are read.
pub fn invoices(
    store: &Store,
    seller: SellerId,
    contract: Option<ContractId>,
    filter: &InvoiceFilter,
    paging: Paging,
) -> Result<Page<Invoice>, ReadError> {
    let wanted = |row: Result<(u64, Invoice), ReadError>| match row {
        Ok((id, invoice)) => filter.matches(&invoice).then_some(Ok((id, invoice))),
        Err(error) => Some(Err(error)),
    };
    if let Some(contract) = contract {
        let rows =
            paging.newest(store, CONTRACT_INVOICES, (seller, contract)).filter_map(
                |row| match row {
                    Ok((id, _)) => {
                        let found = invoice(store, seller, InvoiceId(id));
                        found.map(|found| found.map(|found| (id, found))).transpose()
                    }
                    Err(error) => Some(Err(error)),
                },
            );
        return paging.fill(rows.filter_map(wanted));
    }
    let rows = paging.newest(store, INVOICES, (seller,));
    paging.fill(rows.filter_map(wanted))
}
