//! Uploads while the disk is nearly full.

use std::sync::Arc;

use storage::testing::TempStore;

use super::{Intake, ReadRow, turn};
use crate::domain::billing::usage::upload::{RowFields, Upload, UploadStatus};
use crate::domain::ids::{SellerId, UploadId};
use crate::query;
use crate::system::{System, SystemSettings};
use crate::testing::{Running, until};

struct House {
    store: TempStore,
    system: System,
    intake: Intake,
    seller: SellerId,
}

impl House {
    /// A house whose intake refuses every row.
    async fn open() -> Self {
        let settings = SystemSettings::testing();
        let Running { store, clock, system, minted } = Running::open(settings).await;
        let seller = minted.seller.id;
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
    until("it goes on", || house.now(first).is_over()).await;
    assert_eq!((house.now(first).status(), house.now(first).parked), (UploadStatus::Done, 2));

    // Nor does an upload that waits keep the program from ending.
    house.store.pretend_free_space(Some(0));
    let second = house.upload("c\n1\n").await;
    house.intake.stop().await;
    assert_eq!(house.now(second).next_row, 1);
    house.system.stop().await;
}
