//! One change of a payment on its way to the disk: its row, indexes, claims, events, timer and
//! the message to its contract, all in one batch.

use storage::{Batch, Claimed};

use super::handle::Answer;
use super::room::{Decided, PaymentRoom, wanted_timers};
use crate::courier::Courier;
use crate::delivery::{Origin, stage_events};
use crate::domain::ids::MessageId;
use crate::domain::messages::Envelope;
use crate::domain::payments::payment::{Change, Payment, PaysFor};
use crate::domain::refusal::Refusal;
use crate::room::{Desk, Refused};
use crate::tables::{EVENT_IDS, INVOICE_PAYMENTS, OPEN_PAYMENTS, PAYMENT_REFS, PAYMENTS, ids};

impl PaymentRoom {
    /// Decides on the payment as it stands, and writes what was decided.
    pub(super) fn change(
        &mut self,
        desk: &Desk<Self>,
        reply: Answer,
        decide: impl FnOnce(&Payment) -> Decided,
    ) {
        match self.payment().and_then(|payment| decide(payment).map_err(Refusal::from)) {
            Ok(change) => self.write(desk, change, reply),
            Err(refusal) => reply.send(Err(refusal)),
        }
    }

    /// Writes a change and answers the payment once it is durable.
    pub(super) fn write(&mut self, desk: &Desk<Self>, change: Change, reply: Answer) {
        let snapshot = match desk.tools().directory.seller(self.seller) {
            Ok(Some(snapshot)) => snapshot,
            Ok(None) => return reply.send(Err(Refusal::missing())),
            Err(error) => {
                tracing::error!(%error, "a payment room cannot read its seller");
                return reply.send(Err(Refusal::fault()));
            }
        };
        let Change { payment, events, message } = change;
        let mut batch = Batch::new();
        match &self.payment {
            None => self.put_first(&mut batch, &payment),
            Some(before) => self.put_next(&mut batch, before, &payment),
        }
        self.timers.set(&mut batch, self.seller, self.id.0, wanted_timers(&payment));
        let origin = Origin { seller: self.seller, uuid: snapshot.seller.uuid, now: desk.now() };
        let staged = stage_events(&mut batch, &origin, &snapshot.webhooks, events, || {
            desk.next_id(EVENT_IDS)
        });
        let letter = message.map(|(contract, message)| {
            let id = MessageId(desk.next_id(ids::MESSAGE));
            let envelope = Envelope::to_contract(self.seller, contract, message);
            Courier::stage(&mut batch, id, &envelope);
            (id, envelope)
        });
        self.payment = Some(payment.clone());
        let (pool, courier) = (desk.tools().deliveries.clone(), desk.tools().courier.clone());
        desk.commit(batch, reply, move |result| {
            result.map_err(refused)?;
            pool.notify(staged);
            if let Some((id, envelope)) = letter {
                courier.notify(id, envelope);
            }
            Ok(payment)
        });
    }

    /// The rows of a payment that has just begun. What it pays for has one open payment at
    /// most: that is a claim, so that two pages cannot both pay.
    fn put_first(&self, batch: &mut Batch, payment: &Payment) {
        batch.put(PAYMENTS, &(self.seller, self.id), payment);
        batch.claim(PAYMENT_REFS, &(self.seller, payment.reference.clone()), &self.id.0);
        let PaysFor::Invoice { invoice, .. } = payment.pays_for;
        batch.put(INVOICE_PAYMENTS, &(self.seller, invoice, self.id), &());
        if !payment.status.is_lost() {
            batch.claim(OPEN_PAYMENTS, &(self.seller, invoice), &self.id.0);
        }
    }

    /// The rows of a payment that moved on. Once it is lost, another may be begun.
    fn put_next(&self, batch: &mut Batch, before: &Payment, payment: &Payment) {
        batch.put(PAYMENTS, &(self.seller, self.id), payment);
        if payment.status.is_lost() && !before.status.is_lost() {
            let PaysFor::Invoice { invoice, .. } = payment.pays_for;
            batch.delete(OPEN_PAYMENTS, &(self.seller, invoice));
        }
    }
}

fn refused(refused: Refused) -> Refusal {
    match refused {
        Refused::Claimed(Claimed { tag, .. }) if tag == OPEN_PAYMENTS.tag() => {
            Refusal::conflict("another payment is in progress")
        }
        Refused::Claimed(_) => Refusal::conflict("externalOrderRef is already used"),
        Refused::Failed(error) => {
            tracing::error!(error, "a payment could not be written");
            Refusal::fault()
        }
    }
}
