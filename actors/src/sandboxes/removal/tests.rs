//! Accounts that ended long ago, in a running system that removes none by itself.

use std::net::Ipv4Addr;

use storage::Table;
use storage::testing::TempStore;

use super::*;
use crate::domain::ids::CustomerId;
use crate::system::{System, SystemSettings};
use crate::tables::{CUSTOMER_EMAILS, LOGINS};

struct House {
    store: TempStore,
    clock: Clock,
    system: System,
    removal: Removal,
}

impl House {
    async fn open() -> Self {
        let store = TempStore::new();
        let clock = Clock::by_hand(Timestamp::parse("2026-11-21T09:00:00Z").expect("an instant"));
        let settings = SystemSettings { sandbox_keep_days: 100_000, ..SystemSettings::testing() };
        let started = System::start(store.store().clone(), clock.clone(), &[7; 32], settings).await;
        let system = started.expect("started");
        let sellers = system.sellers.clone();
        let removal = Removal::new(store.store().clone(), clock.clone(), sellers, 7);
        Self { store, clock, system, removal }
    }

    async fn mint(&self) -> SellerId {
        let minted = self.system.sellers.mint_sandbox(Ipv4Addr::LOCALHOST.into()).await;
        minted.expect("minted").seller.id
    }

    fn pass_days(&self, days: i64) {
        self.clock.push(self.clock.now().plus_seconds(days * DAY_SECONDS));
    }

    async fn round(&self) -> u64 {
        self.removal.round(&|| ()).await.expect("a round")
    }

    /// In how many tables a seller has rows that it owns.
    fn tables_of(&self, seller: SellerId) -> usize {
        let rows = |tag: &&u16| self.store.keys_under(**tag, &(seller,), 1).expect("read");
        OWNED.iter().filter(|tag| !rows(tag).is_empty()).count()
    }

    fn ends(&self) -> usize {
        self.store.scan(SANDBOX_ENDS, Scan::all()).keys().count()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_read_keeps_no_account_but_its_own() {
    let house = House::open().await;
    let (broken, other) = (house.mint().await, house.mint().await);
    let sellers: Table<SellerId, Vec<u8>> = Table::new(SELLERS.tag(), SELLERS.name());
    let logins: Table<String, Vec<u8>> = Table::new(LOGINS.tag(), LOGINS.name());
    let mut batch = Batch::new();
    batch.put(sellers, &broken, &vec![0xFF, 0xFF]);
    // Whose it is nobody knows; it comes before all others.
    batch.put(logins, &"0".to_owned(), &vec![0xFF, 0xFF]);
    house.store.write(batch).await.expect("written");
    house.pass_days(40);
    while house.round().await > 0 {}
    assert_eq!((house.tables_of(other), house.ends()), (0, 1));
    assert_eq!(house.store.contains(SELLERS, &broken), Ok(true), "it is left for who looks at it");
    assert_eq!(house.store.scan(LOGINS, Scan::all()).keys().count(), 2);
    house.system.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn one_round_takes_on_all_accounts_and_the_next_ends_them() {
    let mut house = House::open().await;
    house.removal.together = 2;
    let end = house.clock.now();
    let mut batch = Batch::new();
    for id in 1..=5 {
        // Removed in part already.
        let seller = SellerId(1_000_000 + id);
        batch.put(SANDBOX_ENDS, &(end, seller), &());
        batch.put(CUSTOMER_EMAILS, &(seller, "ada@example.com".to_owned()), &CustomerId(id));
    }
    house.store.write(batch).await.expect("written");
    house.pass_days(7);
    assert_eq!(house.round().await, 0, "they are kept for seven days");
    house.pass_days(1);
    assert_eq!(house.round().await, 5);
    assert_eq!(house.round().await, 0);
    assert_eq!(house.ends(), 0);
    house.system.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_restored_stays_until_somebody_has_looked_at_it() {
    let house = House::open().await;
    let seller = house.mint().await;
    house.store.hold_as_restored();
    house.pass_days(40);
    let before = house.tables_of(seller);
    assert_eq!(house.round().await, 0);
    assert_eq!((house.tables_of(seller), house.ends()), (before, 1));
    assert_eq!(house.store.resume(), Ok(true));
    assert!(house.round().await > 0);
    assert_eq!(house.tables_of(seller), 0);
    house.system.stop().await;
}
