//! Reading committed rows: single objects and lists, without passing a mailbox.

mod backtest;
mod closed_usage;
mod contracts;
mod intake;
mod invoices;
mod payees;
mod payments;
mod payouts;
mod prices;
mod sellers;
mod splits;
mod subscriptions;
mod topups;
pub mod usage;
mod vendors;

use storage::{Key, ReadError, Record, Scan, Store, Table};

use crate::domain::ids::Id;

pub use backtest::closed_periods;
pub use closed_usage::{adjustment_of, adjustments, seat_changes, usage_line, usage_lines};
pub use contracts::{
    contract, contract_version, contracts, last_adhoc_contract, oldest_active_contract, timeline,
    versions,
};
pub(crate) use intake::pack_of;
pub use intake::{
    dead_letter, dead_letters, endpoint_of, inbound_endpoints, parked_letters, upload,
};
pub use invoices::{invoice, invoice_lines, invoices};
pub use payees::{
    first_payout_method, main_wallets, payee, payees, payout_method, payout_methods, postings,
    wallet, wallets, wallets_of,
};
pub use payments::{payments, refunds};
pub use payouts::{
    Attribution, PayoutFilter, attributions, payout, payout_key, payouts, shares_of,
};
pub use prices::prices;
pub use sellers::{customer, customers, sellers};
pub use splits::{active_split_rule, split_decisions, split_rule, split_rules};
pub use subscriptions::{subscription, subscriptions};
pub use topups::{topup, topup_of_number, topups};
pub use vendors::{vendor, vendors};

/// One page of a list, in the order of the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page<T> {
    pub items: Vec<T>,
    /// The id behind which the next page goes on; absent on the last page.
    pub next: Option<u64>,
}

/// Which page: how many items at most, and the id behind which it begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Paging {
    /// At least 1.
    pub limit: usize,
    /// The last id of the page before; absent for the first page.
    pub cursor: Option<u64>,
}

/// A key that ends with the id of what it leads to.
trait EndsWithId: Key {
    /// The parts before the id.
    type Prefix: Key;

    fn new(prefix: Self::Prefix, id: u64) -> Self;

    fn id(&self) -> u64;
}

impl<A: Key, I: Id> EndsWithId for (A, I) {
    type Prefix = (A,);

    fn new((a,): (A,), id: u64) -> Self {
        (a, I::of(id))
    }

    fn id(&self) -> u64 {
        self.1.number()
    }
}

impl<A: Key, B: Key, I: Id> EndsWithId for (A, B, I) {
    type Prefix = (A, B);

    fn new((a, b): (A, B), id: u64) -> Self {
        (a, b, I::of(id))
    }

    fn id(&self) -> u64 {
        self.2.number()
    }
}

impl Paging {
    /// A page of the rows under `prefix`, newest first.
    fn page<K: EndsWithId, V: Record>(
        self,
        store: &Store,
        table: Table<K, V>,
        prefix: K::Prefix,
    ) -> Result<Page<V>, ReadError> {
        self.fill(self.newest(store, table, prefix))
    }

    /// A page of items that are in memory, newest first, each with its id.
    pub fn of<T>(self, newest: impl Iterator<Item = (u64, T)>) -> Page<T> {
        let behind = |id| self.cursor.is_none_or(|cursor| id < cursor);
        let mut items = newest.filter(|(id, _)| behind(*id)).peekable();
        let mut page = Page { items: Vec::new(), next: None };
        while let Some((id, item)) = items.next() {
            page.items.push(item);
            if page.items.len() == self.limit {
                page.next = items.peek().map(|_| id);
                break;
            }
        }
        page
    }

    /// The rows under `prefix` behind the cursor, newest first, each with its id.
    fn newest<K: EndsWithId, V: Record>(
        self,
        store: &Store,
        table: Table<K, V>,
        prefix: K::Prefix,
    ) -> impl Iterator<Item = Result<(u64, V), ReadError>> + use<K, V> {
        let mut scan = Scan::prefix(&prefix).reverse();
        if let Some(cursor) = self.cursor {
            scan = scan.after(&K::new(prefix, cursor));
        }
        store.scan(table, scan).map(|row| row.map(|(key, row)| (key.id(), row)))
    }

    /// Fills a page from `rows`, each with its id; reads one more than it shows.
    fn fill<T, E>(self, rows: impl Iterator<Item = Result<(u64, T), E>>) -> Result<Page<T>, E> {
        let mut items = Vec::with_capacity(self.limit);
        let mut last = None;
        for row in rows {
            let (id, item) = row?;
            if items.len() == self.limit {
                return Ok(Page { items, next: last });
            }
            items.push(item);
            last = Some(id);
        }
        Ok(Page { items, next: None })
    }
}
