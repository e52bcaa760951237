//! Drafts of invoices.

use storage::{ReadError, Store};

use super::page::{Seen, sized};
use super::{Page, Paging};
use crate::chunked;
use crate::domain::billing::invoice::Draft;
use crate::domain::ids::{ContractId, InvoiceId, SellerId};
use crate::tables::{DRAFT_PARTS, DRAFTS};

/// A draft that is open.
pub fn draft(store: &Store, seller: SellerId, id: InvoiceId) -> Result<Option<Draft>, ReadError> {
    Ok(any_draft(store, seller, id)?.filter(|draft| draft.issued_as.is_none()))
}

/// A draft that is open, or what is kept of one that was issued.
pub fn any_draft(
    store: &Store,
    seller: SellerId,
    id: InvoiceId,
) -> Result<Option<Draft>, ReadError> {
    let key = (seller, id);
    chunked::get(store, DRAFTS, &key, DRAFT_PARTS, &key)
}

/// The open drafts of a seller, or of one contract, newest first.
pub fn drafts(
    store: &Store,
    seller: SellerId,
    contract: Option<ContractId>,
    paging: Paging,
) -> Result<Page<Draft>, ReadError> {
    let rows = paging.rows(store, DRAFTS, (seller,));
    let rows = rows.map(|row| row.map(|(id, row)| Seen::Row(id, row)));
    paging.fill(rows, |id, row| {
        let key = (seller, InvoiceId(id));
        let draft: Draft = chunked::join(store, (&key, row), DRAFTS, DRAFT_PARTS, &key)?;
        let is_of = contract.is_none_or(|contract| draft.contract == contract);
        Ok(Some(draft).filter(|draft| is_of && draft.issued_as.is_none()).map(sized))
    })
}
