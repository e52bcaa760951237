//! Groups: what gathers while one is under way, and who waits for whom.

use std::time::Duration;

use futures::FutureExt;
use parking_lot::Mutex;
use storage::testing::TempStore;

use super::*;
use crate::domain::messages::DepositNotice;
use crate::domain::money::{Currency, Money};
use crate::domain::platform::seller::Mode;
use crate::domain::time::Timestamp;

const SELLER: SellerId = SellerId(1);

fn deposit() -> PayeeMessage {
    PayeeMessage::Deposited(DepositNotice {
        reference: "any".to_owned(),
        amount: Money::new(1, Currency::EUR).expect("money"),
        at: Timestamp::from_micros(0),
        mode: Mode::Demo,
    })
}

/// What has arrived, as payee and messages, one entry a group.
type Arrived = Arc<Mutex<Vec<(u64, Vec<u64>)>>>;

struct Post {
    store: TempStore,
    outbox: Outbox,
    arrived: Arrived,
    /// Opens the door of payee 1, which takes nothing before.
    door: Arc<Semaphore>,
}

impl Post {
    fn open() -> Self {
        let store = TempStore::new();
        let (arrived, door) = (Arrived::default(), Arc::new(Semaphore::new(0)));
        let (ear, gate) = (Arc::clone(&arrived), Arc::clone(&door));
        let deliver: Deliver = Arc::new(move |group| {
            let (ear, gate) = (Arc::clone(&ear), Arc::clone(&gate));
            async move {
                let Group::Payee(_, payee, messages) = group else { return false };
                ear.lock().push((payee.0, messages.iter().map(|(id, _)| id.0).collect()));
                if payee == PayeeId(1) {
                    let Ok(way) = gate.acquire().await else { return false };
                    way.forget();
                }
                true
            }
            .boxed()
        });
        let outbox = Outbox::started(store.store().clone(), deliver);
        Self { store, outbox, arrived, door }
    }

    fn send(&self, payee: u64, message: u64) {
        let envelope = Envelope::to_payee(SELLER, PayeeId(payee), deposit());
        let mut batch = Batch::new();
        Outbox::stage(&mut batch, MessageId(message), &envelope);
        self.store.write_blocking(batch).expect("durable");
        self.outbox.notify(MessageId(message), envelope);
    }

    async fn until(&self, what: &str, is_so: impl Fn(&[(u64, Vec<u64>)]) -> bool) {
        for _ in 0..1_000 {
            if is_so(&self.arrived.lock()) {
                return;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        panic!("waited in vain for: {what}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_comes_while_a_group_is_under_way_is_the_next_one() {
    let post = Post::open();
    for message in 1..=300 {
        post.send(1, message);
        post.until("the first", |arrived| !arrived.is_empty()).await;
    }
    post.send(2, 1_000);
    post.until("another payee's, which waits for nobody", |arrived| {
        arrived.contains(&(2, vec![1_000]))
    })
    .await;
    post.door.add_permits(3);
    post.until("all", |arrived| arrived.len() == 4).await;
    let arrived: Vec<_> =
        post.arrived.lock().iter().filter(|(payee, _)| *payee == 1).cloned().collect();
    let groups: Vec<usize> = arrived.iter().map(|(_, messages)| messages.len()).collect();
    assert_eq!(groups, [1, GROUP, 300 - 1 - GROUP]);
    let messages: Vec<u64> = arrived.into_iter().flat_map(|(_, messages)| messages).collect();
    assert_eq!(messages, (1..=300).collect::<Vec<_>>());
    post.until("the rows", |_| {
        post.outbox.waiting() == 0 && post.store.scan(OUTBOX, Scan::all()).count() == 0
    })
    .await;
    post.send(1, 301);
    post.until("a line that begins anew", |arrived| arrived.last() == Some(&(1, vec![301]))).await;
    post.outbox.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_taken_comes_again_and_stays_until_then() {
    let post = Post::open();
    post.send(1, 1);
    post.until("the first try", |arrived| arrived.len() == 1).await;
    // A closed door refuses at once.
    post.door.close();
    post.until("another try", |arrived| arrived.len() >= 3).await;
    assert_eq!(post.outbox.waiting(), 1);
    assert_eq!(post.store.scan(OUTBOX, Scan::all()).count(), 1);
    post.outbox.stop();
}
