//! Passes over accounts of which some are off, or cannot be read.

use storage::{Batch, Table};

use super::house::House;
use crate::contract::Once;
use crate::directory::EVERYONE;
use crate::domain::billing::subscription::Frequency;
use crate::domain::ids::SellerId;
use crate::domain::platform::switches::Switch;
use crate::domain::time::Timestamp;
use crate::passes::{Pass, Scope};
use crate::query;
use crate::tables::{SELLERS, SWITCHES, TIMERS};
use crate::timers::TimerKind;

#[tokio::test(flavor = "multi_thread")]
async fn a_pass_that_is_on_for_one_account_is_not_off() {
    let house = House::open().await;
    let is_off = async || {
        let run = house.system.passes.run(Pass::AutoCharge, Scope::Schedule).await;
        run.expect("read").pass_disabled
    };
    let sellers = &house.system.sellers;
    sellers.switch(EVERYONE, Switch::AutoCharge, false).await.expect("turned");
    assert!(is_off().await, "nobody has anything due");
    house.switch(Switch::AutoCharge, true).await;
    assert!(!is_off().await);
    house.switch(Switch::AutoCharge, false).await;
    assert!(is_off().await);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pass_is_off_or_not_whoevers_switches_cannot_be_read() {
    let house = House::open().await;
    let raw: Table<SellerId, Vec<u8>> = Table::new(SWITCHES.tag(), SWITCHES.name());
    let mut batch = Batch::new();
    for damaged in [SellerId(998), SellerId(1_001)] {
        batch.put(raw, &damaged, &vec![0xFF, 0xFF]);
    }
    house.store.write_blocking(batch).expect("durable");
    let is_off = async || {
        let run = house.system.passes.run(Pass::AutoCharge, Scope::Schedule).await;
        run.expect("the others are read").pass_disabled
    };
    let sellers = &house.system.sellers;
    sellers.switch(EVERYONE, Switch::AutoCharge, false).await.expect("turned");
    assert!(is_off().await, "nobody has anything due");
    house.switch(Switch::AutoCharge, true).await;
    assert!(!is_off().await);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_account_that_cannot_be_read_keeps_a_pass_from_no_other() {
    let mut house = House::open().await;
    let contract = house.contract("c").await;
    let Once::Made(made) = house.subscribe(contract, "s", Frequency::Weekly, 500).await else {
        panic!("made")
    };
    let damage = |store: &storage::Store| {
        let (seller, due) = (SellerId(999), Timestamp::from_micros(1));
        let raw: Table<SellerId, Vec<u8>> = Table::new(SELLERS.tag(), SELLERS.name());
        let mut batch = Batch::new();
        batch.put(raw, &seller, &vec![0xFF, 0xFF]);
        batch.put(TIMERS, &(TimerKind::Lifecycle as u8, seller, due, 1), &());
        store.write_blocking(batch).expect("durable");
    };
    house.restart_with(damage).await;
    house.clock.push(house.start().date().plus_days(8).start());
    let run = house.system.passes.run(Pass::Lifecycle, Scope::Schedule).await;
    run.expect("the others are asked");
    // By this run, or by the one that the restart began with.
    let renewed = || {
        let now = query::subscription(&house.store, house.seller.id, made.id).expect("read");
        now.expect("there").current_period_start > made.current_period_start
    };
    house.until("it is renewed", renewed).await;
}
