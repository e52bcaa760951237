//! A store with one seller, its terminal and a webhook, and payment rooms over it.

use std::future::pending;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures::future::{BoxFuture, ready};
use parking_lot::Mutex;
use storage::testing::TempStore;
use storage::{Batch, Scan, Store};
use uuid::Uuid;

use crate::clock::Clock;
use crate::connector::{Confirm, Create, LookUp, Processor, Processors, Simulator};
use crate::courier::Courier;
use crate::delivery::{DeliveryPool, DeliverySettings};
use crate::directory::Directory;
use crate::domain::ids::{ContractId, InvoiceId, PaymentId, SellerId, TerminalId, WebhookId};
use crate::domain::messages::{ContractMessage, Envelope, Letter};
use crate::domain::money::{Currency, Money};
use crate::domain::payments::card::{CardData, CardInput};
use crate::domain::payments::payment::{Payment, ProviderOutcome};
use crate::domain::payments::terminal::{Connector, Rail, Terminal};
use crate::domain::platform::seller::{Mode, NewSeller, Seller, agreement_number};
use crate::domain::platform::webhook::filter::EventFilter;
use crate::domain::platform::webhook::url::WebhookUrl;
use crate::domain::platform::webhook::{Webhook, WebhookStatus};
use crate::domain::refusal::Refusal;
use crate::domain::time::Timestamp;
use crate::entropy::Entropy;
use crate::payment::{InvoiceOrder, PaymentTools, Payments};
use crate::room::{RoomSettings, Rooms};
use crate::secrets::SecretBox;
use crate::tables::{DELIVERIES, PAYMENTS, SELLERS, TERMINALS, WEBHOOKS};
use crate::timers::{TimerKind, due};

const SELLER: SellerId = SellerId(1);

pub(super) struct House {
    pub(super) store: TempStore,
    pub(super) clock: Clock,
    pub(super) payments: Payments,
    told: Arc<Mutex<Vec<ContractMessage>>>,
    courier: Courier,
    pool: DeliveryPool,
}

pub(super) fn order(invoice: u64) -> InvoiceOrder {
    InvoiceOrder {
        seller: SELLER,
        contract: ContractId(4),
        invoice: InvoiceId(invoice),
        number: "1000001-2611AAA".to_owned(),
        amount: Money::new(12_50, Currency::EUR).expect("money"),
    }
}

pub(super) fn card(number: &str) -> CardData {
    card_until(number, 2030)
}

pub(super) fn expired_card() -> CardData {
    card_until("4242424242424242", 2020)
}

fn card_until(number: &str, year: i64) -> CardData {
    let input = CardInput {
        number: number.into(),
        cvv: "123".into(),
        exp_month: Some(12),
        exp_year: Some(year),
        holder: String::new(),
    };
    input.check().expect("a card")
}

impl House {
    /// An open house whose terminal leads to `processor`.
    pub(super) async fn open(processor: impl Processor) -> Self {
        let store = TempStore::new();
        let start = Timestamp::parse("2026-11-21T10:00:00Z").expect("an instant");
        furnish(&store, start);
        Self::over(store, Clock::by_hand(start), processor).await
    }

    /// An open house that counts how often the processor is asked.
    pub(super) async fn counting() -> (Self, Arc<AtomicUsize>) {
        let asked = Arc::new(AtomicUsize::new(0));
        (Self::open(Counting(Arc::clone(&asked))).await, asked)
    }

    /// The same store after the process ended, with another processor.
    pub(super) async fn reopen(self, processor: impl Processor) -> Self {
        self.courier.stop();
        self.pool.stop().await;
        self.payments.stop().await;
        Self::over(self.store, self.clock, processor).await
    }

    async fn over(store: TempStore, clock: Clock, processor: impl Processor) -> Self {
        let plain = Store::clone(&store);
        let told = Arc::new(Mutex::new(Vec::new()));
        let ear = Arc::clone(&told);
        let carry = move |_, envelope: Envelope| {
            if let Letter::Contract(_, message) = envelope.letter {
                ear.lock().push(message);
            }
            Box::pin(ready(true)) as BoxFuture<'static, bool>
        };
        let courier = Courier::start(plain.clone(), Arc::new(carry)).expect("starts");
        let pool = DeliveryPool::start(
            plain.clone(),
            clock.clone(),
            Entropy,
            DeliverySettings::default(),
            Arc::new(|_, _| None),
            SecretBox::new(&[7; 32]),
        );
        let tools = PaymentTools {
            directory: Directory::new(plain.clone(), true),
            deliveries: pool.clone(),
            courier: courier.clone(),
            processors: Processors::new(Arc::new(processor)),
            settle_seconds: 5,
            provider_timeout: Duration::from_secs(30),
        };
        let rooms = Rooms::start(plain.clone(), clock.clone(), tools, RoomSettings::default());
        let payments = Payments::new(rooms.await.expect("rooms start"), plain);
        Self { store, clock, payments, told, courier, pool }
    }

    pub(super) async fn pay(&self, invoice: u64, number: &str) -> Result<Payment, Refusal> {
        self.payments.pay_invoice(&order(invoice), card(number)).await.expect("answered")
    }

    pub(super) fn pass(&self, seconds: i64) {
        self.clock.push(self.clock.now().plus_seconds(seconds));
    }

    /// Rings every timer that is due; how many were.
    pub(super) async fn ring_due(&self) -> usize {
        let rung = due(&self.store, TimerKind::Payment, self.clock.now(), 100).expect("readable");
        for timer in &rung {
            let asked = self.payments.timer_rang(timer.seller, PaymentId(timer.object)).await;
            asked.expect("answered").expect("due");
        }
        rung.len()
    }

    /// What contracts have been told, once all of it has arrived.
    pub(super) async fn told_contract(&self) -> Vec<ContractMessage> {
        while self.courier.waiting() > 0 {
            tokio::task::yield_now().await;
        }
        self.store.barrier().await;
        self.told.lock().clone()
    }

    pub(super) fn deliveries(&self) -> usize {
        self.store.scan(DELIVERIES, Scan::all()).count()
    }

    pub(super) fn close_terminals(&self) {
        let mut batch = Batch::new();
        batch.delete(TERMINALS, &(SELLER, TerminalId(1)));
        self.store.write_blocking(batch).expect("durable");
    }

    /// The first payment, as soon as its beginning is durable.
    pub(super) async fn until_begun(&self) -> Payment {
        loop {
            if let Some(row) = self.store.scan(PAYMENTS, Scan::all()).next() {
                return row.expect("a row").1;
            }
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }
}

fn furnish(store: &Store, now: Timestamp) {
    let new = NewSeller::parse("Nordlicht", "seller@example.com", None, None).expect("valid");
    let seller = new.live(SELLER, Uuid::nil(), agreement_number(1), now);
    let webhook = Webhook {
        id: WebhookId(1),
        seller: SELLER,
        url: WebhookUrl::parse("https://example.com/hook", true).expect("a url"),
        status: WebhookStatus::Active,
        event_types: EventFilter::default(),
        secret: SecretBox::new(&[7; 32]).seal(b"whsec", [1; 24]),
        created_at: now,
        updated_at: now,
    };
    let terminal = Terminal {
        id: TerminalId(1),
        seller: SELLER,
        name: "Cards".to_owned(),
        rail: Rail::Card,
        methods: vec!["card".to_owned()],
        currencies: vec![Currency::EUR],
        countries: Vec::new(),
        mode: Mode::Demo,
        connector: Connector::Simulator,
    };
    let mut batch = Batch::new();
    batch.put(SELLERS, &SELLER, &Seller { mode: Mode::Demo, ..seller });
    batch.put(WEBHOOKS, &(SELLER, webhook.id), &webhook);
    batch.put(TERMINALS, &(SELLER, terminal.id), &terminal);
    store.write_blocking(batch).expect("durable");
}

/// Loses its first answer, and tells when it is asked again.
#[derive(Debug)]
pub(super) struct Losing(pub(super) ProviderOutcome);

/// Never answers.
#[derive(Debug)]
pub(super) struct Hanging;

#[derive(Debug)]
struct Counting(Arc<AtomicUsize>);

impl Processor for Losing {
    fn create(&self, _: Create) -> BoxFuture<'_, ProviderOutcome> {
        Box::pin(ready(ProviderOutcome::Unknown))
    }

    fn confirm(&self, _: Confirm) -> BoxFuture<'_, ProviderOutcome> {
        Box::pin(ready(ProviderOutcome::Unknown))
    }

    fn look_up(&self, _: LookUp) -> BoxFuture<'_, ProviderOutcome> {
        Box::pin(ready(self.0.clone()))
    }
}

impl Processor for Hanging {
    fn create(&self, _: Create) -> BoxFuture<'_, ProviderOutcome> {
        Box::pin(pending())
    }

    fn confirm(&self, _: Confirm) -> BoxFuture<'_, ProviderOutcome> {
        Box::pin(pending())
    }

    fn look_up(&self, _: LookUp) -> BoxFuture<'_, ProviderOutcome> {
        Box::pin(pending())
    }
}

impl Processor for Counting {
    fn create(&self, ask: Create) -> BoxFuture<'_, ProviderOutcome> {
        self.0.fetch_add(1, Ordering::SeqCst);
        Simulator.create(ask)
    }

    fn confirm(&self, ask: Confirm) -> BoxFuture<'_, ProviderOutcome> {
        self.0.fetch_add(1, Ordering::SeqCst);
        Simulator.confirm(ask)
    }

    fn look_up(&self, ask: LookUp) -> BoxFuture<'_, ProviderOutcome> {
        self.0.fetch_add(1, Ordering::SeqCst);
        Simulator.look_up(ask)
    }
}
