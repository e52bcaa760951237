//! Groups: what gathers while one is under way, who waits for whom, and what is held in memory.

use std::time::Duration;

use futures::FutureExt;
use parking_lot::Mutex;
use storage::testing::TempStore;
use tokio::sync::Semaphore;

use super::*;
use crate::domain::ids::{ContractId, InvoiceId, PayeeId, PaymentId};
use crate::domain::messages::{ContractMessage, DepositNotice, PayeeMessage, PaymentNotice};
use crate::domain::money::{Currency, Money};
use crate::domain::platform::seller::Mode;
use crate::domain::time::Timestamp;
use crate::health::Health;
use crate::testing::until;

const SELLER: SellerId = SellerId(1);

fn deposit() -> PayeeMessage {
    PayeeMessage::Deposited(DepositNotice {
        reference: "any".to_owned(),
        amount: Money::new(1, Currency::EUR).expect("money"),
        at: Timestamp::from_micros(0),
        mode: Mode::Demo,
    })
}

fn paid() -> ContractMessage {
    ContractMessage::PaymentSucceeded(PaymentNotice {
        payment: PaymentId(1),
        reference: "any".to_owned(),
        invoice: InvoiceId(1),
        amount: Money::new(1, Currency::EUR).expect("money"),
        at: Timestamp::from_micros(0),
        attempt: None,
    })
}

fn payee(id: u64) -> Addressee {
    Addressee::Payee(SELLER, PayeeId(id))
}

fn contract(id: u64) -> Addressee {
    Addressee::Contract(SELLER, ContractId(id))
}

/// What has arrived, one entry a group.
type Arrived = Arc<Mutex<Vec<(Addressee, Vec<u64>)>>>;

struct Post {
    store: TempStore,
    outbox: Outbox,
    supervisor: Supervisor,
    arrived: Arrived,
    /// Opens the door of number 1, which takes nothing before.
    door: Arc<Semaphore>,
}

impl Post {
    async fn open() -> Self {
        Self::over(TempStore::new(), Limits::default()).await
    }

    async fn over(store: TempStore, limits: Limits) -> Self {
        let (arrived, door) = (Arrived::default(), Arc::new(Semaphore::new(0)));
        let (ear, gate, takes) = (Arc::clone(&arrived), Arc::clone(&door), store.store().clone());
        let deliver: Deliver = Arc::new(move |to, messages| {
            let (ear, gate, takes) = (Arc::clone(&ear), Arc::clone(&gate), takes.clone());
            async move {
                ear.lock().push((to, messages.iter().map(|(id, _)| id.0).collect()));
                if to.key().2 == 1 {
                    gate.acquire().await.map_err(|_| "the door is closed".to_owned())?.forget();
                }
                let mut batch = Batch::new();
                for (id, _) in messages {
                    batch.delete(OUTBOX, &to.row(id));
                }
                takes.write(batch).await.map(|_| ()).map_err(|error| error.to_string())
            }
            .boxed()
        });
        let supervisor = Supervisor::start(Health::default()).expect("started");
        let outbox = Outbox::new();
        outbox.start(store.store().clone(), Clock::wall(), limits, &supervisor, deliver);
        Self { store, outbox, supervisor, arrived, door }
    }

    fn send(&self, to: Addressee, message: u64) {
        let envelope = envelope(to);
        let mut batch = Batch::new();
        Outbox::stage(&mut batch, MessageId(message), &envelope);
        self.store.write_blocking(batch).expect("durable");
        self.outbox.notify(MessageId(message), envelope);
    }

    async fn until(&self, what: &str, is_so: impl Fn(&[(Addressee, Vec<u64>)]) -> bool) {
        until(what, || {
            let arrived = self.arrived.lock().clone();
            is_so(&arrived)
        })
        .await;
    }

    fn rows(&self) -> usize {
        self.store.scan(OUTBOX, Scan::all()).count()
    }

    /// What arrived at one addressee, group by group.
    fn of(&self, to: Addressee) -> Vec<Vec<u64>> {
        let arrived = self.arrived.lock();
        let groups = arrived.iter().filter(|(at, _)| *at == to);
        groups.map(|(_, messages)| messages.clone()).collect()
    }

    async fn close(self) {
        self.outbox.stop();
        self.supervisor.stop().await;
    }
}

fn envelope(to: Addressee) -> Envelope {
    match to {
        Addressee::Contract(seller, contract) => Envelope::to_contract(seller, contract, paid()),
        Addressee::Payee(seller, payee) => Envelope::to_payee(seller, payee, deposit()),
        Addressee::Payment(..) | Addressee::Seller(_) | Addressee::Subscription(..) => {
            unreachable!("no message here is for another one")
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_comes_while_a_group_is_under_way_is_the_next_one() {
    let post = Post::open().await;
    post.until("the walk", |_| post.outbox.is_idle()).await;
    for message in 1..=300 {
        post.send(payee(1), message);
        post.until("the first", |arrived| !arrived.is_empty()).await;
    }
    post.send(payee(2), 1_000);
    post.until("another payee's, which waits for nobody", |arrived| {
        arrived.contains(&(payee(2), vec![1_000]))
    })
    .await;
    assert_eq!(post.outbox.held(), 299);
    post.door.add_permits(3);
    post.until("all", |arrived| arrived.len() == 4).await;
    let groups = post.of(payee(1));
    assert_eq!(groups.iter().map(Vec::len).collect::<Vec<_>>(), [1, GROUP, 300 - 1 - GROUP]);
    assert_eq!(groups.concat(), (1..=300).collect::<Vec<_>>());
    post.until("the rows", |_| post.outbox.is_idle() && post.rows() == 0).await;
    post.send(payee(1), 301);
    post.until("a line that begins anew", |_| post.of(payee(1)).len() == 4).await;
    post.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn no_message_overtakes_one_that_failed() {
    let post = Post::open().await;
    post.door.close();
    post.send(contract(1), 1);
    post.until("the first try", |arrived| !arrived.is_empty()).await;
    post.send(contract(1), 2);
    post.send(contract(2), 3);
    post.until("another contract's", |_| post.of(contract(2)) == [[3]]).await;
    post.until("more tries", |_| post.of(contract(1)).len() >= 4).await;
    assert!(post.of(contract(1)).iter().all(|group| group[0] == 1), "{:?}", post.of(contract(1)));
    assert_eq!((post.rows(), post.outbox.held()), (2, 0));
    post.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_addressee_that_refuses_too_often_is_parked_and_shown() {
    let millis = Duration::from_millis;
    let limits = Limits { park_after: 3, first_pause: millis(1), ..Limits::default() };
    let post = Post::over(TempStore::new(), limits).await;
    post.door.close();
    post.send(contract(1), 7);
    post.send(contract(1), 8);
    post.until("parking", |_| post.outbox.level().parked == 1).await;
    let (line, trouble) = post.outbox.parked(10).remove(0);
    assert_eq!((line, trouble.failures), (contract(1), 3));
    assert_eq!(trouble.reason, "the door is closed");
    let (oldest, _, count) = waiting(&post.store, line, 10).expect("readable").expect("there");
    assert_eq!((oldest, count), (MessageId(7), 2));
    assert_eq!(post.rows(), 2);
    post.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_backlog_is_not_loaded_and_all_of_it_arrives_in_order() {
    const LINES: u64 = 600;
    const LONG: u64 = 1_000;
    let store = TempStore::new();
    let mut id = 0;
    let mut stage = |batch: &mut Batch, to| {
        id += 1;
        Outbox::stage(batch, MessageId(id), &envelope(to));
    };
    for stride in 0..10 {
        let mut batch = Batch::new();
        for line in 0..LINES / 10 {
            for _ in 0..2 {
                stage(&mut batch, payee(2 + stride * LINES / 10 + line));
            }
        }
        for _ in 0..LONG / 10 {
            stage(&mut batch, payee(1));
        }
        store.write_blocking(batch).expect("durable");
    }
    let limits = Limits { places: 32, ready: 300, ..Limits::default() };
    let post = Post::over(store, limits).await;
    post.until("the long line", |_| post.of(payee(1)).len() == 1).await;
    let mut most = 0;
    while post.rows() > LONG as usize {
        most = most.max(post.outbox.level().ready).max(post.outbox.held());
        tokio::task::yield_now().await;
    }
    assert!(most <= 300, "{most} lines or messages in memory");
    post.door.add_permits(1_000);
    post.until("an empty outbox", |_| post.outbox.is_idle() && post.rows() == 0).await;
    assert!(post.of(payee(1)).concat().is_sorted());
    let others: usize = post.arrived.lock().iter().map(|(_, group)| group.len()).sum();
    assert_eq!(others as u64, LONG + 2 * LINES);
    post.close().await;
}
