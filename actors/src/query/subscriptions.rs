//! Subscriptions of a seller, or of one contract.

use storage::{ReadError, Scan, Store};

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
    store.get(SUBSCRIPTIONS, &(seller, ContractId(contract), id))
}

/// Subscriptions, newest first: of one contract, or all of the seller.
pub fn subscriptions(
    store: &Store,
    seller: SellerId,
    contract: Option<ContractId>,
    paging: Paging,
) -> Result<Page<Subscription>, ReadError> {
    if let Some(contract) = contract {
        let mut scan = Scan::prefix(&(seller, contract)).reverse();
        if let Some(cursor) = paging.cursor {
            scan = scan.after(&(seller, contract, SubscriptionId(cursor)));
        }
        let rows = store.scan(SUBSCRIPTIONS, scan);
        return paging.fill(rows.map(|row| row.map(|(key, found)| (key.2.0, found))));
    }
    let mut scan = Scan::prefix(&(seller,)).reverse();
    if let Some(cursor) = paging.cursor {
        scan = scan.after(&(seller, SubscriptionId(cursor)));
    }
    let rows = store.scan(SUBSCRIPTION_HOMES, scan).filter_map(|row| match row {
        Ok(((_, id), contract)) => {
            let found = store.get(SUBSCRIPTIONS, &(seller, ContractId(contract), id));
            found.map(|found| found.map(|found| (id.0, found))).transpose()
        }
        Err(error) => Some(Err(error)),
    });
    paging.fill(rows)
}
