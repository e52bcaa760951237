//! The index of idempotency keys, and what becomes of the rows that were kept before it.

use storage::{Batch, Scan};

use super::house::{House, SELLER};
use super::orders::{direct, good_card};
use super::processor::{Behavior, TestProcessor};
use crate::connector::Simulator;
use crate::domain::ids::{PaymentId, SellerId};
use crate::kernel::{AskError, Once};
use crate::payment::keys::{fingerprint, move_once, taken_for};
use crate::tables::{PAYMENT_KEY_ROWS, PAYMENT_KEYS};

const NEIGHBOUR: SellerId = SellerId(1_025);

/// Keys as they were kept before the index.
fn put_rows(house: &House, rows: impl IntoIterator<Item = (SellerId, String, PaymentId)>) {
    let mut batch = Batch::new();
    for (seller, key, payment) in rows {
        batch.put(PAYMENT_KEY_ROWS, &(seller, key), &payment);
    }
    house.store.write_blocking(batch).expect("durable");
}

async fn payment_of(house: &House, key: &str) -> Option<PaymentId> {
    let found = house.payments.by_key(SELLER, key).await;
    found.expect("readable").map(|payment| payment.id)
}

#[tokio::test(flavor = "multi_thread")]
async fn keys_that_were_kept_as_rows_stay_used() {
    let processor = TestProcessor::new(Behavior::Answers);
    let house = House::open(processor.clone()).await;
    let (one, two) = (house.initiate(direct("one")).await, house.initiate(direct("two")).await);
    let taken = processor.taken();
    let many = (0..2_500).map(|nth| (NEIGHBOUR, format!("key-{nth}"), PaymentId(nth)));
    put_rows(&house, many.chain([(SELLER, "from before".to_owned(), one.id)]));
    // A crash after a stride, and an earlier program that went on with the folder.
    put_rows(&house, [(SELLER, "one".to_owned(), two.id)]);
    move_once(&house.store).expect("moved");

    assert_eq!(house.store.scan(PAYMENT_KEY_ROWS, Scan::all()).count(), 0);
    assert_eq!(payment_of(&house, "from before").await, Some(one.id));
    assert_eq!(payment_of(&house, "one").await, Some(one.id), "a key stays its first payment's");
    let wanted: Vec<_> = (0..2_500).map(|nth| fingerprint(&format!("key-{nth}"))).collect();
    let found = house.store.find_fingerprints(PAYMENT_KEYS, NEIGHBOUR.0, &wanted);
    let expected: Vec<_> = (0..2_500).map(|nth| Some(taken_for(PaymentId(nth)))).collect();
    assert_eq!(found.expect("readable").found, expected);

    let again = house.payments.initiate(direct("from before"), good_card()).await;
    assert!(matches!(again.map_err(AskError::refusal), Ok(Once::Before)));
    assert_eq!(processor.taken(), taken, "nothing was charged again");
    move_once(&house.store).expect("there is nothing left to do");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_row_that_cannot_be_read_stays_with_its_key_used_and_no_other_because_of_it() {
    let house = House::open(Simulator).await;
    let one = house.initiate(direct("one")).await;
    put_rows(&house, ["a", "b", "c"].map(|key| (SELLER, key.to_owned(), one.id)));
    let keys = house.store.export().flatten().filter(|row| row.tag() == PAYMENT_KEY_ROWS.tag());
    let second = keys.map(|row| row.key).nth(1).expect("three rows");
    house.store.tamper(&second, |row| row.push(0));
    move_once(&house.store).expect("moved");

    let found = [payment_of(&house, "a").await, payment_of(&house, "b").await];
    assert_eq!(found, [Some(one.id), None]);
    assert_eq!(payment_of(&house, "c").await, Some(one.id));
    assert_eq!(house.store.export().filter(Result::is_err).count(), 1);
    move_once(&house.store).expect("moved once more");
    let again = house.payments.initiate(direct("b"), good_card()).await;
    assert!(matches!(again.map_err(AskError::refusal), Ok(Once::Before)));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_whose_payment_is_lost_is_used_and_leads_to_nothing() {
    let house = House::open(Simulator).await;
    let mut batch = Batch::new();
    let claim = (fingerprint("lost"), taken_for(PaymentId(9)));
    batch.claim_fingerprints(PAYMENT_KEYS, SELLER.0, vec![claim], Default::default());
    house.store.write_blocking(batch).expect("durable");
    assert_eq!(payment_of(&house, "lost").await, None);
    let again = house.payments.initiate(direct("lost"), good_card()).await;
    assert!(matches!(again.map_err(AskError::refusal), Ok(Once::Before)));
}
