//! Contracts are made beside their rooms, in the order in which they are there to be read.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use storage::Shard;

use super::house::House;
use crate::contract::Once;
use crate::domain::billing::contract::{Amendment, Contract, ContractStatus};
use crate::domain::billing::subscription::Frequency;
use crate::domain::ids::ContractId;
use crate::domain::money::Currency;
use crate::domain::refusal::RefusalKind;
use crate::kernel::AskError;
use crate::query::{self, Paging};

const WRITERS: usize = 6;
const MADE_BY_EACH: usize = 60;

impl House {
    /// Walks over the contracts in small pages until `ended` says that no more are made.
    async fn follow(&self, ended: impl Fn() -> bool) -> Vec<Contract> {
        let (mut seen, mut cursor) = (Vec::<Contract>::new(), None);
        loop {
            let last = ended();
            let (store, seller) = (self.store.store().clone(), self.seller.id);
            let paging = Paging { limit: 7, cursor };
            let page =
                tokio::task::spawn_blocking(move || query::contracts(&store, seller, paging));
            let page = page.await.expect("no panic").expect("read");
            let more = page.next.is_some();
            seen.extend(page.items);
            cursor = seen.last().map(|contract| contract.id.0);
            if last && !more {
                return seen;
            }
        }
    }

    async fn set_status(&self, contract: ContractId, version: u64, status: ContractStatus) {
        let amendment = Amendment {
            expected_base_version: version,
            status: Some(status),
            ..Amendment::default()
        };
        let amended = self.system.contracts.amend(self.seller.id, contract, amendment).await;
        amended.expect("amended");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn who_follows_the_cursor_while_others_make_contracts_misses_none() {
    let house = House::open().await;
    let ended = Arc::new(AtomicUsize::new(0));
    let writers: Vec<_> = (0..WRITERS)
        .map(|writer| {
            let (contracts, seller) = (house.system.contracts.clone(), house.seller.id);
            let (new, customer, ended) =
                (house.new_contract(), house.customer.clone(), Arc::clone(&ended));
            tokio::spawn(async move {
                let mut made = Vec::new();
                for n in 0..MADE_BY_EACH {
                    let key = format!("{writer}-{n}");
                    match contracts.create(seller, new.clone(), customer.clone(), key).await {
                        Ok(Once::Made(contract)) => made.push(contract),
                        other => panic!("{other:?}"),
                    }
                }
                ended.fetch_add(1, Ordering::SeqCst);
                made
            })
        })
        .collect();
    let seen = house.follow(|| ended.load(Ordering::SeqCst) == WRITERS).await;
    let mut made = Vec::new();
    for writer in writers {
        made.extend(writer.await.expect("no panic"));
    }
    made.sort_by_key(|contract| contract.id);
    assert_eq!(seen, made);
    assert!(made.is_sorted_by_key(|contract| contract.order), "numbers and ids disagree");
}

#[tokio::test(flavor = "multi_thread")]
async fn ad_hoc_invoices_at_once_go_to_one_contract() {
    let house = House::open().await;
    let adhoc = async || {
        let contracts = &house.system.contracts;
        contracts.adhoc(&house.customer, Currency::EUR).await.expect("a contract")
    };
    let all = futures::future::join_all((0..20).map(|_| adhoc())).await;
    let first = all[0];
    assert!(all.iter().all(|id| *id == first), "{all:?}");
    house.set_status(first, 1, ContractStatus::Suspended).await;
    let second = adhoc().await;
    assert_ne!(second, first);
    assert_eq!(adhoc().await, second);
    house.set_status(first, 2, ContractStatus::Active).await;
    assert_eq!(adhoc().await, first, "the oldest active one");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_contract_that_was_asked_for_before_it_was_made_is_there_afterwards() {
    let house = House::open().await;
    let made = house.contract("first").await;
    let next = ContractId(made.0 + u64::from(Shard::COUNT));
    let contracts = &house.system.contracts;
    let amendment = Amendment { expected_base_version: 1, ..Amendment::default() };
    let missing = contracts.amend(house.seller.id, next, amendment).await;
    assert_eq!(missing.map_err(AskError::refusal).expect_err("none").kind, RefusalKind::Missing);
    assert_eq!(house.contract("second").await, next);
    house.subscribe(next, "s", Frequency::Monthly, 1_000).await;
}
