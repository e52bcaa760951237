//! One change of a payee on its way to the disk: rows, claims, ledger, events, call-backs and
//! timer, all in one batch.

use std::collections::BTreeSet;
use std::sync::Arc;

use storage::{Batch, Claimed, Receipt};

use super::record::{PayoutHome, PayoutPlaces};
use super::room::PayeeRoom;
use crate::delivery::{Origin, stage_events};
use crate::directory::SellerSnapshot;
use crate::domain::ids::{PostingId, WalletId, WebhookId};
use crate::domain::payments::book::{Movement, Mover};
use crate::domain::payments::payee::{Payee, PayeeChange, PayeeRefusal};
use crate::domain::payments::payout::{Payout, PayoutChange, payout_event};
use crate::domain::payments::payout_method::PayoutMethod;
use crate::domain::payments::vendor;
use crate::domain::payments::wallet::Wallet;
use crate::domain::platform::event::{EventType, NewEvent};
use crate::domain::platform::seller::Mode;
use crate::domain::platform::webhook::Webhook;
use crate::domain::refusal::Refusal;
use crate::domain::time::Timestamp;
use crate::room::{Desk, Refused, Reply};
use crate::seller::{SpendKey, Spent};
use crate::tables::{
    EVENT_IDS, MAIN_WALLETS, OPEN_PAYOUTS, PAYEE_CONTRACTS, PAYEE_HOMES, PAYEES, PAYOUT_HOMES,
    PAYOUT_HOOKS, PAYOUT_METHODS, PAYOUTS, POST_KEYS, POSTINGS, WALLET_PAYOUTS, WALLETS, ids,
};

/// A change in the making. The room's memory is changed along with it; both are handed over
/// together by [`finish`](Write::finish).
pub(super) struct Write {
    pub(super) batch: Batch,
    pub(super) snapshot: Arc<SellerSnapshot>,
    pub(super) now: Timestamp,
    /// The wallets that have changed.
    wallets: BTreeSet<WalletId>,
    events: Vec<NewEvent>,
    /// Events for one call-back each.
    calls: Vec<(Arc<Webhook>, NewEvent)>,
}

impl Write {
    /// A write for the payee's seller, at the present instant.
    ///
    /// # Errors
    /// When the seller cannot be read.
    pub(super) fn new(room: &PayeeRoom, desk: &Desk<PayeeRoom>) -> Result<Self, Refusal> {
        let snapshot = desk.tools().directory.seller(room.seller);
        let snapshot = snapshot.map_err(|error| super::room::unreadable(&error))?;
        Ok(Self {
            batch: Batch::new(),
            snapshot: snapshot.ok_or_else(Refusal::missing)?,
            now: desk.now(),
            wallets: BTreeSet::new(),
            events: Vec::new(),
            calls: Vec::new(),
        })
    }

    /// The mode of the account.
    pub(super) fn mode(&self) -> Mode {
        self.snapshot.seller.mode
    }

    /// Takes in what a rule made of the payee.
    pub(super) fn payee(&mut self, room: &mut PayeeRoom, change: PayeeChange) {
        let change = vendor::follow(room.payee.as_ref(), change, self.mode(), self.now);
        self.events.extend(change.events);
        self.put_payee(room, change.payee);
    }

    /// Puts the payee's row, and claims the seller's own name for it.
    pub(super) fn put_payee(&mut self, room: &mut PayeeRoom, after: Payee) {
        let before = room.payee.as_ref().and_then(|payee| payee.payee_contract_id.clone());
        if before != after.payee_contract_id {
            if let Some(old) = before {
                self.batch.delete(PAYEE_CONTRACTS, &(room.seller, old));
            }
            if let Some(new) = &after.payee_contract_id {
                self.batch.claim(PAYEE_CONTRACTS, &(room.seller, new.clone()), &room.id.0);
            }
        }
        self.batch.put(PAYEES, &(room.seller, room.id), &after);
        self.batch.put(PAYEE_HOMES, &room.id, &room.seller.0);
        room.payee = Some(after);
    }

    pub(super) fn method(&mut self, room: &mut PayeeRoom, method: PayoutMethod) {
        self.batch.put(PAYOUT_METHODS, &(room.seller, room.id, method.id), &method);
        room.methods.insert(method.id, method);
    }

    /// Changes a wallet; its row is put once, as it is in the end.
    pub(super) fn wallet(&mut self, room: &mut PayeeRoom, wallet: Wallet) {
        self.wallets.insert(wallet.id);
        room.wallets.insert(wallet.id, wallet);
    }

    /// Puts a wallet that is new, and makes it known to whose it is.
    pub(super) fn new_wallet(&mut self, room: &mut PayeeRoom, wallet: Wallet) {
        self.wallet(room, wallet);
        if room.holder().is_none() {
            // All of them: the first sellers' were not listed.
            for id in room.wallets.keys() {
                self.batch.put(MAIN_WALLETS, &(room.seller, *id), &());
            }
        }
        if let Some(payee) = room.payee.clone() {
            let wallets = Some(room.wallets.keys().copied().collect());
            self.put_payee(room, Payee { wallets, ..payee });
        }
    }

    /// Puts a movement: the wallet as it is afterwards, and its entry in the ledger.
    pub(super) fn movement(
        &mut self,
        room: &mut PayeeRoom,
        desk: &Desk<PayeeRoom>,
        movement: Movement,
        of: Mover<'_>,
    ) {
        let entry = movement.entry(PostingId(desk.next_id(ids::POSTING)), self.now, of);
        self.batch.put(POSTINGS, &(room.seller, movement.wallet.id, entry.id), &entry);
        self.wallet(room, movement.wallet);
    }

    /// Puts what a payout needs only once: where it is at home, and which money it took.
    pub(super) fn first_payout(&mut self, room: &PayeeRoom, payout: &Payout) {
        let home = PayoutHome { seller: room.seller, payee: payout.payee };
        self.batch.put(PAYOUT_HOMES, &payout.id, &home);
        let places = PayoutPlaces(payout.spans.clone());
        self.batch.put(WALLET_PAYOUTS, &(room.seller, payout.wallet, payout.id), &places);
        self.batch.put(OPEN_PAYOUTS, &(room.seller, room.id, payout.id), &());
    }

    /// Takes in what a rule made of a payout.
    pub(super) fn payout(
        &mut self,
        room: &mut PayeeRoom,
        desk: &Desk<PayeeRoom>,
        change: PayoutChange,
    ) {
        let PayoutChange { payout, movement, events } = change;
        if let Some(movement) = movement {
            self.movement(room, desk, movement, Mover::Payout(payout.id));
        }
        self.batch.put(PAYOUTS, &(room.seller, payout.id), &payout);
        let begun = room.open.contains_key(&payout.id);
        if let Some(payee) = room.payee.as_ref().and_then(|p| vendor::counted(p, begun, &payout)) {
            self.put_payee(room, payee);
        }
        if payout.is_open() {
            room.open.insert(payout.id, payout.clone());
        } else if room.open.remove(&payout.id).is_some() {
            self.batch.delete(OPEN_PAYOUTS, &(room.seller, room.id, payout.id));
        }
        self.events.extend(events);
        room.payouts.note(desk, payout.id, payout);
    }

    /// Calls the payout's own address, if it has one.
    pub(super) fn call_back(
        &mut self,
        room: &PayeeRoom,
        desk: &Desk<PayeeRoom>,
        payout: &Payout,
    ) -> Result<(), Refusal> {
        let Some(id) = payout.call_back else { return Ok(()) };
        let read = || desk.store().get(PAYOUT_HOOKS, &(room.seller, id));
        let hook = room.hooks.get(&id, read).map_err(|error| super::room::unreadable(&error))?;
        let event = payout_event(payout, EventType::PayoutUpdated);
        self.calls.extend(hook.map(|hook| (Arc::new(hook), event)));
        Ok(())
    }

    /// Puts a call-back that is new.
    pub(super) fn hook(&mut self, room: &mut PayeeRoom, desk: &Desk<PayeeRoom>, hook: Webhook) {
        let id: WebhookId = hook.id;
        self.batch.put(PAYOUT_HOOKS, &(room.seller, id), &hook);
        room.hooks.note(desk, id, hook);
    }

    /// Spends a key with what it has made.
    pub(super) fn spend(
        &mut self,
        room: &mut PayeeRoom,
        desk: &Desk<PayeeRoom>,
        spend: SpendKey,
        object: u64,
    ) {
        let row = (room.seller, spend.endpoint.to_owned(), spend.key.clone());
        // Other payees' rooms may be spending the same key.
        self.batch.claim(POST_KEYS, &row, &spend.request.made(object));
        room.spent.note(desk, (spend.endpoint, spend.key), ());
    }

    /// Hands the change in. `answer` makes the caller's answer once it is durable or refused.
    pub(super) fn finish<T: Send + 'static>(
        mut self,
        room: &mut PayeeRoom,
        desk: &Desk<PayeeRoom>,
        reply: Reply<T>,
        answer: impl FnOnce(Result<Receipt, Refused>) -> T + Send + 'static,
    ) {
        for wallet in self.wallets.iter().filter_map(|id| room.wallets.get(id)) {
            self.batch.put(WALLETS, &(room.seller, wallet.id), wallet);
        }
        let wanted = room.wanted_timers();
        room.timers.set(&mut self.batch, room.seller, room.id.0, wanted);
        let seller = &self.snapshot.seller;
        let origin = Origin { seller: seller.id, uuid: seller.uuid, now: self.now };
        let next = || desk.next_id(EVENT_IDS);
        let webhooks = &self.snapshot.webhooks;
        let mut staged = stage_events(&mut self.batch, &origin, webhooks, self.events, next);
        for (hook, event) in self.calls {
            staged.append(stage_events(&mut self.batch, &origin, &[hook], vec![event], next));
        }
        let pool = desk.tools().deliveries.clone();
        desk.commit(self.batch, reply, move |result| {
            if result.is_ok() {
                pool.notify(staged);
            }
            answer(result)
        });
    }
}

/// A write under a key of the payments surface: a key that another room has just spent is no
/// fault.
pub(super) fn spent<T>(result: Result<Receipt, Refused>, made: T) -> Result<Spent<T>, Refusal> {
    match result {
        Ok(_) => Ok(Spent::Made(made)),
        Err(Refused::Claimed(Claimed { tag, .. })) if tag == POST_KEYS.tag() => Ok(Spent::Before),
        Err(refused) => Err(self::refused(refused)),
    }
}

/// What a refused batch means to the caller.
pub(super) fn refused(refused: Refused) -> Refusal {
    match refused {
        Refused::Claimed(Claimed { tag, .. }) if tag == PAYEE_CONTRACTS.tag() => {
            PayeeRefusal::ContractIdTaken.into()
        }
        refused => {
            tracing::error!(?refused, "a payee room's batch was refused");
            Refusal::fault()
        }
    }
}
