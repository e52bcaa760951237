//! Promo codes.

use storage::{ReadError, Store};

use super::page::sized;
use super::{Page, Paging};
use crate::domain::ids::{PromoCodeId, SellerId};
use crate::domain::payments::promo_code::{PromoCode, PromoStatus, folded};
use crate::domain::time::Timestamp;
use crate::tables::{PROMO_CODES, PROMO_NAMES};

pub fn promo_code(
    store: &Store,
    seller: SellerId,
    id: PromoCodeId,
) -> Result<Option<PromoCode>, ReadError> {
    store.get(PROMO_CODES, &(seller, id))
}

/// The code as somebody typed it.
pub fn promo_code_named(
    store: &Store,
    seller: SellerId,
    typed: &str,
) -> Result<Option<PromoCode>, ReadError> {
    match store.get(PROMO_NAMES, &(seller, folded(typed)))? {
        Some(id) => promo_code(store, seller, id),
        None => Ok(None),
    }
}

/// Promo codes that stand as `status` says at `now`, or all, newest first. How one stands follows
/// from the time and from its uses, so that none has a place in a list by status: a page reads what
/// it passes over.
pub fn promo_codes(
    store: &Store,
    seller: SellerId,
    (status, now): (Option<PromoStatus>, Timestamp),
    paging: Paging,
) -> Result<Page<PromoCode>, ReadError> {
    let rows = paging.newest(store, PROMO_CODES, (seller,));
    paging.fill(rows, |_, code: PromoCode| {
        let is_meant = status.is_none_or(|status| code.status(now) == status);
        Ok(is_meant.then(|| sized(code)))
    })
}
