//! Subscriptions by payment link, with what was paid for them.

use storage::{ReadError, Reads, Scan, Store};

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
    let key = |id, ()| (seller, LinkSubscriptionId(id));
    paging.follow(store, LINK_SUBSCRIPTIONS, rows, key, |_, one| {
        Ok((one.status == status).then(|| sized(one)))
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
    let newest = newest.keys().take(limit).collect::<Result<Vec<_>, _>>()?;
    let mut reads = Reads::new();
    let payments = newest.into_iter().map(|(_, _, payment)| (seller, payment));
    let payments = reads.get_many(PAYMENTS, payments);
    let mut oldest_first = store.read(&reads)?.take(payments)?;
    oldest_first.reverse();
    Ok(oldest_first)
}
