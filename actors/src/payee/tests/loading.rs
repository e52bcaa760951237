//! How a payee is read when its room starts, and when its shares move.

use storage::Batch;

use super::house::House;
use crate::domain::ids::{PayeeId, PayoutId};
use crate::domain::payments::payout::Payout;
use crate::domain::payments::share::ShareMove;
use crate::domain::payments::wallet::OWN;
use crate::payee::{PayeeRoom, PayeeTools};
use crate::tables::{OPEN_PAYOUTS, PAYOUTS};
use crate::testing::read_room;

fn requests(house: &House, payee: PayeeId) -> (PayeeRoom, [u64; 2]) {
    let tools: &PayeeTools = house.system.payees.rooms.tools();
    read_room(&house.store, (house.seller, payee), tools)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_payee_is_read_with_two_requests_however_many_payments_and_payouts_are_open() {
    let mut house = House::open().await;
    house.fund(1, 900).await;
    let payout = house.pay(100).await.expect("made");
    house.system.stop().await;
    house.store.reopen();
    let (room, fresh) = requests(&house, house.payee);
    assert_eq!((room.open.len(), room.wallets.len(), fresh), (1, 1, [2, 1]));
    let mut batch = Batch::new();
    for number in 1..=1_000 {
        let one = Payout { id: PayoutId(payout.id.0 + number), ..payout.clone() };
        batch.put(PAYOUTS, &(house.seller, one.id), &one);
        batch.put(OPEN_PAYOUTS, &(house.seller, house.payee, one.id), &());
    }
    house.store.write_blocking(batch).expect("durable");
    let (room, grown) = requests(&house, house.payee);
    assert_eq!((room.open.len(), room.methods.len(), grown), (1_001, 1, fresh));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_sellers_own_money_is_read_as_a_payee_is_and_where_there_is_none_one_request_says_so() {
    let mut house = House::open().await;
    house.system.stop().await;
    house.store.reopen();
    let (own, requests_of_own) = requests(&house, OWN);
    assert_eq!((own.wallets.len(), requests_of_own), (1, [2, 0]));
    let (nobody, requests_of_nobody) = requests(&house, PayeeId(99_999));
    assert_eq!((nobody.is_there(), requests_of_nobody), (false, [1, 0]));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_shares_that_a_bundle_tells_of_are_read_together() {
    let house = House::open().await;
    for what in [ShareMove::Credited, ShareMove::Settled] {
        let bundle: Vec<_> = (1..=200)
            .map(|payment| (house.next_message(), house.message(what, payment, 10)))
            .collect();
        bundle.iter().for_each(|(id, message)| house.send(house.payee, *id, message));
        let before = house.store.stats().reads;
        house.system.payees.take(house.seller, house.payee, bundle).await.expect("taken");
        let requests = house.store.stats().reads - before;
        assert!(requests < 40, "{requests} requests for 200 shares");
    }
    assert_eq!(house.balances(), (0, 2_000, 0));
    house.system.stop().await;
}
