//! How a contract is read when its room starts.

use storage::Batch;

use super::house::House;
use crate::chunked;
use crate::contract::room::ContractRoom;
use crate::domain::billing::subscription::{Frequency, Subscription};
use crate::domain::ids::{ContractId, SubscriptionId};
use crate::kernel::Once;
use crate::tables::{SUBSCRIPTION_PARTS, SUBSCRIPTIONS};
use crate::testing::read_room;

/// Its requests: for its rows, and for its timers.
fn requests(house: &House, contract: ContractId) -> (ContractRoom, [u64; 2]) {
    read_room(&house.store, (house.seller.id, contract), house.system.contracts.rooms.tools())
}

/// Gives a contract so many subscriptions more that are like one that it has.
fn multiply(house: &House, of: &Subscription, many: u64) {
    let mut batch = Batch::new();
    for number in 1..=many {
        let one = Subscription { id: SubscriptionId(of.id.0 + number), ..of.clone() };
        let key = (house.seller.id, one.contract, one.id);
        chunked::put(&mut batch, SUBSCRIPTIONS, &key, SUBSCRIPTION_PARTS, &key, &one);
    }
    house.store.write_blocking(batch).expect("durable");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_contract_is_read_with_one_request_however_many_subscriptions_it_has() {
    let mut house = House::open().await;
    let contract = house.contract("c").await;
    let Once::Made(first) = house.subscribe(contract, "s", Frequency::Monthly, 900).await else {
        panic!("the key was used")
    };
    house.system.stop().await;
    house.store.reopen();
    let (room, fresh) = requests(&house, contract);
    assert_eq!((room.subscriptions.len(), fresh), (1, [1, 1]));
    multiply(&house, &first, 1_000);
    let (room, grown) = requests(&house, contract);
    assert_eq!((room.subscriptions.len(), grown), (1_001, fresh));
    house.store.hand_over();
    let (room, from_the_engine) = requests(&house, contract);
    assert_eq!((room.subscriptions.len(), from_the_engine), (1_001, fresh));
    let (nothing, requests) = requests(&house, ContractId(99_999));
    assert_eq!((nothing.contract.is_none(), requests), (true, [1, 0]));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_its_rows_lead_to_is_read_with_a_second_request() {
    let mut house = House::open().await;
    let contract = house.contract("c").await;
    let large = house.amend_with_large_items(contract, 40, 5_000).await;
    house.system.stop().await;
    house.store.reopen();
    let (room, requests) = requests(&house, contract);
    assert_eq!((room.contract, requests), (Some(large), [2, 0]));
}
