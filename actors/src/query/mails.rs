//! Mails to buyers.

use storage::{ReadError, Store};

use super::{Page, Paging};
use crate::domain::billing::invoice::Invoice;
use crate::domain::billing::mail::Mail;
use crate::domain::ids::SellerId;
use crate::tables::{INVOICES, MAILS};

/// The mails of a seller with their invoices, newest first.
pub fn mails(
    store: &Store,
    seller: SellerId,
    paging: Paging,
) -> Result<Page<(Mail, Invoice)>, ReadError> {
    let Page { items, next } = paging.page(store, MAILS, (seller,))?;
    let mut mails = Vec::with_capacity(items.len());
    for mail in items {
        let invoice = store.get(INVOICES, &(seller, mail.invoice))?;
        // An account that is being removed loses its rows by and by.
        mails.extend(invoice.map(|invoice| (mail, invoice)));
    }
    Ok(Page { items: mails, next })
}
