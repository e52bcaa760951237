//! Dead letters: parked, tried again, given up.

use storage::{Scan, Store};

use super::{SellerRoom, Sellers};
use crate::domain::billing::usage::dead_letter::{
    DeadLetter, LetterRefusal, LetterSource, LetterStatus, RefusedEvent, Retried, discard, park,
    redrive,
};
use crate::domain::ids::{DeadLetterId, SellerId};
use crate::domain::platform::webhook::signature::TOLERANCE_SECONDS;
use crate::domain::refusal::Refusal;
use crate::domain::time::Timestamp;
use crate::kernel::{AskError, Context, Decision, Effects};
use crate::tables::{DEAD_LETTERS, PARKED, ids};

/// How many claims that are of no more use are taken away with each new one.
const SWEPT: usize = 16;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SignedDelivery {
    pub sent_at: Timestamp,
    /// Of endpoint, time and body.
    pub digest: [u8; 16],
}

impl Sellers {
    /// Parks what was refused of a delivery, once however often the delivery comes.
    pub async fn park(
        &self,
        id: SellerId,
        delivery: SignedDelivery,
        refused: Vec<RefusedEvent>,
    ) -> Result<(), AskError> {
        self.rooms.command(id, move |room, cx| room.park(cx, &delivery, &refused)).await
    }

    pub async fn redrive(
        &self,
        id: SellerId,
        letter: DeadLetterId,
        outcome: Retried,
    ) -> Result<DeadLetter, AskError> {
        let retried = move |room: &SellerRoom, cx: &Context<SellerRoom>| {
            room.change_letter(cx, letter, |known| redrive(known, outcome.clone(), cx.now()))
        };
        self.rooms.command(id, retried).await
    }

    pub async fn discard(
        &self,
        id: SellerId,
        letter: DeadLetterId,
    ) -> Result<DeadLetter, AskError> {
        self.rooms.command(id, move |room, cx| room.change_letter(cx, letter, discard)).await
    }
}

impl SellerRoom {
    /// A delivery that comes twice is judged twice, but parked once: what the second time is
    /// refused was refused the first time.
    fn park(
        &self,
        cx: &Context<Self>,
        delivery: &SignedDelivery,
        refused: &[RefusedEvent],
    ) -> Result<Decision<Self, ()>, Refusal> {
        let row = (self.id, delivery.sent_at, delivery.digest.to_vec());
        if cx.contains(PARKED, &row)? {
            return Ok(Decision::unchanged(()));
        }
        let mut effects = Effects::new();
        sweep(&mut effects, cx.store(), self.id, cx.now());
        effects.put(PARKED, &row, &(refused.len() as u64));
        self.put_letters(&mut effects, cx, LetterSource::Webhook, refused);
        Ok(effects.answer(()))
    }

    /// Puts letters for refused events, in their order.
    pub(super) fn put_letters(
        &self,
        effects: &mut Effects<Self>,
        cx: &Context<Self>,
        source: LetterSource,
        refused: &[RefusedEvent],
    ) {
        for event in refused {
            let id = DeadLetterId(cx.id(ids::DEAD_LETTER));
            let letter = park(id, source, event.clone(), cx.now());
            effects.put(DEAD_LETTERS, &(self.id, letter.status as u8, id), &letter);
        }
    }

    /// A letter's status is part of its key: it moves when the status does.
    fn change_letter(
        &self,
        cx: &Context<Self>,
        id: DeadLetterId,
        decide: impl FnOnce(&DeadLetter) -> Result<DeadLetter, LetterRefusal>,
    ) -> Result<Decision<Self, DeadLetter>, Refusal> {
        let place = |status: LetterStatus| (self.id, status as u8, id);
        let mut known = None;
        for status in LetterStatus::ALL {
            known = known.or(cx.get(DEAD_LETTERS, &place(*status))?);
        }
        let letter = known.ok_or_else(Refusal::missing)?;
        let next = decide(&letter)?;
        let mut effects = Effects::new();
        if next.status != letter.status {
            effects.delete(DEAD_LETTERS, &place(letter.status));
        }
        effects.put(DEAD_LETTERS, &place(next.status), &next);
        Ok(effects.answer(next))
    }
}

/// Takes away claims of deliveries whose signature is too old to come again.
fn sweep(effects: &mut Effects<SellerRoom>, store: &Store, seller: SellerId, now: Timestamp) {
    let oldest = now.plus_seconds(-2 * TOLERANCE_SECONDS);
    let rows = store.scan(PARKED, Scan::prefix(&(seller,)).until(&(seller, oldest)));
    // A row that cannot be read stays, and is found by whoever looks for it.
    for ((_, sent_at, digest), _) in rows.take(SWEPT).flatten() {
        effects.delete(PARKED, &(seller, sent_at, digest));
    }
}
