//! One change of a payment on its way to the disk: its row, indexes, claims, events, timer and
//! the messages to contract and wallets, all in one batch.

use storage::{Batch, Claimed};

use super::command::Answer;
use super::home::PaymentHome;
use super::initiate::Initiated;
use super::room::{Decided, PaymentRoom, wanted_timers};
use crate::delivery::{Origin, stage_events};
use crate::domain::ids::MessageId;
use crate::domain::messages::{Envelope, PayeeMessage, ShareNotice};
use crate::domain::money::Money;
use crate::domain::payments::payment::{Change, Payment, Refund, RefundMove};
use crate::domain::payments::share::ShareMove;
use crate::domain::payments::split::ShareMoves;
use crate::domain::platform::seller::Mode;
use crate::domain::refusal::Refusal;
use crate::outbox::Outbox;
use crate::room::{Desk, Refused, Reply};
use crate::seller::Spent;
use crate::tables::{
    CHECKOUTS, EVENT_IDS, INVOICE_PAYMENTS, OPEN_PAYMENTS, PAYMENT_KEYS, PAYMENT_REFS,
    PAYMENT_STATUSES, PAYMENTS, POST_KEYS, REFUNDS, ids,
};

impl PaymentRoom {
    /// Decides on the payment as it stands, writes what was decided and answers the payment.
    pub(super) fn change(
        &mut self,
        desk: &Desk<Self>,
        reply: Answer,
        decide: impl FnOnce(&Payment) -> Decided,
    ) {
        match self.payment().and_then(|payment| decide(payment).map_err(Refusal::from)) {
            Ok(change) => {
                let failed = |refusal| Err(refused(refusal));
                self.write(desk, Batch::new(), change, reply, |payment| payment, failed);
            }
            Err(refusal) => reply.send(Err(refusal)),
        }
    }

    /// Writes a change with what the batch holds already, and answers what `made` makes of the
    /// payment once it is durable, or what `not_made` makes of a batch that was refused.
    pub(super) fn write<T: Send + 'static>(
        &mut self,
        desk: &Desk<Self>,
        mut batch: Batch,
        change: Change,
        reply: Reply<Result<T, Refusal>>,
        made: impl FnOnce(Payment) -> T + Send + 'static,
        not_made: impl FnOnce(Refused) -> Result<T, Refusal> + Send + 'static,
    ) {
        let snapshot = match desk.tools().directory.seller(self.seller) {
            Ok(Some(snapshot)) => snapshot,
            Ok(None) => return reply.send(Err(Refusal::missing())),
            Err(error) => {
                tracing::error!(%error, "a payment room cannot read its seller");
                return reply.send(Err(Refusal::fault()));
            }
        };
        let Change { payment, events, message, shares, refund, refund_moved, freed } = change;
        let moved = match refund_moved.map(|moved| self.moved_refund(desk, moved)).transpose() {
            Ok(moved) => moved,
            Err(refusal) => return reply.send(Err(refusal)),
        };
        match &self.payment {
            None => self.put_first(&mut batch, &payment),
            Some(before) => self.put_next(&mut batch, before, &payment),
        }
        for refund in refund.into_iter().chain(moved) {
            batch.put(REFUNDS, &(self.seller, self.id, refund.id), &refund);
            self.refunds.note(desk, refund.id, refund);
        }
        if let Some(spent) = freed {
            self.free(desk, &mut batch, spent);
        }
        self.timers.set(&mut batch, self.seller, self.id.0, wanted_timers(&payment));
        let origin = Origin { seller: self.seller, uuid: snapshot.seller.uuid, now: desk.now() };
        let staged = stage_events(&mut batch, &origin, &snapshot.webhooks, events, || {
            desk.next_id(EVENT_IDS)
        });
        let seller = self.seller;
        let to_contract =
            message.map(|(contract, message)| Envelope::to_contract(seller, contract, message));
        let to_wallets = share_letters(&payment, shares);
        let letters: Vec<_> = to_contract
            .into_iter()
            .chain(to_wallets)
            .map(|envelope| (MessageId(desk.next_id(ids::MESSAGE)), envelope))
            .collect();
        for (id, envelope) in &letters {
            Outbox::stage(&mut batch, *id, envelope);
        }
        self.payment = Some(payment.clone());
        self.asking = payment.asking().map(|call| call.key.clone());
        let tools = desk.tools();
        let (pool, outbox, watchers) =
            (tools.deliveries.clone(), tools.outbox.clone(), tools.watchers.clone());
        let (id, told) = (self.id, payment.clone());
        desk.commit(batch, reply, move |result| {
            if let Err(refused) = result {
                return not_made(refused);
            }
            pool.notify(staged);
            for (id, envelope) in letters {
                outbox.notify(id, envelope);
            }
            watchers.tell(seller, id);
            Ok(made(payment))
        });
        self.release_waiting(desk, &told);
    }

    /// Answers those who waited for the provider, once it has been asked.
    fn release_waiting(&mut self, desk: &Desk<Self>, payment: &Payment) {
        if self.asking.is_none() {
            for reply in std::mem::take(&mut self.waiting) {
                self.answer_now(desk, payment.clone(), reply);
            }
        }
    }

    /// The record of a refund as it stands after it moved.
    fn moved_refund(&self, desk: &Desk<Self>, moved: RefundMove) -> Result<Refund, Refusal> {
        let known = self.refund_record(desk, moved.id)?.ok_or_else(Refusal::fault)?;
        Ok(Refund {
            status: moved.status,
            failure: moved.failure,
            processor_token: moved.token.or(known.processor_token),
            updated_at: desk.now(),
            ..known
        })
    }

    /// The rows of a payment that has just begun. An invoice has one open payment at most: that
    /// is a claim, so that two pages cannot both pay.
    fn put_first(&self, batch: &mut Batch, payment: &Payment) {
        batch.put(PAYMENTS, &(self.seller, self.id), payment);
        batch.put(PAYMENT_STATUSES, &(self.seller, payment.status as u8, self.id), &());
        batch.claim(PAYMENT_REFS, &(self.seller, payment.reference.clone()), &self.id.0);
        if let Some(order) = &payment.order {
            batch.claim(PAYMENT_KEYS, &(self.seller, order.key.clone()), &self.id.0);
        }
        if let Some(checkout) = &payment.checkout {
            let home = PaymentHome { seller: self.seller, payment: self.id };
            batch.put(CHECKOUTS, &checkout.session, &home);
        }
        if let Some((_, invoice)) = payment.pays_for.invoice() {
            batch.put(INVOICE_PAYMENTS, &(self.seller, invoice, self.id), &());
            if !payment.status.is_lost() {
                batch.claim(OPEN_PAYMENTS, &(self.seller, invoice), &self.id.0);
            }
        }
    }

    /// The rows of a payment that moved on. Once it is lost, another may be begun.
    fn put_next(&self, batch: &mut Batch, before: &Payment, payment: &Payment) {
        batch.put(PAYMENTS, &(self.seller, self.id), payment);
        if payment.status != before.status {
            batch.delete(PAYMENT_STATUSES, &(self.seller, before.status as u8, self.id));
            batch.put(PAYMENT_STATUSES, &(self.seller, payment.status as u8, self.id), &());
        }
        if payment.status.is_lost()
            && !before.status.is_lost()
            && let Some((_, invoice)) = payment.pays_for.invoice()
        {
            batch.delete(OPEN_PAYMENTS, &(self.seller, invoice));
        }
    }
}

/// What the wallets of those a payment is shared by are told.
fn share_letters(payment: &Payment, shares: ShareMoves) -> impl Iterator<Item = Envelope> {
    let mode = if payment.demo { Mode::Demo } else { Mode::Live };
    let notice = ShareNotice {
        what: ShareMove::Settled,
        payment: payment.id,
        reference: payment.reference.clone(),
        amount: payment.amount,
        at: payment.updated_at,
        mode,
    };
    let seller = payment.seller;
    shares.into_iter().map(move |(payee, what, minor)| {
        let amount = Money { minor, ..notice.amount };
        let notice = ShareNotice { what, amount, ..notice.clone() };
        Envelope::to_payee(seller, payee, PayeeMessage::ShareMoved(notice))
    })
}

/// What a beginning that was refused says.
pub(super) fn not_begun(refused_: Refused) -> Result<Initiated, Refusal> {
    match &refused_ {
        Refused::Claimed(Claimed { tag, .. })
            if [PAYMENT_KEYS.tag(), POST_KEYS.tag()].contains(tag) =>
        {
            Ok(Initiated::KeyUsed)
        }
        Refused::Claimed(Claimed { tag, .. }) if *tag == PAYMENT_REFS.tag() => {
            Ok(Initiated::ReferenceUsed)
        }
        _ => Err(refused(refused_)),
    }
}

/// What a write under a key that was refused says.
pub(super) fn key_taken<T>(refused_: Refused) -> Result<Spent<T>, Refusal> {
    match &refused_ {
        Refused::Claimed(Claimed { tag, .. }) if *tag == POST_KEYS.tag() => Ok(Spent::Before),
        _ => Err(refused(refused_)),
    }
}

/// A batch that was refused, in words.
pub(super) fn refused(refused: Refused) -> Refusal {
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
