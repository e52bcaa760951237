//! Vendors: the payees that are some.

use storage::{ReadError, Store};

use super::page::sized;
use super::{Page, Paging};
use crate::domain::ids::{SellerId, VendorId};
use crate::domain::payments::payee::Payee;
use crate::tables::{PAYEES, VENDORS};

pub fn vendor(store: &Store, seller: SellerId, id: VendorId) -> Result<Option<Payee>, ReadError> {
    match store.get(VENDORS, &(seller, id))? {
        Some(payee) => store.get(PAYEES, &(seller, payee)),
        None => Ok(None),
    }
}

/// Vendors, newest first, archived ones too.
pub fn vendors(store: &Store, seller: SellerId, paging: Paging) -> Result<Page<Payee>, ReadError> {
    let rows = paging.newest(store, VENDORS, (seller,));
    let key = |_, payee| (seller, payee);
    paging.follow(store, PAYEES, rows, key, |_, payee| Ok(Some(sized(payee))))
}
