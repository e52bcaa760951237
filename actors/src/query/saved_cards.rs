//! The cards that customers have saved.

use storage::{ReadError, Scan, Store};

use super::Page;
use crate::domain::billing::customer::Customer;
use crate::domain::ids::{CustomerId, SavedCardId, SellerId};
use crate::domain::payments::saved_card::SavedCard;
use crate::tables::SAVED_CARDS;

/// The saved cards of a customer, the newest first; there are few.
pub fn saved_cards(
    store: &Store,
    seller: SellerId,
    customer: CustomerId,
) -> Result<Vec<SavedCard>, ReadError> {
    store.scan(SAVED_CARDS, Scan::prefix(&(seller, customer)).reverse()).values()
}

pub fn saved_card(
    store: &Store,
    seller: SellerId,
    customer: CustomerId,
    id: SavedCardId,
) -> Result<Option<SavedCard>, ReadError> {
    store.get(SAVED_CARDS, &(seller, customer, id))
}

/// A page of customers, each with its cards.
pub fn customers_with_cards(
    store: &Store,
    seller: SellerId,
    page: Page<Customer>,
) -> Result<Page<(Customer, Vec<SavedCard>)>, ReadError> {
    let with_cards = |customer: Customer| {
        let cards = saved_cards(store, seller, customer.id)?;
        Ok((customer, cards))
    };
    let items = page.items.into_iter().map(with_cards).collect::<Result<_, ReadError>>()?;
    Ok(Page { items, next: page.next })
}
