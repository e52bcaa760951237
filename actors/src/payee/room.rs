//! What a payee room keeps in memory, and how decided changes are applied to it.

use std::collections::BTreeMap;

use storage::{Batch, ReadError, Reads, Scan, View};

use super::PayeeTools;
use crate::domain::ids::{PayeeId, PayoutId, PayoutMethodId, SellerId, WalletId};
use crate::domain::money::Currency;
use crate::domain::payments::payee::{Payee, PayeeRefusal};
use crate::domain::payments::payout::{Payout, PayoutStatus};
use crate::domain::payments::payout_method::PayoutMethod;
use crate::domain::payments::vendor;
use crate::domain::payments::wallet::{OWN, Wallet};
use crate::domain::platform::event::ObjectKind;
use crate::domain::platform::seller::Mode;
use crate::domain::refusal::Refusal;
use crate::domain::time::Timestamp;
use crate::kernel::{Context, Room};
use crate::tables::{
    MAIN_WALLETS, OPEN_PAYOUTS, PAYEE_CONTRACTS, PAYEE_HOMES, PAYEES, PAYOUT_METHODS, PAYOUTS,
    WALLETS,
};
use crate::timers::TimerKind;

/// How long a closed payee waits for the one who closed it, in seconds.
const JUDGED_AFTER_SECONDS: i64 = 5;

/// The room of one payee, or under the id [`OWN`] of the seller's own money. Of payouts it knows
/// those that are open; shares of payments, and payouts that are over, are read when they are
/// asked for.
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
}

pub(super) type Cx = Context<PayeeRoom>;

pub enum Change {
    Payee(Box<Payee>),
    /// The payee is in use again, whatever else has become of it.
    Opened,
    PayoutMethod(PayoutMethod),
    Wallet(Wallet),
    Payout {
        /// The status that it had; absent of a new one.
        before: Option<PayoutStatus>,
        after: Box<Payout>,
    },
}

impl Room for PayeeRoom {
    type Id = (SellerId, PayeeId);
    type Change = Change;
    type Tools = PayeeTools;
    const WORKER: &'static str = "rest of payees";
    const KIND: &'static str = "payee";
    const TELLS_OF: ObjectKind = ObjectKind::Payee;

    fn seller((seller, _): Self::Id) -> SellerId {
        seller
    }

    fn object((_, payee): Self::Id) -> u64 {
        payee.0
    }

    fn load(id: Self::Id, store: &View, _: &PayeeTools) -> Result<Self, ReadError> {
        Self::read(id, store)
    }

    fn apply(&mut self, change: Change, rows: &mut Batch) {
        match change {
            Change::Payee(payee) => self.put_payee(*payee, rows),
            Change::Opened => self.open(rows),
            Change::PayoutMethod(method) => self.put_method(method, rows),
            Change::Wallet(wallet) => self.put_wallet(wallet, rows),
            Change::Payout { before, after } => self.put_payout(before, *after, rows),
        }
    }

    /// One timer, for what comes first: a verification that passes, a payout that arrives, or an
    /// archiving that was left halfway.
    fn timers(&mut self) -> BTreeMap<TimerKind, Timestamp> {
        let used = self.payee.as_ref().filter(|payee| !payee.is_archived());
        let verified = used.and_then(|payee| payee.verifies_at);
        let arrivals = self.open.values().filter_map(|payout| payout.completes_at);
        // Whoever closed it judges it at once, unless the program ended in between.
        let judged = self.payee.as_ref().and_then(|payee| payee.closed_at);
        let judged = judged.map(|at| at.plus_seconds(JUDGED_AFTER_SECONDS));
        let first = verified.into_iter().chain(arrivals).chain(judged).min();
        first.map(|at| (TimerKind::Payee, at)).into_iter().collect()
    }
}

impl PayeeRoom {
    /// The room of a payee as its rows stand at one moment.
    pub(super) fn read(id: (SellerId, PayeeId), store: &View) -> Result<Self, ReadError> {
        store.at_one_moment(|rows| Self::of_rows(id, rows))
    }

    /// Reads what the payee's key leads to with one request, and wallets and open payouts with
    /// another.
    fn of_rows((seller, id): (SellerId, PayeeId), rows: &View) -> Result<Self, ReadError> {
        let mut reads = Reads::new();
        let payee = reads.get(PAYEES, &(seller, id));
        let methods = reads.values(PAYOUT_METHODS, Scan::prefix(&(seller, id)));
        let open = reads.keys(OPEN_PAYOUTS, Scan::prefix(&(seller, id)));
        let main = (id == OWN).then(|| reads.keys(MAIN_WALLETS, Scan::prefix(&(seller,))));
        let mut found = rows.read(&reads)?;

        let mut room = Self {
            seller,
            id,
            payee: found.take(payee)?,
            methods: BTreeMap::new(),
            wallets: BTreeMap::new(),
            open: BTreeMap::new(),
        };
        if !room.is_there() {
            return Ok(room);
        }
        let main = main.map(|main| found.take(main)).transpose()?.unwrap_or_default();
        let of_payee = room.payee.iter().flat_map(|payee| payee.wallets.iter().flatten());
        let of_payee = of_payee.map(|wallet| (seller, *wallet));
        let mut reads = Reads::new();
        let wallets = reads.get_many(WALLETS, of_payee.chain(main));
        let open = found.take(open)?.into_iter().map(|(seller, _, payout)| (seller, payout));
        let open = reads.get_many(PAYOUTS, open);
        let mut followed = rows.read(&reads)?;

        let wallets = followed.take(wallets)?.into_iter();
        room.wallets = wallets.map(|wallet| (wallet.id, wallet)).collect();
        let methods = found.take(methods)?.into_iter();
        room.methods = methods.map(|method| (method.id, method)).collect();
        let open = followed.take(open)?.into_iter();
        room.open = open.map(|payout| (payout.id, payout)).collect();
        Ok(room)
    }

    /// Refused as missing when there is no payee; the seller itself is none.
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

    /// Goes on if methods and wallets may be added: not where there is no payee, and not to one
    /// that is archived.
    pub(super) fn in_use(&self) -> Result<(), Refusal> {
        if self.id == OWN {
            return Ok(());
        }
        if self.payee()?.is_archived() { Err(PayeeRefusal::Archived.into()) } else { Ok(()) }
    }

    pub(super) fn wallet_in(&self, currency: Currency, mode: Mode) -> Option<&Wallet> {
        self.wallets.values().find(|wallet| wallet.currency == currency && wallet.mode() == mode)
    }

    fn put_payee(&mut self, after: Payee, rows: &mut Batch) {
        let before = self.payee.as_ref().and_then(|payee| payee.payee_contract_id.as_ref());
        if before != after.payee_contract_id.as_ref() {
            if let Some(old) = before {
                rows.delete(PAYEE_CONTRACTS, &(self.seller, old.clone()));
            }
            if let Some(new) = &after.payee_contract_id {
                rows.claim(PAYEE_CONTRACTS, &(self.seller, new.clone()), &self.id);
            }
        }
        rows.put(PAYEES, &(self.seller, self.id), &after);
        rows.put(PAYEE_HOMES, &self.id, &self.seller);
        self.payee = Some(after);
    }

    fn open(&mut self, rows: &mut Batch) {
        if let Some(payee) = self.payee.clone() {
            self.put_payee(payee.opened(), rows);
        }
    }

    fn put_method(&mut self, method: PayoutMethod, rows: &mut Batch) {
        rows.put(PAYOUT_METHODS, &(self.seller, self.id, method.id), &method);
        self.methods.insert(method.id, method);
    }

    fn put_wallet(&mut self, wallet: Wallet, rows: &mut Batch) {
        let id = wallet.id;
        rows.put(WALLETS, &(self.seller, id), &wallet);
        if self.wallets.insert(id, wallet).is_none() {
            self.list_wallet(id, rows);
        }
    }

    fn list_wallet(&mut self, id: WalletId, rows: &mut Batch) {
        let Some(payee) = &mut self.payee else {
            rows.put(MAIN_WALLETS, &(self.seller, id), &());
            return;
        };
        if payee.wallets.as_ref().is_none_or(|known| !known.contains(&id)) {
            payee.wallets = Some(self.wallets.keys().copied().collect());
            rows.put(PAYEES, &(self.seller, self.id), payee);
        }
    }

    fn put_payout(&mut self, before: Option<PayoutStatus>, payout: Payout, rows: &mut Batch) {
        let (id, row) = (payout.id, (self.seller, self.id, payout.id));
        rows.put(PAYOUTS, &(self.seller, id), &payout);
        let was_open = self.open.contains_key(&id);
        let payee = self.payee.as_ref();
        if let Some(payee) = payee.and_then(|payee| vendor::counted(payee, before, &payout)) {
            self.put_payee(payee, rows);
        }
        if payout.is_open() {
            self.open.insert(id, payout);
        } else {
            self.open.remove(&id);
        }
        match (was_open, self.open.contains_key(&id)) {
            (false, true) => rows.put_new(OPEN_PAYOUTS, &row, &()),
            (true, false) => rows.delete(OPEN_PAYOUTS, &row),
            _ => {}
        }
    }
}
