//! Payment links that sellers make.

use storage::{ReadError, Store};

use super::page::sized;
use super::{Page, Paging, opened};
use crate::domain::ids::{PaymentLinkId, SellerId};
use crate::domain::payments::payment_link::{PaymentLink, PaymentLinkStatus};
use crate::link_tokens::LinkHash;
use crate::listing::Facet;
use crate::tables::{PAYMENT_LINK_PAGES, PAYMENT_LINKS, PLACES};

pub fn payment_link(
    store: &Store,
    seller: SellerId,
    id: PaymentLinkId,
) -> Result<Option<PaymentLink>, ReadError> {
    store.get(PAYMENT_LINKS, &(seller, id))
}

/// The link whose token has this hash.
pub fn payment_link_of(store: &Store, hash: LinkHash) -> Result<Option<PaymentLink>, ReadError> {
    match opened(store, PAYMENT_LINK_PAGES, hash)? {
        Some(home) => payment_link(store, home.seller, home.link),
        None => Ok(None),
    }
}

/// Links that stand as `status` says, or all, newest first.
pub fn payment_links(
    store: &Store,
    seller: SellerId,
    status: Option<PaymentLinkStatus>,
    paging: Paging,
) -> Result<Page<PaymentLink>, ReadError> {
    let Some(status) = status else {
        return paging.page(store, PAYMENT_LINKS, (seller,));
    };
    let place = (seller, Facet::PaymentLinkStatus as u8, status as u64);
    let rows = paging.newest(store, PLACES, place);
    paging.fill(rows, |id, ()| {
        let found = payment_link(store, seller, PaymentLinkId(id))?;
        Ok(found.filter(|link| link.status == status).map(sized))
    })
}
