//! How a business stands, from the sums of what it has.

use storage::{Batch, Key, Scan, Store, Sum, Table};

use super::house::House;
use crate::backfill::{Backfill, undo};
use crate::domain::billing::credit::CreditType;
use crate::domain::billing::overview::Overview;
use crate::domain::billing::subscription::Frequency;
use crate::domain::ids::SellerId;
use crate::query;
use crate::tables::{
    BACKFILLS, CREDIT_TOTALS, CUSTOMER_EMAILS, OVERVIEW_COUNTS, OVERVIEW_MONTHS,
    OVERVIEW_OUTSTANDING, OVERVIEW_RECURRING,
};
use crate::verify::{Rows, verify};

impl House {
    fn overview(&self) -> Overview {
        let (seller, now) = (self.seller.id, self.clock.now());
        query::overview(&self.store, seller, now, 3, &|| true).expect("read")
    }
}

/// Makes noise of what an account has in a table.
fn damage<K: Key>(store: &Store, seller: SellerId, table: Table<K, Sum>) {
    let raw: Table<K, Vec<u8>> = Table::new(table.tag(), table.name());
    let mut batch = Batch::new();
    for key in store.scan(table, Scan::prefix(&(seller,))).keys() {
        batch.put(raw, &key.expect("read"), &vec![0xFF; 9]);
    }
    assert!(!batch.is_empty());
    store.write_blocking(batch).expect("durable");
}

/// A store from before the sums were kept.
fn before(store: &Store) {
    undo(store, Backfill::OverviewSums, OVERVIEW_COUNTS, |_| true);
    undo(store, Backfill::OverviewSums, OVERVIEW_RECURRING, |_| true);
    undo(store, Backfill::OverviewSums, OVERVIEW_MONTHS, |_| true);
    undo(store, Backfill::OverviewSums, OVERVIEW_OUTSTANDING, |_| true);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_overview_is_the_same_where_its_sums_are_counted_at_a_start() {
    let mut house = House::open().await;
    let (first, clocked) = (house.contract("a").await, house.contract("b").await);
    house.subscribe(first, "s", Frequency::Monthly, 900).await;
    house.subscribe(clocked, "t", Frequency::Monthly, 1_100).await;
    house.issue_one_time(first, "i", 250).await;
    house.issue_one_time(clocked, "j", 350).await;
    let start = house.start();
    house.advance(clocked, start.plus_seconds(45 * 86_400)).await.expect("advanced");
    let kept = house.overview();
    let customers = Scan::prefix(&(house.seller.id,));
    let customers = house.store.scan(CUSTOMER_EMAILS, customers).keys().count() as u64;
    assert_eq!((kept.active_subscriptions, kept.customers), (2, customers));
    let euro = &kept.currencies[0];
    assert_eq!(euro.recurring_minor, 2_000);
    let billed: i64 = euro.months.iter().map(|month| month.billed_minor).sum();
    let invoices = [first, clocked].map(|contract| house.invoices(contract)).concat();
    let totals = invoices.iter().map(|invoice| invoice.totals.grand_total_minor);
    assert_eq!(billed, totals.sum::<i64>());
    assert!(euro.outstanding.not_due_minor > 0);
    house.assert_right();

    house.restart_with(before).await;
    assert_eq!(house.overview(), kept);
    house.assert_right();
    house.issue_one_time(first, "later", 100).await;
    assert_ne!(house.overview(), kept);
    house.assert_right();
}

#[tokio::test(flavor = "multi_thread")]
async fn an_overview_reads_no_documents() {
    const DOCUMENTS: u64 = 60;
    let house = House::open().await;
    let contract = house.contract("a").await;
    for number in 0..DOCUMENTS {
        house.issue_one_time(contract, &format!("i-{number}"), 100).await;
    }
    let read = house.rows_read(|| drop(house.overview()));
    assert!(read < DOCUMENTS, "{read} rows");
    house.assert_right();
}

#[tokio::test(flavor = "multi_thread")]
async fn counting_that_was_broken_off_goes_on_behind_the_last_account_that_is_written() {
    let mut house = House::open().await;
    let contract = house.contract("a").await;
    house.subscribe(contract, "s", Frequency::Monthly, 900).await;
    let kept = house.overview();
    let last = house.seller.id;
    let broken_off = move |store: &Store| {
        before(store);
        let mut batch = Batch::new();
        batch.put(BACKFILLS, &(Backfill::OverviewSums as u8), &last.0);
        store.write_blocking(batch).expect("durable");
    };
    house.restart_with(broken_off).await;
    assert_eq!(
        house.store.get(BACKFILLS, &(Backfill::OverviewSums as u8)).expect("read"),
        Some(u64::MAX)
    );
    assert_eq!(house.overview().active_subscriptions, 0, "it is taken to be counted");
    house.restart_with(before).await;
    assert_eq!(house.overview(), kept);
    house.assert_right();
}

#[tokio::test(flavor = "multi_thread")]
async fn sums_that_cannot_be_read_keep_nothing_from_being_invoiced_and_are_told_of() {
    let mut house = House::open().await;
    let (contract, seller) = (house.contract("a").await, house.seller.id);
    house.issue_one_time(contract, "first", 100).await;
    house.top_up(contract, "some", CreditType::Gift, 100, None).await.expect("granted");
    let damaged = move |store: &Store| {
        damage(store, seller, OVERVIEW_MONTHS);
        damage(store, seller, CREDIT_TOTALS);
    };
    house.restart_with(damaged).await;
    house.issue_one_time(contract, "second", 250).await;
    house.top_up(contract, "more", CreditType::Gift, 100, None).await.expect("granted");
    assert_eq!(house.invoices(contract).len(), 2);
    let report = verify(&house.store, Rows::Still).expect("it could look");
    let faults: Vec<_> = report.faults.iter().map(|fault| fault.what).collect();
    assert_eq!(faults, ["row that cannot be read"; 2], "{:#?}", report.faults);
}
