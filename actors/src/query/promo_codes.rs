//! Promo codes.

use storage::{ReadError, Store};

use super::{Page, Paging};
use crate::domain::ids::{PromoCodeId, SellerId};
use crate::domain::payments::promo_code::{PromoCode, folded};
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

/// Promo codes, newest first.
pub fn promo_codes(
    store: &Store,
    seller: SellerId,
    paging: Paging,
) -> Result<Page<PromoCode>, ReadError> {
    paging.page(store, PROMO_CODES, (seller,))
}
