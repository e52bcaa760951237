//! Messages of other rooms that bring a payee its shares of payments, or a seller its deposits:
//! each is taken once, however often it comes, and those that come together are one write.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use super::Payees;
use super::room::{Cx, PayeeRoom};
use super::wallets::Wallets;
use crate::domain::ids::{MessageId, PayeeId, PaymentId, SellerId, WalletId};
use crate::domain::messages::{Addressee, DepositNotice, PayeeMessage, ShareNotice};
use crate::domain::payments::book::{Mover, ShareNews, WalletFull, deposited, share_moved};
use crate::domain::payments::share::Share;
use crate::domain::payments::wallet::Wallet;
use crate::domain::refusal::Refusal;
use crate::kernel::{AskError, Decision, Effects};
use crate::tables::{OUTBOX, SHARES};

impl Payees {
    /// Brings messages to a payee, which takes those that it has not taken: all of them or none.
    pub async fn take(
        &self,
        seller: SellerId,
        id: PayeeId,
        messages: Vec<(MessageId, PayeeMessage)>,
    ) -> Result<(), AskError> {
        self.rooms.command((seller, id), move |room, cx| room.take(cx, &messages)).await
    }
}

impl PayeeRoom {
    fn take(
        &self,
        cx: &Cx,
        messages: &[(MessageId, PayeeMessage)],
    ) -> Result<Decision<Self, ()>, Refusal> {
        let rows: Vec<_> = messages
            .iter()
            .map(|(id, _)| Addressee::Payee(self.seller, self.id).row(*id))
            .collect();
        let there = cx.contain(OUTBOX, &rows)?;
        let mut intake = Intake::new(self, cx, messages)?;
        let mut taken = HashSet::new();
        for (((id, message), row), is_there) in messages.iter().zip(&rows).zip(there) {
            if !is_there || !taken.insert(*id) {
                continue;
            }
            intake.take(message);
            intake.effects.delete(OUTBOX, row);
        }
        if taken.is_empty() {
            return Ok(Decision::unchanged(()));
        }
        Ok(intake.finish().answer(()))
    }
}

/// Messages in the taking, with the wallets and shares as those so far have left them.
struct Intake<'a> {
    room: &'a PayeeRoom,
    cx: &'a Cx,
    effects: Effects<PayeeRoom>,
    wallets: Wallets<'a>,
    /// Those that the messages tell of, as they were and as they are.
    known: BTreeMap<ShareKey, Share>,
    moved: BTreeMap<ShareKey, Share>,
}

type ShareKey = (PaymentId, WalletId);

impl<'a> Intake<'a> {
    fn new(
        room: &'a PayeeRoom,
        cx: &'a Cx,
        messages: &[(MessageId, PayeeMessage)],
    ) -> Result<Self, Refusal> {
        let wallets = Wallets::of(room);
        // A wallet that is still to be made has no shares.
        let told_of = |message: &PayeeMessage| match message {
            PayeeMessage::ShareMoved(notice) => wallets
                .find(notice.amount.currency, notice.mode)
                .map(|wallet| (notice.payment, wallet.id)),
            PayeeMessage::Deposited(_) => None,
        };
        let keys: BTreeSet<ShareKey> =
            messages.iter().filter_map(|(_, message)| told_of(message)).collect();
        let rows: Vec<_> =
            keys.iter().map(|(payment, wallet)| (room.seller, *payment, *wallet)).collect();
        let shares = cx.get_many(SHARES, &rows)?;
        let known = keys.into_iter().zip(shares);
        let known = known.filter_map(|(key, share)| share.map(|share| (key, share))).collect();
        Ok(Self { room, cx, effects: Effects::new(), wallets, known, moved: BTreeMap::new() })
    }

    fn take(&mut self, message: &PayeeMessage) {
        if !self.room.is_there() {
            let (seller, payee) = (self.room.seller.0, self.room.id.0);
            tracing::error!(seller, payee, "a message for a payee that does not exist is dropped");
            return;
        }
        match message {
            PayeeMessage::ShareMoved(notice) => self.move_share(notice),
            PayeeMessage::Deposited(notice) => self.deposit(notice),
        }
    }

    fn move_share(&mut self, notice: &ShareNotice) {
        let currency = notice.amount.currency;
        self.wallets.ensure(self.cx, currency, notice.mode);
        let Some(wallet) = self.wallets.find(currency, notice.mode) else { return };
        let key = (notice.payment, wallet.id);
        let known = self.moved.get(&key).or_else(|| self.known.get(&key));
        let news = ShareNews {
            what: notice.what,
            payment: notice.payment,
            reference: &notice.reference,
            amount_minor: notice.amount.minor,
            at: notice.at,
        };
        match share_moved(wallet, known, &news) {
            Ok(change) => {
                self.moved.insert(key, change.share);
                if let Some(movement) = change.movement {
                    let of = Mover::Share(notice.payment, &notice.reference);
                    self.wallets.post(self.cx, &mut self.effects, movement, of);
                }
            }
            Err(full) => lost(full, wallet, &notice.reference),
        }
    }

    fn deposit(&mut self, notice: &DepositNotice) {
        let currency = notice.amount.currency;
        self.wallets.ensure(self.cx, currency, notice.mode);
        let Some(wallet) = self.wallets.find(currency, notice.mode) else { return };
        match deposited(wallet, notice.amount.minor) {
            Ok(Some(movement)) => {
                let of = Mover::Deposit(&notice.reference);
                self.wallets.post(self.cx, &mut self.effects, movement, of);
            }
            Ok(None) => {}
            Err(full) => lost(full, wallet, &notice.reference),
        }
    }

    fn finish(self) -> Effects<PayeeRoom> {
        let Self { room, cx, mut effects, wallets, moved, .. } = self;
        for ((payment, wallet), share) in &moved {
            effects.put(SHARES, &(room.seller, *payment, *wallet), share);
        }
        wallets.change(cx, &mut effects);
        effects
    }
}

/// What does not fit would come again for ever, and never fit.
fn lost(full: WalletFull, wallet: &Wallet, reference: &str) {
    let (seller, wallet) = (wallet.seller.0, wallet.id.0);
    tracing::error!(seller, wallet, reference, %full, "money of a message is lost");
}
