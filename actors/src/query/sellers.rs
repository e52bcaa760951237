//! Sellers and their customers.

use storage::{ReadError, Scan, Store};

use super::page::{Seen, sized};
use super::{Page, Paging};
use crate::domain::billing::customer::Customer;
use crate::domain::ids::{CustomerId, SellerId};
use crate::domain::platform::audit::AuditEntry;
use crate::domain::platform::person::{InviteToken, People, Person};
use crate::domain::platform::seller::Seller;
use crate::domain::time::Timestamp;
use crate::tables::{AUDIT, CUSTOMER_EMAILS, CUSTOMER_REFS, CUSTOMERS, PEOPLE, SELLERS};

pub fn customer(
    store: &Store,
    seller: SellerId,
    id: CustomerId,
) -> Result<Option<Customer>, ReadError> {
    store.get(CUSTOMERS, &(seller, id))
}

/// Customers, newest first: all, or the one of an e-mail in lower case, of a
/// reference, or of both.
pub fn customers(
    store: &Store,
    seller: SellerId,
    email: Option<&str>,
    reference: Option<&str>,
    paging: Paging,
) -> Result<Page<Customer>, ReadError> {
    let of_email = email.map(|email| store.get(CUSTOMER_EMAILS, &(seller, email.to_owned())));
    let of_reference = reference.map(|text| store.get(CUSTOMER_REFS, &(seller, text.to_owned())));
    let named = match (of_email.transpose()?, of_reference.transpose()?) {
        (None, None) => return all(store, seller, paging),
        (Some(id), None) | (None, Some(id)) => id,
        (Some(id), Some(other)) => id.filter(|id| Some(*id) == other),
    };
    let beyond = |id: &CustomerId| paging.cursor.is_none_or(|cursor| id.0 < cursor);
    let found = named.filter(beyond).map(|id| customer(store, seller, id));
    let items = found.transpose()?.flatten().into_iter().collect();
    Ok(Page { items, next: None })
}

fn all(store: &Store, seller: SellerId, paging: Paging) -> Result<Page<Customer>, ReadError> {
    paging.page(store, CUSTOMERS, (seller,))
}

/// The people of a seller, oldest first.
pub fn people(store: &Store, seller: SellerId) -> Result<Vec<Person>, ReadError> {
    store.scan(PEOPLE, Scan::prefix(&(seller,))).values()
}

/// Whose invitation a token is, while it is open.
pub fn invited(
    store: &Store,
    token: &InviteToken,
    now: Timestamp,
) -> Result<Option<Person>, ReadError> {
    let people = people(store, token.seller)?;
    Ok(People(&people).by_invitation(token, now).cloned())
}

/// What people and the operator have done, newest first.
pub fn audit(
    store: &Store,
    seller: SellerId,
    paging: Paging,
) -> Result<Page<AuditEntry>, ReadError> {
    paging.page(store, AUDIT, (seller,))
}

/// All seller accounts, newest first.
pub fn sellers(store: &Store, paging: Paging) -> Result<Page<Seller>, ReadError> {
    let mut scan = Scan::all().by_key().reverse();
    if let Some(cursor) = paging.cursor {
        scan = scan.after(&SellerId(cursor));
    }
    let rows = store.scan(SELLERS, scan);
    let rows = rows.map(|row| row.map(|(key, found)| Seen::Row(key.0, found)));
    paging.fill(rows, |_, seller| Ok(Some(sized(seller))))
}
