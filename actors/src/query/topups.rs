//! Top-up invoices.

use storage::{ReadError, Store};

use super::{Page, Paging};
use crate::domain::billing::numbering::InvoiceNumber;
use crate::domain::ids::{SellerId, TopupId};
use crate::domain::payments::topup::TopupInvoice;
use crate::tables::{TOPUP_NUMBERS, TOPUPS};

pub fn topup(
    store: &Store,
    seller: SellerId,
    id: TopupId,
) -> Result<Option<TopupInvoice>, ReadError> {
    store.get(TOPUPS, &(seller, id))
}

pub fn topup_of_number(
    store: &Store,
    seller: SellerId,
    number: InvoiceNumber,
) -> Result<Option<TopupInvoice>, ReadError> {
    let key = (seller, number.series.year, number.series.month, number.order);
    let found = match store.get(TOPUP_NUMBERS, &key)? {
        Some(numbered) => topup(store, seller, numbered.document)?,
        None => None,
    };
    // The key says nothing of the agreement number.
    Ok(found.filter(|topup| topup.number == number))
}

/// Top-up invoices, newest first.
pub fn topups(
    store: &Store,
    seller: SellerId,
    paging: Paging,
) -> Result<Page<TopupInvoice>, ReadError> {
    paging.page(store, TOPUPS, (seller,))
}
