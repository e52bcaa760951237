//! Taking messages of other rooms: each once, however often it comes, many in one write.

use super::command::Answer;
use super::room::{PayeeRoom, unreadable};
use super::write::{Write, refused};
use crate::domain::ids::MessageId;
use crate::domain::messages::{DepositNotice, PayeeMessage, ShareNotice};
use crate::domain::money::Currency;
use crate::domain::payments::book::{Mover, ShareNews, WalletFull, deposited, share_moved};
use crate::domain::payments::wallet::Wallet;
use crate::domain::platform::seller::Mode;
use crate::domain::refusal::Refusal;
use crate::room::Desk;
use crate::tables::{SHARES, TAKEN};

impl PayeeRoom {
    /// What messages do and the note that they were taken are one write. When all were taken
    /// before, it is empty, and the answer still waits for the writes that took them.
    pub(super) fn take(
        &mut self,
        desk: &Desk<Self>,
        letters: Vec<(MessageId, PayeeMessage)>,
        reply: Answer<()>,
    ) {
        match self.took(desk, letters) {
            Ok(write) => {
                write.finish(self, desk, reply, |result| result.map(|_| ()).map_err(refused));
            }
            Err(refusal) => {
                // Something was changed in memory.
                desk.retire();
                reply.send(Err(refusal));
            }
        }
    }

    fn took(
        &mut self,
        desk: &Desk<Self>,
        letters: Vec<(MessageId, PayeeMessage)>,
    ) -> Result<Write, Refusal> {
        let mut write = Write::new(self, desk)?;
        for (message, content) in letters {
            let read = || desk.store().get(TAKEN, &(self.seller, message));
            let before = self.taken.get(&message, read).map_err(|error| unreadable(&error))?;
            if before.is_some() {
                continue;
            }
            match content {
                PayeeMessage::ShareMoved(notice) => self.share_moved(desk, &mut write, &notice)?,
                PayeeMessage::Deposited(notice) => self.deposited(desk, &mut write, &notice),
            }
            write.batch.put(TAKEN, &(self.seller, message), &());
            self.taken.note(desk, message, ());
        }
        Ok(write)
    }

    fn share_moved(
        &mut self,
        desk: &Desk<Self>,
        write: &mut Write,
        notice: &ShareNotice,
    ) -> Result<(), Refusal> {
        let currency = notice.amount.currency;
        let Some(wallet) = self.wallet_for(desk, write, currency, notice.mode) else {
            return Ok(());
        };
        let key = (self.seller, notice.payment, wallet.id);
        let read = || desk.store().get(SHARES, &key);
        let known = self.shares.get(&(notice.payment, wallet.id), read);
        let known = known.map_err(|error| unreadable(&error))?;
        let news = ShareNews {
            what: notice.what,
            payment: notice.payment,
            reference: &notice.reference,
            amount_minor: notice.amount.minor,
            at: notice.at,
        };
        match share_moved(&wallet, known.as_ref(), &news) {
            Ok(change) => {
                write.batch.put(SHARES, &key, &change.share);
                self.shares.note(desk, (notice.payment, wallet.id), change.share);
                if let Some(movement) = change.movement {
                    let of = Mover::Share(notice.payment, &notice.reference);
                    write.movement(self, desk, movement, of);
                }
            }
            Err(full) => lost(full, &wallet, &notice.reference),
        }
        Ok(())
    }

    fn deposited(&mut self, desk: &Desk<Self>, write: &mut Write, notice: &DepositNotice) {
        let currency = notice.amount.currency;
        let Some(wallet) = self.wallet_for(desk, write, currency, notice.mode) else { return };
        match deposited(&wallet, notice.amount.minor) {
            Ok(movement) => {
                if let Some(movement) = movement {
                    write.movement(self, desk, movement, Mover::Deposit(&notice.reference));
                }
            }
            Err(full) => lost(full, &wallet, &notice.reference),
        }
    }

    /// The wallet that money of a message goes to, made if it is missing; none when there is no
    /// such payee.
    fn wallet_for(
        &mut self,
        desk: &Desk<Self>,
        write: &mut Write,
        currency: Currency,
        mode: Mode,
    ) -> Option<Wallet> {
        if !self.is_there() {
            tracing::error!(payee = self.id.0, "a message for a payee that is not there");
            return None;
        }
        match self.wallet_in(currency, mode) {
            Some(wallet) => Some(wallet.clone()),
            None => Some(self.make_wallet(desk, write, currency, mode)),
        }
    }
}

/// What does not fit would come again for ever, and never fit.
fn lost(full: WalletFull, wallet: &Wallet, reference: &str) {
    tracing::error!(%full, wallet = wallet.id.0, reference, "money of a message is lost");
}
