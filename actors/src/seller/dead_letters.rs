//! Dead letters: parked, tried again, given up.

use storage::{Scan, Store};

use super::Sellers;
use super::room::{Change, SellerRoom};
use crate::domain::billing::usage::dead_letter::{
    DeadLetter, LetterPack, LetterRefusal, LetterSource, LetterStatus, RefusedEvent, Retried,
    discard, park, redrive,
};
use crate::domain::billing::usage::upload::TOO_MANY_LETTERS;
use crate::domain::ids::{DeadLetterId, SellerId};
use crate::domain::platform::webhook::signature::TOLERANCE_SECONDS;
use crate::domain::refusal::Refusal;
use crate::domain::time::Timestamp;
use crate::kernel::{AskError, Context, Decision, Effects};
use crate::query;
use crate::tables::{DEAD_LETTERS, LETTER_PACKS, PARKED, ids};

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
        if self.parked + refused.len() as u64 > cx.tools().max_letters {
            return Err(Refusal::too_many(TOO_MANY_LETTERS));
        }
        let mut effects = Effects::new();
        sweep(&mut effects, cx.store(), self.id, cx.now());
        effects.put(PARKED, &row, &(refused.len() as u64));
        self.put_letters(&mut effects, cx, LetterSource::Webhook, refused);
        Ok(effects.answer(()))
    }

    /// Parks refused events, in their order, many in a row.
    pub(super) fn put_letters(
        &self,
        effects: &mut Effects<Self>,
        cx: &Context<Self>,
        source: LetterSource,
        refused: &[RefusedEvent],
    ) {
        if refused.is_empty() {
            return;
        }
        let ids = cx.ids(ids::DEAD_LETTER, refused.len()).into_iter().map(DeadLetterId);
        let letters = ids.zip(refused);
        let letters = letters.map(|(id, event)| park(id, source, event.clone(), cx.now()));
        for (last, pack) in LetterPack::of(letters.collect()) {
            effects.put(LETTER_PACKS, &(self.id, last), &pack);
        }
        effects.change(Change::Parked(self.parked + refused.len() as u64));
    }

    /// A letter that is changed lies in a row of its own from then on. Its status is part of its
    /// key: it moves when the status does.
    fn change_letter(
        &self,
        cx: &Context<Self>,
        id: DeadLetterId,
        decide: impl FnOnce(&DeadLetter) -> Result<DeadLetter, LetterRefusal>,
    ) -> Result<Decision<Self, DeadLetter>, Refusal> {
        let mut effects = Effects::new();
        let letter = self.take_letter(cx, id, &mut effects)?.ok_or_else(Refusal::missing)?;
        let next = decide(&letter)?;
        if next.status != letter.status {
            effects.delete(DEAD_LETTERS, &(self.id, letter.status as u8, id));
        }
        effects.put(DEAD_LETTERS, &(self.id, next.status as u8, id), &next);
        if letter.status == LetterStatus::Parked && next.status != LetterStatus::Parked {
            effects.change(Change::Parked(self.parked.saturating_sub(1)));
        }
        Ok(effects.answer(next))
    }

    /// A letter, with the effect that it lies in no pack any more.
    fn take_letter(
        &self,
        cx: &Context<Self>,
        id: DeadLetterId,
        effects: &mut Effects<Self>,
    ) -> Result<Option<DeadLetter>, Refusal> {
        for status in LetterStatus::ALL {
            if let Some(letter) = cx.get(DEAD_LETTERS, &(self.id, *status as u8, id))? {
                return Ok(Some(letter));
            }
        }
        let Some(place) = cx.read(query::pack_of(cx.store(), self.id, id))? else {
            return Ok(None);
        };
        let Some(mut pack) = cx.get(LETTER_PACKS, &place)? else { return Ok(None) };
        let letter = pack.take(id);
        match pack.is_empty() {
            true => effects.delete(LETTER_PACKS, &place),
            false => effects.put(LETTER_PACKS, &place, &pack),
        }
        Ok(letter)
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
