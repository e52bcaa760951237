//! Drafts of invoices.

use storage::{ReadError, Store};

use super::page::sized;
use super::{Page, Paging};
use crate::chunked;
use crate::domain::billing::invoice::Draft;
use crate::domain::ids::{ContractId, InvoiceId, SellerId};
use crate::listing::Facet;
use crate::tables::{DRAFT_PARTS, DRAFTS, PLACES};

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
    let (facet, value) = match contract {
        Some(contract) => (Facet::OpenDraftOfContract, contract.0),
        None => (Facet::OpenDraft, 0),
    };
    let rows = paging.newest(store, PLACES, (seller, facet as u8, value));
    // One that is issued meanwhile is passed over.
    paging.fill(rows, |id, ()| Ok(draft(store, seller, InvoiceId(id))?.map(sized)))
}
