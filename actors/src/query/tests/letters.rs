use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use storage::Store;

use super::*;
use crate::domain::billing::usage::dead_letter::{
    DeadLetter, LetterPack, LetterSource, LetterStatus, RefusedEvent, Retried, park, redrive,
};
use crate::domain::ids::DeadLetterId;
use crate::domain::testing::second;
use crate::query;
use crate::tables::{DEAD_LETTERS, LETTER_PACKS};

const PARKED: u8 = LetterStatus::Parked as u8;

/// So many letters that were parked together, in the order of their ids.
fn letters(count: u64) -> Vec<DeadLetter> {
    let refused = || RefusedEvent::event("why".to_owned(), "{}".to_owned());
    let letter = |id| park(DeadLetterId(id), LetterSource::Csv, refused(), second(0));
    (1..=count).map(letter).collect()
}

fn put_pack(batch: &mut Batch, letters: &[DeadLetter]) {
    for (last, pack) in LetterPack::of(letters.to_vec()) {
        batch.put(LETTER_PACKS, &(SELLER, last), &pack);
    }
}

/// Tries every letter of a pack again in vain, one after the other, and packs them anew.
fn try_in_vain(store: &Store, letters: &[DeadLetter], read_all: &AtomicBool) {
    let pack = (SELLER, letters[letters.len() - 1].id);
    while !read_all.load(Ordering::Relaxed) {
        for (tried, letter) in letters.iter().enumerate() {
            let refused = Retried::Refused("again".to_owned());
            let alone = redrive(letter, refused, second(1)).expect("it is parked");
            let mut batch = Batch::new();
            batch.put(DEAD_LETTERS, &(SELLER, PARKED, letter.id), &alone);
            batch.delete(LETTER_PACKS, &pack);
            put_pack(&mut batch, &letters[tried + 1..]);
            store.write_blocking(batch).expect("durable");
        }
        let mut batch = Batch::new();
        letters.iter().for_each(|one| batch.delete(DEAD_LETTERS, &(SELLER, PARKED, one.id)));
        put_pack(&mut batch, letters);
        store.write_blocking(batch).expect("durable");
    }
}

/// Reads so often while letters go from their pack to rows of their own.
fn read_meanwhile(letters: &[DeadLetter], times: u32, is_right: impl Fn(&Store) -> bool) {
    let house = stored(&[letters], |batch, all| put_pack(batch, all));
    let read_all = AtomicBool::new(false);
    thread::scope(|scope| {
        let trying = scope.spawn(|| try_in_vain(house.store(), letters, &read_all));
        let wrong = (0..times).find(|_| !is_right(house.store()));
        // The other thread is let go before anything fails.
        read_all.store(true, Ordering::Relaxed);
        trying.join().expect("it tried");
        assert_eq!(wrong, None);
    });
}

#[test]
fn a_page_of_parked_letters_has_each_once_while_they_are_tried_again() {
    let letters = letters(60);
    read_meanwhile(&letters, 2_000, |store| {
        let (status, paging) = (Some(LetterStatus::Parked), Paging { limit: 100, cursor: None });
        let page = query::dead_letters(store, SELLER, status, paging).expect("read");
        page.items.iter().map(|letter| letter.id).eq(letters.iter().rev().map(|letter| letter.id))
    });
}

#[test]
fn a_letter_is_found_while_it_is_tried_again() {
    let letters = letters(1);
    read_meanwhile(&letters, 20_000, |store| {
        query::dead_letter(store, SELLER, letters[0].id).expect("read").is_some()
    });
}
