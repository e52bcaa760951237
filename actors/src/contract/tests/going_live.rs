//! What becomes of test clocks when their account goes live.

use storage::{Batch, Scan};

use super::house::House;
use crate::contract::Once;
use crate::domain::billing::subscription::Frequency;
use crate::domain::billing::test_clock::TestClock;
use crate::domain::ids::ContractId;
use crate::domain::platform::seller::{Mode, Seller, SellerPatch};
use crate::passes::{Pass, Scope};
use crate::tables::{CLOCKS, SELLERS};

impl House {
    /// Puts the account live; whoever is to hear of it has heard.
    async fn goes_live(&self) {
        let patch = SellerPatch { mode: Some(Mode::Live), ..SellerPatch::default() };
        self.system.sellers.patch(self.seller.id, patch).await.expect("live");
        self.until_told().await;
    }

    /// A contract whose first week is billed.
    async fn billed_weekly(&self, name: &str) -> ContractId {
        let contract = self.contract(name).await;
        let made = self.subscribe(contract, name, Frequency::Weekly, 500).await;
        assert!(matches!(made, Once::Made(_)));
        self.issue_recurring(contract, name).await.expect("issued");
        contract
    }

    /// Lets scheduled passes come by at the beginning of a day, counted from now.
    async fn pass_days(&self, days: i64) {
        self.clock.push(self.start().date().plus_days(days).start());
        for pass in [Pass::Lifecycle, Pass::RecurringInvoice] {
            self.system.passes.run(pass, Scope::Schedule).await.expect("run");
        }
    }

    fn clocks(&self) -> Vec<TestClock> {
        let all = Scan::prefix(&(self.seller.id,));
        self.store.scan(CLOCKS, all).values().expect("read")
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn once_an_account_is_live_passes_come_by_contracts_that_had_a_test_clock() {
    for starts_again in [false, true] {
        let mut house = House::open().await;
        let (behind, ahead) = (house.billed_weekly("a").await, house.billed_weekly("b").await);
        let day = house.start().date();
        house.advance(behind, day.plus_days(2).start()).await.expect("advanced");
        house.advance(ahead, day.plus_days(9).start()).await.expect("advanced");
        let billed = |house: &House| [behind, ahead].map(|one| house.invoices(one).len());
        assert_eq!(billed(&house), [1, 2]);
        if starts_again {
            // Nobody has the contracts in memory.
            house.restart().await;
        }
        house.goes_live().await;
        house.pass_days(8).await;
        // What the one had billed on its way ahead is due by the wall now, and billed once.
        assert_eq!(billed(&house), [2, 2]);
        house.pass_days(7).await;
        assert_eq!(billed(&house), [3, 3]);
        house.assert_right_at_rest().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_contract_catches_up_with_the_terms_that_began_while_its_clock_stood() {
    let house = House::open().await;
    let contract = house.billed_weekly("a").await;
    house.advance(contract, house.start().plus_seconds(1)).await.expect("advanced");
    house.pass_days(22).await;
    assert_eq!(house.invoices(contract).len(), 1);
    house.goes_live().await;
    for documents in 2..=4 {
        house.pass_days(0).await;
        assert_eq!(house.invoices(contract).len(), documents);
    }
    house.pass_days(0).await;
    assert_eq!(house.invoices(contract).len(), 4);
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_moves_a_clock_of_a_live_account() {
    let house = House::open().await;
    let (simulated, real) = (house.contract("a").await, house.contract("b").await);
    let to = house.start().plus_seconds(3_600);
    house.advance(simulated, to).await.expect("advanced");
    house.goes_live().await;
    for contract in [simulated, real] {
        for to in [to, to.plus_seconds(3_600)] {
            let refusal = house.advance(contract, to).await.expect_err("refused");
            assert_eq!(refusal.text, "test clocks are for demo accounts only");
        }
    }
    let clocks = house.clocks();
    assert_eq!((clocks.len(), clocks[0].now), (1, to));
}

#[tokio::test(flavor = "multi_thread")]
async fn every_contract_hears_of_it_however_many_there_are() {
    const MANY: usize = 600;
    let mut house = House::open().await;
    let contract = house.contract("a").await;
    house.advance(contract, house.start().plus_seconds(60)).await.expect("advanced");
    let (seller, clock) = (house.seller.id, house.clocks().remove(0));
    let copies = move |store: &storage::Store| {
        let mut batch = Batch::new();
        for n in 1..MANY as u64 {
            batch.put(CLOCKS, &(seller, ContractId(contract.0 + n)), &clock);
        }
        store.write_blocking(batch).expect("durable");
    };
    house.restart_with(copies).await;
    house.goes_live().await;
    let let_go = house.clocks().iter().filter(|clock| clock.let_go_at.is_some()).count();
    assert_eq!((house.clocks().len(), let_go), (MANY, MANY));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_contract_that_did_not_hear_of_it_lets_its_clock_go_with_what_is_done_next() {
    let mut house = House::open().await;
    let contract = house.contract("a").await;
    let stood = house.start().plus_seconds(60);
    house.advance(contract, stood).await.expect("advanced");
    let live = Seller { mode: Mode::Live, ..house.seller.clone() };
    let went_live = move |store: &storage::Store| {
        let mut batch = Batch::new();
        batch.put(SELLERS, &live.id, &live);
        store.write_blocking(batch).expect("durable");
    };
    house.restart_with(went_live).await;
    assert_eq!(house.clocks()[0].stands_at(), Some(stood));
    house.subscribe(contract, "s", Frequency::Weekly, 500).await;
    assert_eq!((house.clocks()[0].stands_at(), house.clocks()[0].now), (None, stood));
}
