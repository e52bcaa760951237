//! Sending invoices, and what payments do to them.

use storage::ReadError;

use super::command::Answer;
use super::record::LinkTarget;
use super::room::ContractRoom;
use super::write::{Write, unexpected};
use crate::domain::billing::invoice::{
    Change, Invoice, PaidVia, PaymentLink, PaymentReceived, pay, reopen, send,
};
use crate::domain::billing::test_clock::Moment;
use crate::domain::ids::{InvoiceId, MessageId};
use crate::domain::messages::{ContractMessage, PaymentNotice};
use crate::domain::refusal::Refusal;
use crate::room::Desk;
use crate::tables::{LINKS, TAKEN, ids};

impl ContractRoom {
    pub(super) fn send(&mut self, desk: &Desk<Self>, id: InvoiceId, reply: Answer<Invoice>) {
        let invoice = match self.invoice(desk, id) {
            Ok(Some(invoice)) => invoice,
            Ok(None) => return reply.send(Err(Refusal::missing())),
            Err(error) => return reply.send(Err(unreadable(&error))),
        };
        let mut write = match Write::new(self, desk) {
            Ok(write) => write,
            Err(refusal) => return reply.send(Err(refusal)),
        };
        let link = PaymentLink { id: desk.next_id(ids::LINK), token: desk.entropy().token() };
        let target = LinkTarget { seller: self.seller, contract: self.id, invoice: id };
        let token = link.token.clone();
        let answer = match send(&invoice, link, self.moment(write.now)) {
            Ok(None) => invoice,
            Ok(Some(change)) => {
                let sent = change.invoice.clone();
                write.batch.put(LINKS, &token, &target);
                write.invoice(self, desk, change);
                sent
            }
            Err(refusal) => return reply.send(Err(refusal.into())),
        };
        write.finish(self, desk, reply, move |result| result.map(|_| answer).map_err(unexpected));
    }

    /// Takes a message once: what it does and the note that it was taken are one write.
    pub(super) fn take(
        &mut self,
        desk: &Desk<Self>,
        message: MessageId,
        content: ContractMessage,
        reply: Answer<()>,
    ) {
        match desk.store().contains(TAKEN, &(self.seller, message)) {
            Ok(false) => {}
            Ok(true) => return reply.send(Ok(())),
            Err(error) => return reply.send(Err(unreadable(&error))),
        }
        let mut write = match Write::new(self, desk) {
            Ok(write) => write,
            Err(refusal) => return reply.send(Err(refusal)),
        };
        let moment = self.moment(write.now);
        let change = match &content {
            ContractMessage::PaymentSucceeded(notice) => self.paid(desk, notice, moment),
            ContractMessage::PaymentReversed(notice) => self.reversed(desk, notice, moment),
        };
        match change {
            Ok(Some(change)) => write.invoice(self, desk, change),
            Ok(None) => {}
            Err(error) => return reply.send(Err(unreadable(&error))),
        }
        write.batch.put(TAKEN, &(self.seller, message), &());
        write.finish(self, desk, reply, |result| result.map(|_| ()).map_err(unexpected));
    }

    fn paid(
        &self,
        desk: &Desk<Self>,
        notice: &PaymentNotice,
        moment: Moment,
    ) -> Result<Option<Change>, ReadError> {
        let Some(invoice) = self.invoice(desk, notice.invoice)? else { return Ok(None) };
        let received = PaymentReceived {
            payment: notice.payment,
            reference: notice.reference.clone(),
            amount_minor: notice.amount.minor,
            via: PaidVia::PaymentLink,
            at: notice.at,
            reversed_at: None,
        };
        Ok(pay(&invoice, received, moment).unwrap_or_else(|refusal| {
            // Only a document that is closed otherwise refuses money; the payment stays to be
            // read, and is given back by hand.
            tracing::error!(%refusal, invoice = invoice.id.0, "a payment met a closed invoice");
            None
        }))
    }

    fn reversed(
        &self,
        desk: &Desk<Self>,
        notice: &PaymentNotice,
        moment: Moment,
    ) -> Result<Option<Change>, ReadError> {
        let invoice = self.invoice(desk, notice.invoice)?;
        Ok(invoice.and_then(|invoice| reopen(&invoice, notice.payment, notice.at, moment)))
    }
}

fn unreadable(error: &ReadError) -> Refusal {
    tracing::error!(%error, "a contract room cannot read");
    Refusal::fault()
}
