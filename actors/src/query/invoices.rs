//! Invoices and their lines.

use std::ops::Range;

use storage::{ReadError, Scan, ScanIter, Store, View};

use super::page::{Seen, sized};
use super::walk::{Ids, common};
use super::{Page, Paging};
use crate::domain::billing::invoice::{Invoice, InvoiceFilter, InvoiceLine, digest_of};
use crate::domain::billing::numbering::InvoiceNumber;
use crate::domain::ids::{ID_LIMIT, InvoiceId, SellerId};
use crate::domain::time::Timestamp;
use crate::listing::Facet;
use crate::tables::{CONTRACT_INVOICES, INVOICE_LINES, INVOICE_NUMBERS, INVOICES};

/// How far ids and instants of issue may be out of order: documents that are issued side by side
/// by very little, and all around a clock that was set back by as much as that.
pub(super) const OUT_OF_ORDER_SECONDS: i64 = 600;

pub(super) type Rows = ScanIter<(SellerId, InvoiceId), Invoice>;

pub fn invoice(
    store: &Store,
    seller: SellerId,
    id: InvoiceId,
) -> Result<Option<Invoice>, ReadError> {
    store.get(INVOICES, &(seller, id))
}

/// The invoice of this number. Top-up invoices share the numbers, and are others.
pub fn invoice_of_number(
    store: &Store,
    seller: SellerId,
    number: InvoiceNumber,
) -> Result<Option<Invoice>, ReadError> {
    let key = (seller, number.series.year, number.series.month, number.order);
    let found = match store.get(INVOICE_NUMBERS, &key)? {
        Some(numbered) => invoice(store, seller, numbered.document)?,
        None => None,
    };
    // The key says nothing of the agreement number.
    Ok(found.filter(|invoice| invoice.number == Some(number)))
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

/// Invoices that a filter lets through, newest first. Read are those that its references, status,
/// origin and type have in common, between the days of its range.
pub fn invoices(
    store: &Store,
    seller: SellerId,
    filter: &InvoiceFilter,
    paging: Paging,
) -> Result<Page<Invoice>, ReadError> {
    // Where invoices of several statuses are listed at places of their own, one that is paid while
    // the page is read would be met at none of them, or twice.
    match filter.status.is_none() && filter.classes().is_some() {
        true => store.at_one_moment(|rows| filtered(rows, seller, filter, paging)),
        false => filtered(store, seller, filter, paging),
    }
}

fn filtered(
    store: &View,
    seller: SellerId,
    filter: &InvoiceFilter,
    paging: Paging,
) -> Result<Page<Invoice>, ReadError> {
    let scan = |scan: Scan| store.scan(INVOICES, scan);
    let mut span = issued_within(scan, seller, filter)?;
    span.end = span.end.min(paging.cursor.unwrap_or(ID_LIMIT));
    let mut lists = Vec::new();
    if let Some(contract) = filter.contract {
        lists.push(Ids::under(store, CONTRACT_INVOICES, [(seller, contract)]));
    }
    if let Some(customer) = filter.customer {
        lists.push(Ids::at(store, seller, [(Facet::InvoiceCustomer, customer.0)]));
    }
    if let Some(number) = &filter.corrects {
        lists.push(Ids::at(store, seller, [(Facet::InvoiceCorrects, digest_of(number))]));
    }
    if let Some(classes) = filter.classes() {
        let places = classes.map(|class| (Facet::InvoiceClass, class.number()));
        lists.push(Ids::at(store, seller, places));
    }
    let shown = |found: Invoice| filter.matches(&found).then(|| sized(found));
    if lists.is_empty() {
        let paging = Paging { cursor: Some(span.end), ..paging };
        let rows = paging.newest(store, INVOICES, (seller,));
        let above = |row: &Result<Seen<Invoice>, ReadError>| match row {
            Ok(Seen::Row(id, _) | Seen::Enough(id)) => *id >= span.start,
            Err(_) => true,
        };
        return paging.fill(rows.take_while(above), |_, row| Ok(shown(row)));
    }
    let ids = common(lists, span.end, span.start);
    let key = |id, ()| (seller, InvoiceId(id));
    paging.follow(store, INVOICES, ids, key, |_, found| Ok(shown(found)))
}

/// The ids between which all invoices of the filter's range lie, by the rows that `scan` walks
/// over.
pub(super) fn issued_within(
    scan: impl Fn(Scan) -> Rows,
    seller: SellerId,
    filter: &InvoiceFilter,
) -> Result<Range<u64>, ReadError> {
    let mut span = 0..ID_LIMIT;
    if let Some(from) = filter.issued_from {
        span.start = first_issued(&scan, seller, from.plus_seconds(-OUT_OF_ORDER_SECONDS))?;
    }
    if let Some(to) = filter.issued_to {
        span.end = first_issued(&scan, seller, to.plus_seconds(OUT_OF_ORDER_SECONDS))?;
    }
    Ok(span)
}

/// The id of the first invoice that was issued at `at` or later, found by halving: ids rise with
/// the instants at which they are drawn.
fn first_issued(
    scan: &impl Fn(Scan) -> Rows,
    seller: SellerId,
    at: Timestamp,
) -> Result<u64, ReadError> {
    let all = Scan::prefix(&(seller,)).first();
    let newest = scan(all.clone().reverse()).next().transpose()?;
    let (mut low, mut high) = (0, newest.map_or(0, |((_, id), _)| id.0 + 1));
    while low < high {
        let middle = low + (high - low) / 2;
        let rows = all.clone().from(&(seller, InvoiceId(middle)));
        let Some(((_, id), found)) = scan(rows).next().transpose()? else { break };
        if found.issued_at < at { low = id.0 + 1 } else { high = middle }
    }
    Ok(low)
}
