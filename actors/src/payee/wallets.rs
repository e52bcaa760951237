//! The wallets of a payee, or of the seller: one for each currency and mode.

use std::collections::BTreeMap;

use super::Payees;
use super::room::{Change, Cx, PayeeRoom};
use crate::domain::ids::{PayeeId, PostingId, SellerId, WalletId};
use crate::domain::money::Currency;
use crate::domain::payments::book::{Movement, Mover};
use crate::domain::payments::payee::reopened;
use crate::domain::payments::wallet::{OWN, Wallet};
use crate::domain::platform::seller::Mode;
use crate::kernel::{AskError, Decision, Effects, KeyClaim, Once};
use crate::tables::{POSTINGS, ids};

impl Payees {
    /// Makes a main wallet of the seller, unless there is one of its currency and mode.
    pub async fn ensure_main_wallet(&self, wallet: Wallet) -> Result<(), AskError> {
        let id = (wallet.seller, OWN);
        let decide = move |room: &PayeeRoom, _: &Cx| {
            if room.wallet_in(wallet.currency, wallet.mode()).is_some() {
                return Ok(Decision::unchanged(()));
            }
            let mut effects = Effects::new();
            effects.change(Change::Wallet(wallet.clone()));
            Ok(effects.answer(()))
        };
        self.rooms.command(id, decide).await
    }

    /// Finds or makes a payee's wallet in a currency; true when it was made. Refused when the payee
    /// is archived.
    pub async fn find_or_create_wallet(
        &self,
        seller: SellerId,
        id: PayeeId,
        currency: Currency,
        claim: KeyClaim,
    ) -> Result<Once<(Wallet, bool)>, AskError> {
        let decide = move |room: &PayeeRoom, cx: &Cx| {
            claim.check(cx, seller)?;
            room.in_use()?;
            let mode = cx.seller()?.seller.mode;
            let found = room.wallet_in(currency, mode).cloned();
            let is_new = found.is_none();
            let wallet = found.unwrap_or_else(|| room.new_wallet(cx, currency, mode));
            let mut effects = Effects::new();
            claim.hold(&mut effects, seller, wallet.id.0);
            if is_new {
                effects.change(Change::Wallet(wallet.clone()));
            }
            Ok(effects.answer((wallet, is_new)))
        };
        self.rooms.once((seller, id), decide).await
    }
}

impl PayeeRoom {
    pub(super) fn new_wallet(&self, cx: &Cx, currency: Currency, mode: Mode) -> Wallet {
        let id = WalletId(cx.id(ids::WALLET));
        Wallet::empty(id, self.seller, self.holder(), currency).made(mode, cx.now())
    }
}

/// The wallets of a room as a decision of several steps has them so far.
pub(super) struct Wallets<'a> {
    room: &'a PayeeRoom,
    changed: BTreeMap<WalletId, Wallet>,
}

impl<'a> Wallets<'a> {
    pub(super) fn of(room: &'a PayeeRoom) -> Self {
        Self { room, changed: BTreeMap::new() }
    }

    pub(super) fn get(&self, id: WalletId) -> Option<&Wallet> {
        self.changed.get(&id).or_else(|| self.room.wallets.get(&id))
    }

    pub(super) fn find(&self, currency: Currency, mode: Mode) -> Option<&Wallet> {
        let wanted = |wallet: &&Wallet| wallet.currency == currency && wallet.mode() == mode;
        self.changed.values().find(wanted).or_else(|| self.room.wallet_in(currency, mode))
    }

    pub(super) fn ensure(&mut self, cx: &Cx, currency: Currency, mode: Mode) {
        if self.find(currency, mode).is_none() {
            let wallet = self.room.new_wallet(cx, currency, mode);
            self.changed.insert(wallet.id, wallet);
        }
    }

    pub(super) fn post(
        &mut self,
        cx: &Cx,
        effects: &mut Effects<PayeeRoom>,
        movement: Movement,
        of: Mover<'_>,
    ) {
        let (wallet, entry) = movement.post(PostingId(cx.id(ids::POSTING)), cx.now(), of);
        effects.put(POSTINGS, &(self.room.seller, wallet.id, entry.id), &entry);
        self.changed.insert(wallet.id, wallet);
    }

    /// Changes the wallets, and takes an archived payee into use again that gets money.
    pub(super) fn change(self, cx: &Cx, effects: &mut Effects<PayeeRoom>) {
        let Self { room, mut changed } = self;
        let all = room.wallets.iter().filter(|(id, _)| !changed.contains_key(id));
        let all = all.map(|(_, wallet)| wallet).chain(changed.values());
        let payee = room.payee.as_ref();
        if let Some(wallets) = payee.and_then(|known| reopened(known, all, changed.values())) {
            changed.extend(wallets.into_iter().map(|wallet| (wallet.id, wallet)));
            room.reopen(cx, effects);
        }
        for wallet in changed.into_values() {
            effects.change(Change::Wallet(wallet));
        }
    }
}
