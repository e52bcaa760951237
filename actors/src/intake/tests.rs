//! Uploads while the disk is nearly full.

use std::net::Ipv4Addr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use storage::testing::TempStore;

use super::{Intake, ReadRow, turn};
use crate::clock::Clock;
use crate::domain::billing::usage::upload::{RowFields, Upload, UploadStatus};
use crate::domain::ids::{SellerId, UploadId};
use crate::domain::time::Timestamp;
use crate::query;
use crate::system::{System, SystemSettings};

struct House {
    store: TempStore,
    system: System,
    intake: Intake,
    seller: SellerId,
}

impl House {
    /// A house whose intake refuses every row.
    async fn open() -> Self {
        let store = TempStore::new();
        let clock = Clock::by_hand(Timestamp::parse("2026-11-21T09:00:00Z").expect("an instant"));
        let settings = SystemSettings::testing();
        let started = System::start((*store).clone(), clock.clone(), &[7; 32], settings);
        let system = started.await.expect("started");
        let minted = system.sellers.mint_sandbox(Ipv4Addr::LOCALHOST.into()).await;
        let seller = minted.expect("minted").seller.id;
        let refused: ReadRow = Arc::new(|_: &RowFields<'_>| Err("no event".to_owned()));
        let intake = Intake::start(&system, clock, refused, 100);
        Self { store, system, intake, seller }
    }

    async fn upload(&self, file: &str) -> UploadId {
        let mut receiving = self.intake.receive(self.seller);
        receiving.take(file.as_bytes()).await.expect("taken");
        let mapping = r#"{"contractId":"c","metric":"c","quantity":"c","occurredAt":"c"}"#;
        let mapping = serde_json::from_str(mapping).expect("a mapping");
        receiving.finish(mapping).await.expect("accepted").id
    }

    fn now(&self, upload: UploadId) -> Upload {
        query::upload(&self.store, self.seller, upload).expect("read").expect("there")
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn while_the_disk_is_nearly_full_no_row_is_recorded() {
    let house = House::open().await;
    house.store.pretend_free_space(Some(0));
    let first = house.upload("c\n1\n2\n").await;
    let took = turn::take(&house.intake.inner, house.seller, first).await;
    assert!(!took.expect("a turn"), "it is over");
    assert_eq!((house.now(first).next_row, house.now(first).parked), (1, 0));

    house.store.pretend_free_space(None);
    let begun = Instant::now();
    while !house.now(first).is_over() {
        assert!(begun.elapsed() < Duration::from_secs(30), "it does not go on");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assert_eq!((house.now(first).status(), house.now(first).parked), (UploadStatus::Done, 2));

    // Nor does an upload that waits keep the program from ending.
    house.store.pretend_free_space(Some(0));
    let second = house.upload("c\n1\n").await;
    house.intake.stop().await;
    assert_eq!(house.now(second).next_row, 1);
    house.system.stop().await;
}
