//! The state of a payee room and its dispatcher.

use std::collections::BTreeMap;

use storage::{ReadError, Scan, Store};

use super::command::{Command, PayeeTools};
use crate::domain::ids::{
    MessageId, PayeeId, PaymentId, PayoutId, PayoutMethodId, SellerId, WalletId, WebhookId,
};
use crate::domain::money::Currency;
use crate::domain::payments::payee::Payee;
use crate::domain::payments::payout::Payout;
use crate::domain::payments::payout_method::PayoutMethod;
use crate::domain::payments::share::Share;
use crate::domain::payments::wallet::{OWN, Wallet};
use crate::domain::platform::seller::Mode;
use crate::domain::platform::webhook::Webhook;
use crate::domain::refusal::Refusal;
use crate::domain::time::Timestamp;
use crate::query;
use crate::room::{Desk, Recent, Room};
use crate::tables::{OPEN_PAYOUTS, PAYEES, PAYOUT_METHODS, PAYOUTS};
use crate::timers::{TimerKind, Timers};

/// The room of one payee, or under the id [`OWN`] of the seller's own money. Of payouts it knows those that are open; shares of payments, and payouts
/// that are over, are read when they are asked for.
#[derive(Debug)]
pub struct PayeeRoom {
    pub(super) seller: SellerId,
    pub(super) id: PayeeId,
    /// Absent until the payee is made; the seller itself is none.
    pub(super) payee: Option<Payee>,
    /// Deleted ones too.
    pub(super) methods: BTreeMap<PayoutMethodId, PayoutMethod>,
    pub(super) wallets: BTreeMap<WalletId, Wallet>,
    /// Payouts whose money is reserved.
    pub(super) open: BTreeMap<PayoutId, Payout>,
    pub(super) timers: Timers,
    /// Payouts that this room moved lately.
    pub(super) payouts: Recent<PayoutId, Payout>,
    /// Shares that this room moved lately.
    pub(super) shares: Recent<(PaymentId, WalletId), Share>,
    /// Call-backs that this room made lately.
    pub(super) hooks: Recent<WebhookId, Webhook>,
    /// Messages that this room is just taking.
    pub(super) taken: Recent<MessageId, ()>,
    /// Keys that this room is just spending.
    pub(super) spent: Recent<(&'static str, String), ()>,
    /// Keys of payouts that this room is just spending.
    pub(super) payout_keys: Recent<String, ()>,
}

impl Room for PayeeRoom {
    type Id = (SellerId, PayeeId);
    type Command = Command;
    type Tools = PayeeTools;
    const KIND: &'static str = "payee";

    fn load(
        (seller, id): (SellerId, PayeeId),
        store: &Store,
        _: &PayeeTools,
    ) -> Result<Self, ReadError> {
        let mut room = Self {
            seller,
            id,
            payee: store.get(PAYEES, &(seller, id))?,
            methods: BTreeMap::new(),
            wallets: BTreeMap::new(),
            open: BTreeMap::new(),
            timers: Timers::default(),
            payouts: Recent::default(),
            shares: Recent::default(),
            hooks: Recent::default(),
            taken: Recent::default(),
            spent: Recent::default(),
            payout_keys: Recent::default(),
        };
        let wallets = match &room.payee {
            Some(payee) => query::wallets_of(store, payee)?,
            None if id == OWN => query::main_wallets(store, seller)?,
            None => return Ok(room),
        };
        room.wallets = wallets.into_iter().map(|wallet| (wallet.id, wallet)).collect();
        for row in store.scan(PAYOUT_METHODS, Scan::prefix(&(seller, id))) {
            let ((_, _, key), method) = row?;
            room.methods.insert(key, method);
        }
        for row in store.scan(OPEN_PAYOUTS, Scan::prefix(&(seller, id))) {
            let ((_, _, key), ()) = row?;
            if let Some(payout) = store.get(PAYOUTS, &(seller, key))? {
                room.open.insert(key, payout);
            }
        }
        // Timers are always written with the change that wants them, so these are on disk.
        room.timers = Timers::known(room.wanted_timers());
        Ok(room)
    }

    async fn handle(&mut self, command: Command, desk: &Desk<Self>) {
        match command {
            Command::Open { payee, wallets, reply } => self.open(desk, *payee, wallets, reply),
            Command::OpenOwn { wallet, reply } => self.open_own(desk, *wallet, reply),
            Command::Create { order, spend, reply } => self.create(desk, *order, spend, reply),
            Command::Patch { patch, reply } => self.patch(desk, *patch, reply),
            Command::Archive { reply } => self.archive(desk, reply),
            Command::Decide { decision, reply } => self.decide(desk, decision, reply),
            Command::AddMethod { account, spend, reply } => {
                self.add_method(desk, &account, spend, reply);
            }
            Command::SaveOwnMethod { account, reply } => {
                self.save_own_method(desk, &account, reply);
            }
            Command::DeleteMethod { method, reply } => self.delete_method(desk, method, reply),
            Command::ProvideWallet { currency, spend, reply } => {
                self.provide_wallet(desk, currency, spend, reply);
            }
            Command::Pay { order, key, reply } => self.pay(desk, &order, key, reply),
            Command::MovePayout { payout, action, reply } => {
                self.move_payout(desk, payout, &action, reply);
            }
            Command::Take { letters, reply } => self.take(desk, letters, reply),
            Command::Vendor(command) => self.vendor(desk, command),
            Command::TimerRang { reply } => self.timer_rang(desk, reply),
            #[cfg(feature = "faults")]
            Command::Panic { .. } => panic!("a test asked the payee room to panic"),
        }
    }
}

impl PayeeRoom {
    /// The payee as it stands.
    ///
    /// # Errors
    /// When there is none.
    pub(super) fn payee(&self) -> Result<&Payee, Refusal> {
        self.payee.as_ref().ok_or_else(Refusal::missing)
    }

    /// Whose money this is, as wallets and payouts say it: a payee's, or the seller's own.
    pub(super) fn holder(&self) -> Option<PayeeId> {
        (self.id != OWN).then_some(self.id)
    }

    /// Whether money may be held here: for the seller itself, and for a payee that was made.
    pub(super) fn is_there(&self) -> bool {
        self.payee.is_some() || self.id == OWN
    }

    /// The payee's wallet of a currency and mode.
    pub(super) fn wallet_in(&self, currency: Currency, mode: Mode) -> Option<&Wallet> {
        self.wallets.values().find(|wallet| wallet.currency == currency && wallet.mode() == mode)
    }

    /// The timers that this payee wants as it stands: one, for what comes first.
    pub(super) fn wanted_timers(&self) -> BTreeMap<TimerKind, Timestamp> {
        let verified = self.payee.as_ref().and_then(|payee| payee.verifies_at);
        let arrivals = self.open.values().filter_map(|payout| payout.completes_at);
        let first = verified.into_iter().chain(arrivals).min();
        first.map(|at| (TimerKind::Payee, at)).into_iter().collect()
    }
}

/// A row that cannot be read: for the log, not for the caller.
pub(super) fn unreadable(error: &ReadError) -> Refusal {
    tracing::error!(%error, "a payee room cannot read");
    Refusal::fault()
}
