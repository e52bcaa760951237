//! Subscriptions by payment link, with what was paid for them.

use storage::{ReadError, Scan, Store};

use super::page::sized;
use super::{Page, Paging, opened};
use crate::domain::ids::{LinkSubscriptionId, SellerId};
use crate::domain::payments::link_subscription::{LinkSubscription, LinkSubscriptionStatus};
use crate::domain::payments::payment::Payment;
use crate::link_tokens::LinkHash;
use crate::listing::Facet;
use crate::tables::{
    LINK_SUBSCRIPTION_PAGES, LINK_SUBSCRIPTIONS, PAYMENTS, PLACES, SUBSCRIPTION_PAYMENTS,
};

pub fn link_subscription(
    store: &Store,
    seller: SellerId,
    id: LinkSubscriptionId,
) -> Result<Option<LinkSubscription>, ReadError> {
    store.get(LINK_SUBSCRIPTIONS, &(seller, id))
}

/// The subscription whose token has this hash.
pub fn link_subscription_of(
    store: &Store,
    hash: LinkHash,
) -> Result<Option<LinkSubscription>, ReadError> {
    match opened(store, LINK_SUBSCRIPTION_PAGES, hash)? {
        Some(home) => link_subscription(store, home.seller, home.subscription),
        None => Ok(None),
    }
}

/// Subscriptions that stand as `status` says, or all, newest first.
pub fn link_subscriptions(
    store: &Store,
    seller: SellerId,
    status: Option<LinkSubscriptionStatus>,
    paging: Paging,
) -> Result<Page<LinkSubscription>, ReadError> {
    let Some(status) = status else {
        return paging.page(store, LINK_SUBSCRIPTIONS, (seller,));
    };
    let place = (seller, Facet::LinkSubscriptionStatus as u8, status as u64);
    let rows = paging.newest(store, PLACES, place);
    paging.fill(rows, |id, ()| {
        let found = link_subscription(store, seller, LinkSubscriptionId(id))?;
        Ok(found.filter(|one| one.status == status).map(sized))
    })
}

/// The newest payments that were begun for a subscription, failed ones too, at most `limit`.
pub fn payments_of_subscription(
    store: &Store,
    seller: SellerId,
    id: LinkSubscriptionId,
    limit: usize,
) -> Result<Vec<Payment>, ReadError> {
    let newest = store.scan(SUBSCRIPTION_PAYMENTS, Scan::prefix(&(seller, id)).reverse());
    let mut found = Vec::new();
    for row in newest.take(limit) {
        let ((_, _, payment), ()) = row?;
        found.extend(store.get(PAYMENTS, &(seller, payment))?);
    }
    Ok(found)
}
