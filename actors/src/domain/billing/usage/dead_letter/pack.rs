//! Letters that were parked together and not touched since, many in a row.

use minicbor::{Decode, Encode};
use storage::{Record, RecordError, cbor_decode, cbor_encode};

use super::{DeadLetter, LetterStatus};
use crate::domain::ids::DeadLetterId;

/// What a pack takes, so that taking one letter out of it stays cheap.
const MAX_LETTERS: usize = 128;
const MAX_BYTES: usize = 16 * 1024;

/// More than a pack of one letter of the largest size, unpacked.
const MOST_UNPACKED: usize = 128 * 1024;

/// Parked letters in the order of their ids.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode)]
#[cbor(transparent)]
pub struct LetterPack(#[n(0)] Vec<DeadLetter>);

impl LetterPack {
    /// Packs letters, which are in the order of their ids: each pack with the last of its ids.
    pub fn of(letters: Vec<DeadLetter>) -> Vec<(DeadLetterId, Self)> {
        let mut packs: Vec<(DeadLetterId, Self)> = Vec::new();
        let mut bytes = 0;
        for letter in letters {
            let more = letter.event.len() + letter.reason.len() + 64;
            bytes += more;
            match packs.last_mut() {
                Some((last, Self(pack))) if pack.len() < MAX_LETTERS && bytes <= MAX_BYTES => {
                    *last = letter.id;
                    pack.push(letter);
                }
                _ => {
                    bytes = more;
                    packs.push((letter.id, Self(vec![letter])));
                }
            }
        }
        packs
    }

    pub fn letters(self) -> Vec<DeadLetter> {
        self.0
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Takes a letter out, which is kept alone from then on.
    pub fn take(&mut self, id: DeadLetterId) -> Option<DeadLetter> {
        let place = self.0.iter().position(|letter| letter.id == id)?;
        Some(self.0.remove(place))
    }
}

impl Record for LetterPack {
    fn encode(&self) -> Vec<u8> {
        debug_assert!(self.0.iter().all(|letter| letter.status == LetterStatus::Parked));
        lz4_flex::compress_prepend_size(&cbor_encode(self))
    }

    fn decode(_: u8, bytes: &[u8]) -> Result<Self, RecordError> {
        let damaged = |what: &str| RecordError::Payload(what.to_owned());
        let size = bytes.first_chunk::<4>().map(|size| u32::from_le_bytes(*size) as usize);
        if size.is_none_or(|size| size > MOST_UNPACKED) {
            return Err(damaged("a pack has a wrong size"));
        }
        let plain = lz4_flex::decompress_size_prepended(bytes)
            .map_err(|_| damaged("a pack does not decompress"))?;
        cbor_decode(&plain)
    }
}
