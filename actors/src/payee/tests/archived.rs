//! Payees that were archived and are in use again.

use super::house::House;
use super::known;
use super::payouts::complete;
use crate::domain::payments::payee::{PayeePatch, Verification};
use crate::domain::payments::payout::Action;
use crate::domain::time::Timestamp;
use crate::timers::{TimerKind, due};

#[tokio::test(flavor = "multi_thread")]
async fn a_verification_under_way_rests_while_its_payee_is_archived() {
    let house = House::open().await;
    house.fund(1, 100).await;
    let payout = house.pay(100).await.expect("made");
    house.act(payout.id, complete()).await.expect("completed");
    let payees = &house.system.payees;
    let renamed = PayeePatch { display_name: Some("Grace".to_owned()), ..PayeePatch::default() };
    payees.patch(house.seller, house.payee, renamed).await.expect("renamed");
    payees.archive(house.seller, house.payee).await.expect("archived");
    let timers = due(&house.store, TimerKind::Payee, Timestamp::MAX, 99).expect("readable");
    assert!(timers.iter().all(|timer| timer.object != house.payee.0), "{timers:?}");

    let returned = Action::Fail { failure_code: Some("AC04".to_owned()) };
    house.act(payout.id, returned).await.expect("sent back");
    assert_eq!(known(&house, house.payee).verification, Verification::Pending);
    house.pass(60);
    let approved = || known(&house, house.payee).verification == Verification::Approved;
    house.until("approval", approved).await;
    house.pay(100).await.expect("it is paid out again");
    house.system.stop().await;
}
