//! Taking messages of the payment rooms: each once, however often it comes.

use super::command::Answer;
use super::room::{PayeeRoom, unreadable};
use super::write::{Write, refused};
use crate::domain::ids::MessageId;
use crate::domain::messages::{PayeeMessage, ShareNotice};
use crate::domain::payments::book::{ShareNews, share_moved};
use crate::domain::refusal::Refusal;
use crate::room::Desk;
use crate::tables::{SHARES, TAKEN};

impl PayeeRoom {
    /// What a message does and the note that it was taken are one write.
    pub(super) fn take(
        &mut self,
        desk: &Desk<Self>,
        message: MessageId,
        content: PayeeMessage,
        reply: Answer<()>,
    ) {
        let read = || desk.store().contains(TAKEN, &(self.seller, message));
        let Some(reply) = self.taken.unless_there(desk, &message, read, (), reply) else { return };
        let PayeeMessage::ShareMoved(notice) = content;
        match self.share_moved(desk, &notice) {
            Ok(mut write) => {
                write.batch.put(TAKEN, &(self.seller, message), &());
                self.taken.note(desk, message, ());
                write.finish(self, desk, reply, |result| result.map(|_| ()).map_err(refused));
            }
            Err(refusal) => {
                // A wallet may have been made in memory.
                desk.retire();
                reply.send(Err(refusal));
            }
        }
    }

    fn share_moved(&mut self, desk: &Desk<Self>, notice: &ShareNotice) -> Result<Write, Refusal> {
        let mut write = Write::new(self, desk)?;
        if self.payee.is_none() {
            tracing::error!(payee = self.id.0, payment = notice.payment.0, "no such payee");
            return Ok(write);
        }
        let currency = notice.amount.currency;
        let wallet = match self.wallet_in(currency, notice.mode) {
            Some(wallet) => wallet.clone(),
            None => self.make_wallet(desk, &mut write, currency, notice.mode),
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
                    let of = Some((notice.payment, notice.reference.as_str()));
                    write.movement(self, desk, movement, of, None);
                }
            }
            // It would come again for ever, and never fit.
            Err(full) => {
                tracing::error!(%full, wallet = wallet.id.0, payment = notice.payment.0, "a share is lost");
            }
        }
        Ok(write)
    }
}
