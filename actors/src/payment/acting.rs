//! What the room does with commands that are more than one decision.

use storage::Batch;

use super::command::{Answer, SpentAnswer, Start};
use super::initiate::Initiated;
use super::room::PaymentRoom;
use super::write;
use crate::domain::ids::RefundId;
use crate::domain::payments::payment::{
    CaptureOrder, Change, NewRefund, Payment, Refund, SpentKey,
};
use crate::domain::payments::split::{DecisionRecord, Plan};
use crate::domain::refusal::Refusal;
use crate::room::{Desk, Reply};
use crate::seller::{SpendKey, Spent};
use crate::tables::{DECISIONS, POST_KEYS, REFUNDS};

impl PaymentRoom {
    pub(super) fn start(
        &mut self,
        desk: &Desk<Self>,
        start: Start,
        reply: Reply<Result<Initiated, Refusal>>,
    ) {
        // The beginning is asked again when its answer was lost on the way.
        if let Some(begun) = &self.payment {
            return reply.send(Ok(Initiated::Made(Box::new(begun.clone()))));
        }
        let Start { mut new, source, split, spend } = start;
        let now = desk.now();
        let mut batch = Batch::new();
        if let Some((id, inputs)) = split {
            let record = DecisionRecord::made(id, new.seller, new.id, new.amount, inputs, now);
            new.split = Some(Plan::from(&record));
            batch.put(DECISIONS, &(new.seller, new.id, id), &record);
        }
        if let Some(spend) = spend {
            self.put_spent(desk, &mut batch, spend, self.id.0);
        }
        let change = Payment::start(new, source.as_ref(), &desk.tools().windows, now);
        let made = |payment| Initiated::Made(Box::new(payment));
        self.write(desk, batch, change, reply, made, write::not_begun);
    }

    /// Answers once no call that this process makes is open. A call of an earlier process is
    /// written down anew, for the caller to make.
    pub(super) fn settled(&mut self, desk: &Desk<Self>, reply: Answer) {
        let payment = match self.payment() {
            Ok(payment) => payment,
            Err(refusal) => return reply.send(Err(refusal)),
        };
        match payment.asking() {
            Some(call) if self.asking.as_ref() == Some(&call.key) => self.waiting.push(reply),
            Some(_) => self.change(desk, reply, |payment| payment.ask_again(desk.now())),
            None => self.answer_now(desk, payment.clone(), reply),
        }
    }

    pub(super) fn finalize(
        &mut self,
        desk: &Desk<Self>,
        minor: Option<i64>,
        spend: SpendKey,
        reply: SpentAnswer<Payment>,
    ) {
        let Some(reply) = self.unless_spent(desk, &spend, reply) else { return };
        let now = desk.now();
        let decided = self.payment().and_then(|payment| Ok(payment.finalize(minor, now)?));
        let change = match decided {
            Ok(Some(change)) => change,
            // There is nothing left to do: the payment stands as it is, and the key is spent.
            Ok(None) => match self.payment() {
                Ok(payment) => Change::nothing(payment),
                Err(refusal) => return reply.send(Err(refusal)),
            },
            Err(refusal) => return reply.send(Err(refusal)),
        };
        let mut batch = Batch::new();
        self.put_spent(desk, &mut batch, spend, self.id.0);
        self.write(desk, batch, change, reply, Spent::Made, write::key_taken);
    }

    pub(super) fn capture(
        &mut self,
        desk: &Desk<Self>,
        minor: Option<i64>,
        last: bool,
        spend: SpendKey,
        reply: SpentAnswer<Payment>,
    ) {
        let Some(reply) = self.unless_spent(desk, &spend, reply) else { return };
        let now = desk.now();
        let order = CaptureOrder { minor, last, spent: Some(spent_key(&spend)) };
        let decided = self.payment().and_then(|payment| Ok(payment.capture(order, now)?));
        let change = match decided {
            Ok(change) => change,
            Err(refusal) => return reply.send(Err(refusal)),
        };
        let mut batch = Batch::new();
        self.put_spent(desk, &mut batch, spend, self.id.0);
        self.write(desk, batch, change, reply, Spent::Made, write::key_taken);
    }

    pub(super) fn refund(
        &mut self,
        desk: &Desk<Self>,
        new: NewRefund,
        spend: SpendKey,
        reply: SpentAnswer<(Payment, Refund)>,
    ) {
        let Some(reply) = self.unless_spent(desk, &spend, reply) else { return };
        let (now, id) = (desk.now(), new.id);
        let decided = self.payment().and_then(|payment| Ok(payment.refund(new, now)?));
        let change = match decided {
            Ok(change) => change,
            Err(refusal) => return reply.send(Err(refusal)),
        };
        let Some(refund) = change.refund.clone() else {
            return reply.send(Err(Refusal::fault()));
        };
        let mut batch = Batch::new();
        self.put_spent(desk, &mut batch, spend, id.0);
        let made = move |payment| Spent::Made((payment, refund));
        self.write(desk, batch, change, reply, made, write::key_taken);
    }

    pub(super) fn refund_again(&mut self, desk: &Desk<Self>, id: RefundId, reply: Answer) {
        let row = match self.refund_record(desk, id) {
            Ok(Some(row)) => row,
            Ok(None) => return reply.send(Err(Refusal::missing())),
            Err(refusal) => return reply.send(Err(refusal)),
        };
        self.change(desk, reply, |payment| payment.refund_again(&row, desk.now()));
    }

    /// A refund as this room last wrote it.
    pub(super) fn refund_record(
        &self,
        desk: &Desk<Self>,
        id: RefundId,
    ) -> Result<Option<Refund>, Refusal> {
        let read = || desk.store().get(REFUNDS, &(self.seller, self.id, id));
        self.refunds.get(&id, read).map_err(|error| {
            tracing::error!(%error, "a payment room cannot read a refund");
            Refusal::fault()
        })
    }

    /// Hands the port back unless the key was spent before; that is answered here, behind the
    /// commit that spends it.
    fn unless_spent<T: Send + 'static>(
        &self,
        desk: &Desk<Self>,
        spend: &SpendKey,
        reply: SpentAnswer<T>,
    ) -> Option<SpentAnswer<T>> {
        let row = (self.seller, spend.endpoint.to_owned(), spend.key.clone());
        let key = (spend.endpoint.to_owned(), spend.key.clone());
        let known = || desk.store().contains(POST_KEYS, &row).map(|there| there.then_some(true));
        match self.spent.get(&key, known) {
            Ok(Some(true)) => desk.commit(Batch::new(), reply, |result| match result {
                Ok(_) => Ok(Spent::Before),
                Err(refused) => Err(write::refused(refused)),
            }),
            Ok(_) => return Some(reply),
            Err(error) => {
                tracing::error!(%error, "a payment room cannot read a key");
                reply.send(Err(Refusal::fault()));
            }
        }
        None
    }

    fn put_spent(&mut self, desk: &Desk<Self>, batch: &mut Batch, spend: SpendKey, object: u64) {
        let row = (self.seller, spend.endpoint.to_owned(), spend.key.clone());
        batch.claim(POST_KEYS, &row, &spend.request.made(object));
        self.spent.note(desk, (spend.endpoint.to_owned(), spend.key), true);
    }

    /// Gives a key back that was spent on what did not happen.
    pub(super) fn free(&mut self, desk: &Desk<Self>, batch: &mut Batch, spent: SpentKey) {
        batch.delete(POST_KEYS, &(self.seller, spent.endpoint.clone(), spent.key.clone()));
        self.spent.note(desk, (spent.endpoint, spent.key), false);
    }

    /// Answers the payment as it stands, behind what was handed in before.
    pub(super) fn answer_now(&self, desk: &Desk<Self>, payment: Payment, reply: Answer) {
        desk.commit(Batch::new(), reply, |result| match result {
            Ok(_) => Ok(payment),
            Err(refused) => Err(write::refused(refused)),
        });
    }
}

fn spent_key(spend: &SpendKey) -> SpentKey {
    SpentKey { endpoint: spend.endpoint.to_owned(), key: spend.key.clone() }
}
