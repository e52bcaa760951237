//! Messages of other rooms that bring a payee its shares of payments, or a seller its deposits:
//! each is taken once, however often it comes, and those that come together are one write.

use std::collections::{BTreeMap, HashSet};

use super::handle::Payees;
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
        let mut intake = Intake::new(self, cx);
        let mut taken = HashSet::new();
        for (id, message) in messages {
            let row = Addressee::Payee(self.seller, self.id).row(*id);
            if taken.contains(id) || !cx.contains(OUTBOX, &row)? {
                continue;
            }
            intake.take(message)?;
            intake.effects.delete(OUTBOX, &row);
            taken.insert(*id);
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
    shares: BTreeMap<(PaymentId, WalletId), Share>,
}

impl<'a> Intake<'a> {
    fn new(room: &'a PayeeRoom, cx: &'a Cx) -> Self {
        let (effects, wallets) = (Effects::new(), Wallets::of(room));
        Self { room, cx, effects, wallets, shares: BTreeMap::new() }
    }

    fn take(&mut self, message: &PayeeMessage) -> Result<(), Refusal> {
        if !self.room.is_there() {
            let (seller, payee) = (self.room.seller.0, self.room.id.0);
            tracing::error!(seller, payee, "a message for a payee that does not exist is dropped");
            return Ok(());
        }
        match message {
            PayeeMessage::ShareMoved(notice) => self.move_share(notice),
            PayeeMessage::Deposited(notice) => {
                self.deposit(notice);
                Ok(())
            }
        }
    }

    fn move_share(&mut self, notice: &ShareNotice) -> Result<(), Refusal> {
        let currency = notice.amount.currency;
        self.wallets.ensure(self.cx, currency, notice.mode);
        let Some(wallet) = self.wallets.find(currency, notice.mode) else { return Ok(()) };
        let key = (notice.payment, wallet.id);
        let written;
        let known = match self.shares.get(&key) {
            Some(share) => Some(share),
            None => {
                written = self.cx.get(SHARES, &(self.room.seller, key.0, key.1))?;
                written.as_ref()
            }
        };
        let news = ShareNews {
            what: notice.what,
            payment: notice.payment,
            reference: &notice.reference,
            amount_minor: notice.amount.minor,
            at: notice.at,
        };
        match share_moved(wallet, known, &news) {
            Ok(change) => {
                self.shares.insert(key, change.share);
                if let Some(movement) = change.movement {
                    let of = Mover::Share(notice.payment, &notice.reference);
                    self.wallets.post(self.cx, &mut self.effects, movement, of);
                }
            }
            Err(full) => lost(full, wallet, &notice.reference),
        }
        Ok(())
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
        let Self { room, cx, mut effects, wallets, shares } = self;
        for ((payment, wallet), share) in &shares {
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
