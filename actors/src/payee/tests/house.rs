//! A running system with one minted account, whose payees are given money by messages.

use std::sync::atomic::{AtomicU64, Ordering};

use dashmap::DashSet;
use serde_json::{Value, json};
use storage::testing::TempStore;
use storage::{Batch, Scan};

use crate::clock::Clock;
use crate::domain::ids::WalletId;
use crate::domain::ids::{MessageId, PayeeId, PaymentId, PayoutId, PayoutMethodId, SellerId};
use crate::domain::messages::{Envelope, PayeeMessage, ShareNotice};
use crate::domain::money::{Currency, Money};
use crate::domain::payments::bank::BankAccount;
use crate::domain::payments::ledger::{Account, Entry};
use crate::domain::payments::payee::{NewPayee, Role};
use crate::domain::payments::payout::{Action, Payout, PayoutOrder};
use crate::domain::payments::share::ShareMove;
use crate::domain::payments::wallet::{OWN, Wallet};
use crate::domain::platform::idempotency_key::{BodyKey, KeyedRequest};
use crate::domain::platform::seller::Mode;
use crate::domain::platform::webhook::Registration;
use crate::domain::refusal::Refusal;
use crate::kernel::{AskError, KeyClaim, Once};
use crate::outbox::Outbox;
use crate::payee::{CreatedPayout, PayeeOrder};
use crate::query;
use crate::system::{System, SystemSettings};
use crate::tables::{EVENTS, POSTINGS, ids};
use crate::testing::{Running, until};

pub(super) struct House {
    pub(super) store: TempStore,
    pub(super) clock: Clock,
    pub(super) system: System,
    pub(super) seller: SellerId,
    pub(super) payee: PayeeId,
    pub(super) wallet: WalletId,
    /// The seller's own wallet.
    pub(super) own: WalletId,
    pub(super) method: PayoutMethodId,
    drawn: AtomicU64,
    sent: DashSet<MessageId>,
}

impl House {
    /// An open house. Nothing falls due before its clock is pushed.
    pub(super) async fn open() -> Self {
        let settings = SystemSettings::testing();
        let Running { store, clock, system, minted } = Running::open(settings).await;
        let (payee, wallet) = (minted.payees[0].clone(), minted.payee_wallets[0].clone());
        let (seller, id) = (minted.seller.id, payee.id);
        let main = minted.wallet.expect("a main wallet");
        let own = main.id;
        system.payees.ensure_main_wallet(main).await.expect("opened");
        let opened = system.payees.ensure_payee(payee, vec![wallet.clone()]).await;
        opened.expect("opened");
        let method = query::first_payout_method(&store, seller, id).expect("readable");
        let method = method.expect("a method").id;
        let wallet = wallet.id;
        let drawn = AtomicU64::new(1);
        let sent = DashSet::new();
        Self { store, clock, system, seller, payee: id, wallet, own, method, drawn, sent }
    }

    /// Stops the system, closes the store, and starts again from what is on the disk.
    pub(super) async fn restart(&mut self) {
        self.restart_with(7).await;
    }

    /// The same with another key: what was sealed before stays shut.
    pub(super) async fn lose_key(&mut self) {
        self.restart_with(8).await;
    }

    async fn restart_with(&mut self, key: u8) {
        self.system.stop().await;
        self.store.reopen();
        self.system = start(&self.store, &self.clock, key).await;
    }

    /// A webhook that nobody answers, so that every event leaves a delivery.
    pub(super) async fn listen(&self) {
        let registration = Registration {
            url: Some("https://hook.invalid/".to_owned()),
            event_types: None,
            ..Registration::default()
        };
        let made = self.system.sellers.register_webhook(
            self.seller,
            registration,
            spend("webhooks", "listen", &json!({})),
        );
        made.await.expect("registered");
    }

    /// The types of all events so far, oldest first.
    pub(super) fn events(&self) -> Vec<&'static str> {
        let rows = self.store.scan(EVENTS, Scan::all());
        rows.map(|row| row.expect("a row").1.kind.name()).collect()
    }

    pub(super) fn message(&self, what: ShareMove, payment: u64, minor: i64) -> PayeeMessage {
        PayeeMessage::ShareMoved(ShareNotice {
            what,
            payment: PaymentId(payment),
            reference: format!("order-{payment}"),
            amount: Money::new(minor, Currency::EUR).expect("money"),
            at: self.clock.now(),
            mode: Mode::Demo,
        })
    }

    pub(super) fn next_message(&self) -> MessageId {
        MessageId(self.store.next_id_in(ids::MESSAGE, self.seller.shard()))
    }

    /// Brings the payee a move of its share of a payment.
    pub(super) async fn share(&self, what: ShareMove, payment: u64, minor: i64) {
        let (id, message) = (self.next_message(), self.message(what, payment, minor));
        self.take(self.payee, id, message).await.expect("taken");
    }

    /// Brings the seller's own money a move of its share of a payment.
    pub(super) async fn share_own(&self, what: ShareMove, payment: u64, minor: i64) {
        let (id, message) = (self.next_message(), self.message(what, payment, minor));
        self.take(OWN, id, message).await.expect("taken");
    }

    /// Brings a message to a payee; it was sent once, however often it comes.
    pub(super) async fn take(
        &self,
        payee: PayeeId,
        id: MessageId,
        message: PayeeMessage,
    ) -> Result<(), AskError> {
        self.send(payee, id, &message);
        self.system.payees.take(self.seller, payee, vec![(id, message)]).await
    }

    /// Puts a message on its way, unless it was sent before.
    pub(super) fn send(&self, payee: PayeeId, id: MessageId, message: &PayeeMessage) {
        if self.sent.insert(id) {
            let mut batch = Batch::new();
            let envelope = Envelope::to_payee(self.seller, payee, message.clone());
            Outbox::stage(&mut batch, id, &envelope);
            self.store.write_blocking(batch).expect("durable");
        }
    }

    /// Puts a message where a process that ended has left it.
    pub(super) fn leave_in_outbox(&self, message: PayeeMessage) -> MessageId {
        self.leave_for(self.payee, message)
    }

    pub(super) fn leave_for(&self, payee: PayeeId, message: PayeeMessage) -> MessageId {
        let id = self.next_message();
        self.send(payee, id, &message);
        id
    }

    /// Gives the payee settled money of one payment.
    pub(super) async fn fund(&self, payment: u64, minor: i64) {
        self.share(ShareMove::Credited, payment, minor).await;
        self.share(ShareMove::Settled, payment, minor).await;
    }

    pub(super) fn order(&self, amount_minor: i64) -> PayoutOrder {
        PayoutOrder {
            payee: self.payee,
            wallet: self.wallet,
            method: self.method,
            amount_minor,
            currency: Currency::EUR,
            call_back: None,
        }
    }

    /// Asks for a payout under a key of its own.
    pub(super) async fn pay(&self, amount_minor: i64) -> Result<Payout, Refusal> {
        let key = format!("key-{}", self.drawn.fetch_add(1, Ordering::Relaxed));
        let paid =
            self.system.payees.create_payout(self.seller, self.order(amount_minor), &key).await;
        match paid.map_err(AskError::refusal)? {
            Once::Made(CreatedPayout { payout, .. }) => Ok(payout),
            Once::Before => panic!("the key was fresh"),
        }
    }

    pub(super) async fn act(&self, payout: PayoutId, action: Action) -> Result<Payout, Refusal> {
        let moved = self.system.payees.move_payout(self.seller, self.payee, payout, action).await;
        moved.map_err(AskError::refusal)
    }

    pub(super) fn wallet(&self, id: WalletId) -> Wallet {
        let wallet = query::wallet(&self.store, self.seller, id).expect("readable");
        wallet.expect("a wallet")
    }

    /// Pending, available and reserved of the payee's wallet.
    pub(super) fn balances(&self) -> (i64, i64, i64) {
        self.balances_of(self.wallet)
    }

    /// Pending, available and reserved, held against the sums of the postings.
    pub(super) fn balances_of(&self, id: WalletId) -> (i64, i64, i64) {
        let wallet = self.wallet(id);
        let entries = self.entries_of(id);
        assert!(entries.iter().all(|entry| entry.sum() == 0));
        let on = |account| entries.iter().map(|entry| entry.amount_to(account)).sum::<i64>();
        let balances = (wallet.pending_minor, wallet.available_minor, wallet.reserved_minor);
        let sums = (on(Account::Pending), on(Account::Available), on(Account::Reserved));
        assert_eq!(balances, sums, "the wallet is the sum of its postings");
        balances
    }

    pub(super) fn entries(&self) -> Vec<Entry> {
        self.entries_of(self.wallet)
    }

    pub(super) fn entries_of(&self, id: WalletId) -> Vec<Entry> {
        let rows = self.store.scan(POSTINGS, Scan::prefix(&(self.seller, id)));
        rows.map(|row| row.expect("a row").1).collect()
    }

    /// What a payout took of a payment, and what has become of it.
    pub(super) fn parts_of(&self, payment: u64) -> Vec<(PayoutId, &'static str, i64)> {
        let parts = query::attributions(&self.store, self.seller, PaymentId(payment));
        let tell = |part: query::Attribution| {
            (part.payout.id, part.payout.attribution().name(), part.attributed_minor)
        };
        parts.expect("readable").into_iter().map(tell).collect()
    }

    pub(super) fn pass(&self, seconds: i64) {
        self.clock.push(self.clock.now().plus_seconds(seconds));
    }

    /// Waits until something is so.
    pub(super) async fn until(&self, what: &str, is_so: impl FnMut() -> bool) {
        until(what, is_so).await;
    }
}

pub(super) fn new_payee(contract_id: Option<&str>) -> NewPayee {
    NewPayee {
        payee_contract_id: contract_id.map(str::to_owned),
        tax_id: Some("12345678901".into()),
        ..NewPayee::named("Ada", Role::Contractor)
    }
}

pub(super) fn account() -> BankAccount {
    BankAccount::of_iban(Currency::EUR, "NO9386011117947").expect("sound")
}

pub(super) fn whole_order(contract_id: &str) -> PayeeOrder {
    PayeeOrder {
        payee: new_payee(Some(contract_id)),
        method: Some(account()),
        wallet: Some(Currency::EUR),
    }
}

pub(super) fn spend(endpoint: &'static str, key: &str, body: &Value) -> KeyClaim {
    let server = BodyKey::derive(b"secret");
    let request = KeyedRequest::of(&server, key, &[], body.to_string().as_bytes(), 0);
    KeyClaim { endpoint, key: key.to_owned(), request }
}

async fn start(store: &TempStore, clock: &Clock, key: u8) -> System {
    let settings = SystemSettings::testing();
    let (store, key) = (store.store().clone(), [key; 32]);
    System::start(store, clock.clone(), &key, settings).await.expect("started")
}
