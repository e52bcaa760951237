//! Subscriptions of a seller, or of one contract.

use storage::{ReadError, Store};

use super::page::sized;
use super::{Page, Paging};
use crate::domain::billing::subscription::Subscription;
use crate::domain::ids::{ContractId, SellerId, SubscriptionId};
use crate::tables::{SUBSCRIPTION_HOMES, SUBSCRIPTIONS};

pub fn subscription(
    store: &Store,
    seller: SellerId,
    id: SubscriptionId,
) -> Result<Option<Subscription>, ReadError> {
    let Some(contract) = store.get(SUBSCRIPTION_HOMES, &(seller, id))? else { return Ok(None) };
    store.get(SUBSCRIPTIONS, &(seller, contract, id))
}

/// Subscriptions, newest first: of one contract, or all of the seller.
pub fn subscriptions(
    store: &Store,
    seller: SellerId,
    contract: Option<ContractId>,
    paging: Paging,
) -> Result<Page<Subscription>, ReadError> {
    if let Some(contract) = contract {
        return paging.page(store, SUBSCRIPTIONS, (seller, contract));
    }
    let rows = paging.newest(store, SUBSCRIPTION_HOMES, (seller,));
    paging.fill(rows, |id, contract| {
        let found = store.get(SUBSCRIPTIONS, &(seller, contract, SubscriptionId(id)))?;
        Ok(found.map(sized))
    })
}
