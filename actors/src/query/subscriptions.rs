//! Subscriptions of a seller, or of one contract.

use storage::{ReadError, Store};

use super::page::sized;
use super::{Page, Paging};
use crate::chunked;
use crate::domain::billing::subscription::Subscription;
use crate::domain::ids::{ContractId, SellerId, SubscriptionId};
use crate::tables::{SUBSCRIPTION_HOMES, SUBSCRIPTION_PARTS, SUBSCRIPTIONS};

pub fn subscription(
    store: &Store,
    seller: SellerId,
    id: SubscriptionId,
) -> Result<Option<Subscription>, ReadError> {
    let Some(contract) = store.get(SUBSCRIPTION_HOMES, &(seller, id))? else { return Ok(None) };
    let key = (seller, contract, id);
    chunked::get(store, SUBSCRIPTIONS, &key, SUBSCRIPTION_PARTS, &key)
}

/// Subscriptions, newest first: of one contract, or all of the seller.
pub fn subscriptions(
    store: &Store,
    seller: SellerId,
    contract: Option<ContractId>,
    paging: Paging,
) -> Result<Page<Subscription>, ReadError> {
    if let Some(contract) = contract {
        let rows = paging.newest(store, SUBSCRIPTIONS, (seller, contract));
        return paging.fill(rows, |id, row| {
            let key = (seller, contract, SubscriptionId(id));
            let row = (&key, row);
            Ok(Some(sized(chunked::join(store, row, SUBSCRIPTIONS, SUBSCRIPTION_PARTS, &key)?)))
        });
    }
    let rows = paging.newest(store, SUBSCRIPTION_HOMES, (seller,));
    let key = |id, contract| (seller, contract, SubscriptionId(id));
    paging.follow(store, SUBSCRIPTIONS, rows, key, |key, row| {
        let row = (key, row);
        Ok(Some(sized(chunked::join(store, row, SUBSCRIPTIONS, SUBSCRIPTION_PARTS, key)?)))
    })
}
