//! Numbers that were sealed with a key that is lost are given again.

use storage::Scan;

use super::house::House;
use super::own::own_method;
use super::set_up;
use crate::domain::payments::payee::{PayeePatch, Verification};
use crate::tables::PAYOUT_METHODS;

#[tokio::test(flavor = "multi_thread")]
async fn a_tax_number_that_cannot_be_opened_any_more_is_replaced_by_the_one_that_is_given() {
    let mut house = House::open().await;
    let id = set_up(&house, "ada", "one").await.expect("made").payee.id;
    house.lose_key().await;
    let before = super::known(&house, id);
    let payees = house.system.payees.clone();
    let give = async || {
        let patch = PayeePatch { tax_id: Some(Some("12345678901".into())), ..Default::default() };
        payees.patch(house.seller, id, patch).await.expect("patched")
    };
    let given = give().await;
    assert_ne!(given.tax_id, before.tax_id);
    assert_eq!(given.verification, Verification::Pending, "nobody can say that it is the same");
    assert_eq!(give().await, given, "now it is known");
    house.system.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_own_account_that_cannot_be_opened_any_more_is_the_same_method_when_it_is_given_again() {
    let mut house = House::open().await;
    let first = own_method(&house).await;
    let numbers = |house: &House| {
        let all = house.store.scan(PAYOUT_METHODS, Scan::all());
        let all = all.map(|row| row.expect("readable").1);
        all.map(|method| (method.id, method.destination.number)).collect::<Vec<_>>()
    };
    let before = numbers(&house);
    house.lose_key().await;
    assert_eq!(own_method(&house).await, first);
    let given = numbers(&house);
    assert_eq!(given.len(), before.len());
    assert_ne!(given, before, "its number is sealed with the new key");
    assert_eq!(own_method(&house).await, first);
    assert_eq!(numbers(&house), given, "now it is known");
    house.system.stop().await;
}
