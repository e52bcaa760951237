//! Dead letters: parked, tried again, given up.

use storage::{Batch, ReadError, Scan, Store};

use super::command::{Answer, SignedDelivery};
use crate::domain::billing::usage::dead_letter::{
    DeadLetter, LetterRefusal, LetterSource, LetterStatus, RefusedEvent, Retried, discard, park,
    redrive,
};
use crate::domain::ids::{DeadLetterId, SellerId};
use crate::domain::platform::webhook::signature::TOLERANCE_SECONDS;
use crate::domain::refusal::Refusal;
use crate::domain::time::Timestamp;
use crate::query;
use crate::room::Desk;
use crate::seller::account::unexpected;
use crate::seller::room::SellerRoom;
use crate::tables::{DEAD_LETTERS, PARKED, ids};

/// How many claims that are of no more use are taken away with each new one.
const SWEPT: usize = 16;

impl SellerRoom {
    /// A delivery that comes twice is judged twice, but parked once: what the second time is
    /// refused was refused the first time.
    pub(super) fn park(
        &mut self,
        desk: &Desk<Self>,
        delivery: &SignedDelivery,
        refused: Vec<RefusedEvent>,
        reply: Answer<()>,
    ) {
        let row = (self.id, delivery.sent_at, delivery.digest.to_vec());
        let found = self.usage.parked.get(delivery, || desk.store().get(PARKED, &row));
        let mut batch = Batch::new();
        match found {
            Err(error) => return reply.send(Err(unreadable(&error))),
            Ok(Some(_)) => {}
            Ok(None) => {
                let count = refused.len() as u64;
                sweep(&mut batch, desk.store(), self.id, desk.now());
                batch.put(PARKED, &row, &count);
                self.usage.parked.note(desk, delivery.clone(), count);
                self.put_letters(desk, &mut batch, LetterSource::Webhook, refused);
            }
        }
        desk.commit(batch, reply, |result| result.map(drop).map_err(unexpected));
    }

    /// Puts letters for refused events, in their order.
    pub(super) fn put_letters(
        &self,
        desk: &Desk<Self>,
        batch: &mut Batch,
        source: LetterSource,
        refused: Vec<RefusedEvent>,
    ) {
        for event in refused {
            let id = DeadLetterId(desk.next_id(ids::DEAD_LETTER));
            let letter = park(id, source, event, desk.now());
            batch.put(DEAD_LETTERS, &(self.id, letter.status as u8, id), &letter);
        }
    }

    pub(super) fn redrive(
        &mut self,
        desk: &Desk<Self>,
        id: DeadLetterId,
        outcome: Retried,
        reply: Answer<DeadLetter>,
    ) {
        let now = desk.now();
        self.change(desk, id, |letter| redrive(letter, outcome, now), reply);
    }

    pub(super) fn discard(
        &mut self,
        desk: &Desk<Self>,
        id: DeadLetterId,
        reply: Answer<DeadLetter>,
    ) {
        self.change(desk, id, discard, reply);
    }

    /// A letter's status is part of its key: it moves when the status does.
    fn change(
        &mut self,
        desk: &Desk<Self>,
        id: DeadLetterId,
        decide: impl FnOnce(&DeadLetter) -> Result<DeadLetter, LetterRefusal>,
        reply: Answer<DeadLetter>,
    ) {
        let read = || query::dead_letter(desk.store(), self.id, id);
        let letter = match self.usage.letters.get(&id, read) {
            Ok(Some(letter)) => letter,
            Ok(None) => return reply.send(Err(Refusal::missing())),
            Err(error) => return reply.send(Err(unreadable(&error))),
        };
        let next = match decide(&letter) {
            Ok(next) => next,
            Err(refusal) => return reply.send(Err(refusal.into())),
        };
        let place = |status: LetterStatus| (self.id, status as u8, id);
        let mut batch = Batch::new();
        if next.status != letter.status {
            batch.delete(DEAD_LETTERS, &place(letter.status));
        }
        batch.put(DEAD_LETTERS, &place(next.status), &next);
        self.usage.letters.note(desk, id, next.clone());
        desk.commit(batch, reply, |result| result.map(|_| next).map_err(unexpected));
    }
}

/// Takes away claims of deliveries whose signature is too old to come again.
fn sweep(batch: &mut Batch, store: &Store, seller: SellerId, now: Timestamp) {
    let oldest = now.plus_seconds(-2 * TOLERANCE_SECONDS);
    let rows = store.scan(PARKED, Scan::prefix(&(seller,)).until(&(seller, oldest)));
    // A row that cannot be read stays, and is found by whoever looks for it.
    for ((_, sent_at, digest), _) in rows.take(SWEPT).flatten() {
        batch.delete(PARKED, &(seller, sent_at, digest));
    }
}

/// The store cannot be read: the log says why.
pub(super) fn unreadable(error: &ReadError) -> Refusal {
    tracing::error!(%error, "a seller room cannot read");
    Refusal::fault()
}
