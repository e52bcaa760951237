//! The cards that customers have saved.

use storage::{ReadError, Reads, Scan, Store};

use super::Page;
use crate::domain::billing::customer::Customer;
use crate::domain::ids::{CustomerId, SavedCardId, SellerId};
use crate::domain::payments::saved_card::{SavedCard, newest_first};
use crate::tables::SAVED_CARDS;

/// The saved cards of a customer, the newest first; there are few.
pub fn saved_cards(
    store: &Store,
    seller: SellerId,
    customer: CustomerId,
) -> Result<Vec<SavedCard>, ReadError> {
    Ok(newest_first(store.scan(SAVED_CARDS, Scan::prefix(&(seller, customer))).values()?))
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
    let mut reads = Reads::new();
    let asked = page.items.into_iter().map(|customer| {
        let cards = reads.values(SAVED_CARDS, Scan::prefix(&(seller, customer.id)));
        (customer, cards)
    });
    let asked: Vec<_> = asked.collect();
    let mut found = store.read(&reads)?;
    let with_cards =
        asked.into_iter().map(|(customer, cards)| Ok((customer, newest_first(found.take(cards)?))));
    Ok(Page { items: with_cards.collect::<Result<_, ReadError>>()?, next: page.next })
}
