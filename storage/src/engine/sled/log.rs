//! What sled 0.34 writes into its file: segments of one size, each with a header and the messages
//! that pages were written with.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

/// A segment begins with a checksum, its place in the log, and the place up to which all was stable
/// when it was begun.
pub(super) const HEADER_BYTES: usize = 20;
/// No message begins so close to the end of a segment.
const LEAST_LEFT: usize = 32;
/// The checksum and the kind of a message; three numbers follow.
const MESSAGE_BEGIN: usize = 5;

/// What a message says of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Replaced,
    Linked,
    Freed,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Message {
    pub(super) page: u64,
    pub(super) kind: Kind,
    /// In the log.
    pub(super) place: u64,
    /// In the file.
    pub(super) offset: u64,
    /// All bytes of the message.
    pub(super) bytes: u64,
}

/// Where in the log the segment with this header begins; `None` for a header that is none.
pub(super) fn place(header: &[u8]) -> Option<u64> {
    let place = i64::from_le_bytes(*header.get(4..)?.first_chunk()?) ^ i64::MAX;
    u64::try_from(place).ok()
}

/// The whole segments of the file by their places in the log, and where each begins in the file.
pub(super) fn segments(file: &File, segment_bytes: u64) -> io::Result<BTreeMap<u64, u64>> {
    let length = file.metadata()?.len();
    let mut found = BTreeMap::new();
    let mut header = [0; HEADER_BYTES];
    let mut offset = 0;
    while offset + HEADER_BYTES as u64 <= length {
        file.read_exact_at(&mut header, offset)?;
        let sum = u32::from_le_bytes([header[0], header[1], header[2], header[3]]);
        if let Some(place) = place(&header)
            && sum == !crc32fast::hash(&header[4..])
        {
            found.insert(place, offset);
        }
        offset += segment_bytes;
    }
    Ok(found)
}

/// Hands out the messages of a segment that was read whole, and stands at `place` in the log and at
/// `offset` in the file; false where something is not what sled writes.
pub(super) fn read_segment(
    segment: &[u8],
    place: u64,
    offset: u64,
    take: &mut impl FnMut(Message),
) -> bool {
    let number = place / segment.len() as u64;
    let mut at = HEADER_BYTES;
    while at + LEAST_LEFT <= segment.len() {
        let Some(said) = Said::read(&segment[at..], number) else { return false };
        let kind = match said.kind {
            CANCELED | BATCH => None,
            FILL => return true,
            FREE => Some(Kind::Freed),
            COUNTER | META | NODE => Some(Kind::Replaced),
            LINK => Some(Kind::Linked),
            // What is kept in a file of its own is not used here.
            _ => return false,
        };
        if let Some(kind) = kind {
            let (begin, bytes) = (at as u64, said.bytes as u64);
            let (place, offset) = (place + begin, offset + begin);
            take(Message { page: said.page, kind, place, offset, bytes });
        }
        at += said.bytes;
    }
    true
}

const CANCELED: u8 = 1;
/// Fills a segment up to its end.
const FILL: u8 = 2;
const BATCH: u8 = 3;
const FREE: u8 = 4;
const COUNTER: u8 = 5;
const META: u8 = 6;
const NODE: u8 = 8;
const LINK: u8 = 10;

struct Said {
    kind: u8,
    page: u64,
    bytes: usize,
}

impl Said {
    /// The whole message at the beginning of `bytes`, of the segment of this number.
    fn read(bytes: &[u8], number: u64) -> Option<Self> {
        let mut rest = bytes.get(MESSAGE_BEGIN..)?;
        let length = read_number(&mut rest)?;
        let segment = read_number(&mut rest)?;
        let page = read_number(&mut rest)?;
        let head = bytes.len() - rest.len();
        let body = rest.get(..usize::try_from(length).ok()?)?;
        let mut sum = crc32fast::Hasher::new();
        sum.update(body);
        sum.update(&bytes[4..head]);
        let is_whole = bytes[..4] == (!sum.finalize()).to_le_bytes() && segment == number;
        is_whole.then_some(Self { kind: bytes[4], page, bytes: head + body.len() })
    }
}

/// Takes a number off, as sled writes them: small ones in one byte, others in two to nine.
pub(super) fn read_number(from: &mut &[u8]) -> Option<u64> {
    let (&first, rest) = from.split_first()?;
    let (number, bytes) = match first {
        0..=240 => (u64::from(first), 0),
        241..=248 => (240 + 256 * u64::from(first - 241) + u64::from(*rest.first()?), 1),
        249 => (2_288 + 256 * u64::from(*rest.first()?) + u64::from(*rest.get(1)?), 2),
        250.. => {
            let bytes = usize::from(first - 247);
            let mut number = [0; 8];
            number[..bytes].copy_from_slice(rest.get(..bytes)?);
            (u64::from_le_bytes(number), bytes)
        }
    };
    *from = &rest[bytes..];
    Some(number)
}

/// Appends a number as sled writes them.
pub(super) fn write_number(out: &mut Vec<u8>, number: u64) {
    match number {
        0..=240 => out.push(number as u8),
        241..=2_287 => {
            out.extend([((number - 240) / 256 + 241) as u8, ((number - 240) % 256) as u8]);
        }
        2_288..=67_823 => {
            out.extend([249, ((number - 2_288) / 256) as u8, ((number - 2_288) % 256) as u8]);
        }
        _ => {
            let bytes = (8 - number.leading_zeros() as usize / 8).max(3);
            out.push((bytes + 247) as u8);
            out.extend(&number.to_le_bytes()[..bytes]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_read_as_it_was_written_in_no_more_bytes_than_sled_takes() {
        let sizes = [
            (0, 1),
            (240, 1),
            (241, 2),
            (2_287, 2),
            (2_288, 3),
            (67_823, 3),
            (67_824, 4),
            (0xFF_FFFF, 4),
            (0x100_0000, 5),
            (u64::from(u32::MAX) + 1, 6),
            (u64::MAX >> 8, 8),
            (u64::MAX, 9),
        ];
        for (number, size) in sizes {
            let mut out = Vec::new();
            write_number(&mut out, number);
            assert_eq!(out.len(), size, "{number}");
            let mut rest = out.as_slice();
            assert_eq!((read_number(&mut rest), rest), (Some(number), &[][..]));
            assert_eq!(read_number(&mut &out[..size - 1]), None);
        }
    }
}
