//! Dead letters: as many are parked as are counted.

use storage::{ReadError, Scan};

use super::run::{At, Run};
use crate::domain::billing::usage::dead_letter::LetterStatus;
use crate::domain::ids::SellerId;
use crate::tables::{DEAD_LETTERS, LETTER_PACKS, PARKED_LETTERS};

pub(super) fn check(run: &mut Run<'_>, seller: SellerId) -> Result<(), ReadError> {
    let all = || Scan::prefix(&(seller,));
    run.each(DEAD_LETTERS, all(), |_, (_, status, id), letter, found| {
        let stated = (letter.status as u8, letter.id);
        found.same("dead letter under its own key", (*status, *id), stated);
        Ok(())
    })?;
    run.each(LETTER_PACKS, all(), |_, (_, last), pack, found| {
        let letters = pack.clone().letters();
        // Letters are taken out of their pack, which keeps the key that it was written under.
        let within = letters.iter().all(|letter| letter.id <= *last);
        found.holds("letters within their pack", within && !letters.is_empty(), last);
        Ok(())
    })?;
    run.count(PARKED_LETTERS.name(), 1);
    run.settle(&At::new(PARKED_LETTERS, &seller), |reading, found, _| {
        let stated = reading.get(PARKED_LETTERS, &seller)?.unwrap_or(0);
        let mut parked = 0;
        for row in reading.scan(LETTER_PACKS, all()) {
            parked += row?.1.letters().len() as u64;
        }
        let alone = Scan::prefix(&(seller, LetterStatus::Parked as u8));
        parked += reading.scan(DEAD_LETTERS, alone).keys().count() as u64;
        found.same("number of parked letters", parked, stated);
        Ok(())
    })
}
