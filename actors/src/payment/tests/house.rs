//! A store with one seller, its terminal and a webhook, and payment rooms over it.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use futures::FutureExt;
use futures::future::ready;
use parking_lot::Mutex;
use storage::testing::TempStore;
use storage::{Batch, Scan, Store};
use uuid::Uuid;

use super::orders::{card, good_card, order};
use crate::clock::Clock;
use crate::connector::{Processor, Processors};
use crate::delivery::{DeliveryPool, DeliverySettings, Found};
use crate::directory::{Directory, DirectorySettings};
use crate::domain::ids::{MessageId, PayeeId, PaymentId, SellerId, TerminalId, WebhookId};
use crate::domain::messages::{Addressee, ContractMessage, Message, PayeeMessage};
use crate::domain::money::Currency;
use crate::domain::payments::payment::{Payment, PaymentStatus, Refund, Windows};
use crate::domain::payments::share::ShareMove;
use crate::domain::payments::terminal::{Connector, Rail, Terminal, TerminalStatus};
use crate::domain::platform::seller::{Mode, NewSeller, Seller, agreement_number};
use crate::domain::platform::webhook::filter::EventFilter;
use crate::domain::platform::webhook::url::WebhookUrl;
use crate::domain::platform::webhook::{Webhook, WebhookStatus};
use crate::domain::refusal::Refusal;
use crate::domain::time::Timestamp;
use crate::entropy::Entropy;
use crate::kernel::{AskError, Once, RoomSettings, Rooms, Services};
use crate::link_tokens::LinkTokens;
use crate::mail::MailPolicy;
use crate::outbox::Outbox;
use crate::payment::{Calls, PaymentOrder, PaymentTools, Payments};
use crate::queue::Supervisor;
use crate::sandboxes::Keeping;
use crate::secrets::{Place, SecretBox};
use crate::tables::{EVENTS, OUTBOX, PAYMENTS, REFUNDS, SELLERS, TERMINALS, WEBHOOKS};
use crate::testing::until;
use crate::timers::{Calendar, TimerKind, due};
use crate::watchers::Watchers;

pub(super) const SELLER: SellerId = SellerId(1);

type Letters = Arc<Mutex<BTreeMap<MessageId, (PayeeId, PayeeMessage)>>>;

pub(super) struct House {
    pub(super) store: TempStore,
    pub(super) clock: Clock,
    pub(super) payments: Payments,
    told: Arc<Mutex<Vec<ContractMessage>>>,
    letters: Letters,
    shut: Arc<AtomicBool>,
    patience: Duration,
    outbox: Outbox,
    supervisor: Supervisor,
    pool: DeliveryPool,
}

impl House {
    /// An open house whose terminal leads to `processor`.
    pub(super) async fn open(processor: impl Processor) -> Self {
        Self::new(processor, Duration::from_secs(30), RoomSettings::default()).await
    }

    /// An open house whose patience with the processor is short.
    pub(super) async fn impatient(processor: impl Processor) -> Self {
        Self::new(processor, Duration::from_millis(20), RoomSettings::default()).await
    }

    /// An open house whose rooms are stopped at once when nobody asks them anything.
    pub(super) async fn with_brief_rooms(processor: impl Processor) -> Self {
        let settings = RoomSettings { idle: Duration::from_millis(20), ..RoomSettings::default() };
        Self::new(processor, Duration::from_secs(30), settings).await
    }

    /// An open house whose callers wait no longer than this.
    pub(super) async fn that_waits(processor: impl Processor, answer_within: Duration) -> Self {
        let settings = RoomSettings { answer_within, ..RoomSettings::default() };
        Self::new(processor, Duration::from_secs(30), settings).await
    }

    async fn new(processor: impl Processor, patience: Duration, settings: RoomSettings) -> Self {
        let store = TempStore::new();
        let start = Timestamp::parse("2026-11-21T10:00:00Z").expect("an instant");
        furnish(&store, start);
        Self::over(store, Clock::by_hand(start), processor, patience, settings).await
    }

    /// Ends all that reads and writes by itself.
    pub(super) async fn stop(&self) {
        self.outbox.stop();
        self.pool.stop().await;
        self.supervisor.stop().await;
        self.payments.stop().await;
    }

    /// The same store after the process ended, with another processor.
    pub(super) async fn reopen(self, processor: impl Processor) -> Self {
        self.stop().await;
        let settings = RoomSettings::default();
        Self::over(self.store, self.clock, processor, self.patience, settings).await
    }

    async fn over(
        store: TempStore,
        clock: Clock,
        processor: impl Processor,
        patience: Duration,
        settings: RoomSettings,
    ) -> Self {
        let plain = Store::clone(&store);
        let told = Arc::new(Mutex::new(Vec::new()));
        let ear = Arc::clone(&told);
        let (letters, shut) = (Letters::default(), Arc::new(AtomicBool::new(false)));
        let (post, closed) = (Arc::clone(&letters), Arc::clone(&shut));
        let takes = plain.clone();
        let carry = move |to: Addressee, messages| {
            if closed.load(Ordering::SeqCst) {
                return ready(Err("shut".to_owned())).boxed();
            }
            let mut batch = Batch::new();
            for (id, message) in messages {
                batch.delete(OUTBOX, &to.row(id));
                match (to, message) {
                    (_, Message::Contract(message)) => ear.lock().push(message),
                    (Addressee::Payee(_, payee), Message::Payee(message)) => {
                        post.lock().insert(id, (payee, message));
                    }
                    other => panic!("misled: {other:?}"),
                }
            }
            let takes = takes.clone();
            async move { takes.write(batch).await.map(|_| ()).map_err(|error| error.to_string()) }
                .boxed()
        };
        let (outbox, supervisor) = Outbox::started(plain.clone(), Arc::new(carry));
        let links = LinkTokens::new(&[7; 32]);
        let pool = DeliveryPool::start(
            plain.clone(),
            clock.clone(),
            Entropy,
            DeliverySettings::default(),
            Arc::new(|_, _| Found::Unknown),
            (SecretBox::new(&[7; 32]), links.clone()),
            &supervisor,
        );
        let tools = PaymentTools {
            processors: Processors::new(Arc::new(processor), SecretBox::new(&[7; 32])),
            windows: Windows::default(),
            return_address: OnceLock::new(),
            watchers: Watchers::default(),
            provider_timeout: patience,
            calls: Calls::default(),
        };
        let services = Services {
            keeping: Keeping::new(plain.clone(), clock.clone(), 0),
            directory: Directory::new(
                plain.clone(),
                DirectorySettings { demo_server: true, ..DirectorySettings::default() },
            ),
            store: plain,
            clock: clock.clone(),
            deliveries: pool.clone(),
            outbox: outbox.clone(),
            calendar: Calendar::default(),
            supervisor: supervisor.clone(),
            links,
            mail: MailPolicy::default(),
        };
        let rooms = Rooms::start(services, tools, settings).await.expect("rooms start");
        let payments = Payments::new(rooms);
        Self { store, clock, payments, told, letters, shut, patience, outbox, supervisor, pool }
    }

    pub(super) async fn pay(&self, invoice: u64, number: &str) -> Result<Payment, Refusal> {
        self.payments.pay_invoice(&order(invoice), card(number)).await.map_err(AskError::refusal)
    }

    /// Initiates a payment with a good card.
    pub(super) async fn initiate(&self, order: PaymentOrder) -> Payment {
        match self.payments.initiate(order, good_card()).await.map_err(AskError::refusal) {
            Ok(Once::Made(payment)) => payment,
            other => panic!("not made: {other:?}"),
        }
    }

    /// A payment as its row tells of it.
    pub(super) fn row(&self, id: PaymentId) -> Payment {
        self.payments.get(SELLER, id).expect("readable").expect("there")
    }

    /// The refunds of a payment, oldest first.
    pub(super) fn refunds(&self, id: PaymentId) -> Vec<Refund> {
        self.store.scan(REFUNDS, Scan::prefix(&(SELLER, id))).values().expect("readable")
    }

    pub(super) async fn until_status(&self, id: PaymentId, status: PaymentStatus) {
        until(status.name(), || self.row(id).status == status).await;
    }

    /// From now on no wallet takes a letter.
    pub(super) fn shut_the_wallets(&self) {
        self.shut.store(true, Ordering::SeqCst);
    }

    /// What wallets have been told that they have, once all letters have arrived.
    pub(super) async fn told_wallets(&self) -> i64 {
        self.told_contract().await;
        let letters = self.letters.lock();
        let moves = letters.values().map(|(_, message)| match message {
            PayeeMessage::ShareMoved(notice) => match notice.what {
                ShareMove::Credited => notice.amount.minor,
                ShareMove::TakenBack => -notice.amount.minor,
                ShareMove::Settled => 0,
            },
            PayeeMessage::Deposited(notice) => panic!("a deposit: {notice:?}"),
        });
        moves.sum()
    }

    pub(super) fn pass(&self, seconds: i64) {
        self.clock.push(self.clock.now().plus_seconds(seconds));
    }

    /// Rings every timer that is due; how many were.
    pub(super) async fn ring_due(&self) -> usize {
        let mut rung = 0;
        for kind in [TimerKind::Payment, TimerKind::ProviderCall] {
            for timer in due(&self.store, kind, self.clock.now(), 100).expect("readable") {
                self.payments.run_timer_to_the_end(timer).await.expect("due");
                rung += 1;
            }
        }
        rung
    }

    /// What contracts have been told, once all of it has arrived.
    pub(super) async fn told_contract(&self) -> Vec<ContractMessage> {
        until("the messages are taken", || self.outbox.is_idle()).await;
        self.store.barrier().await;
        self.told.lock().clone()
    }

    /// How many events were told.
    pub(super) fn events(&self) -> usize {
        self.store.scan(EVENTS, Scan::all()).count()
    }

    pub(super) fn close_terminals(&self) {
        let mut batch = Batch::new();
        batch.delete(TERMINALS, &(SELLER, TerminalId(1)));
        self.store.write_blocking(batch).expect("durable");
        self.payments.rooms.services().directory.forget(SELLER);
    }

    /// The first payment, as soon as its beginning is durable.
    pub(super) async fn until_begun(&self) -> Payment {
        let first = || self.store.scan(PAYMENTS, Scan::all()).next();
        until("a payment begins", || first().is_some()).await;
        first().expect("there").expect("a row").1
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
        secret: SecretBox::new(&[7; 32]).seal(
            Place::WebhookSecret(SELLER, WebhookId(1)),
            b"whsec",
            [1; 24],
        ),
        created_at: now,
        updated_at: now,
        ordered: false,
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
        status: TerminalStatus::Active,
        access: None,
        multicapture: true,
    };
    let mut batch = Batch::new();
    batch.put(SELLERS, &SELLER, &Seller { mode: Mode::Demo, ..seller });
    batch.put(WEBHOOKS, &(SELLER, webhook.id), &webhook);
    batch.put(TERMINALS, &(SELLER, terminal.id), &terminal);
    store.write_blocking(batch).expect("durable");
}
