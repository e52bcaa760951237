//! Frames: a group each, with a checksum that also covers the file that it is in.
//!
//! A frame is `bytes: u32` of its payload, `checksum: u32`, `group: u64`, `at: u64` in
//! microseconds since 1970, and the payload; the next one begins at a multiple of eight. The
//! payload lists changes, each `key bytes: u16`, `row bytes: u32` or [`DELETED`], key and row.
//! Numbers are little endian.

use crate::engine::Change;

pub(super) const HEAD_BYTES: usize = 24;
const ALIGNMENT: usize = 8;
const DELETED: u32 = u32::MAX;

/// A group as it was written.
#[derive(Debug)]
pub(super) struct Frame<'b> {
    pub(super) group: u64,
    /// When it was written, in microseconds since 1970.
    pub(super) at: u64,
    pub(super) payload: &'b [u8],
}

/// Puts the frame of a group into `out`; `seed` is that of the file.
pub(super) fn write(out: &mut Vec<u8>, seed: u32, group: u64, at: u64, payload: &[u8]) {
    out.clear();
    out.resize(HEAD_BYTES, 0);
    out.extend_from_slice(payload);
    let bytes = payload.len() as u32;
    out[..4].copy_from_slice(&bytes.to_le_bytes());
    out[8..16].copy_from_slice(&group.to_le_bytes());
    out[16..24].copy_from_slice(&at.to_le_bytes());
    let sum = checksum(seed, &out[..4], &out[8..]);
    out[4..8].copy_from_slice(&sum.to_le_bytes());
    out.resize(out.len().next_multiple_of(ALIGNMENT), 0);
}

/// The payload that lists these changes.
pub(crate) fn payload_of(changes: &[Change]) -> Vec<u8> {
    let bytes = |(key, row): &Change| 6 + key.len() + row.as_ref().map_or(0, Vec::len);
    let mut payload = Vec::with_capacity(changes.iter().map(bytes).sum());
    for (key, row) in changes {
        write_change(&mut payload, key, row.as_deref());
    }
    payload
}

/// Appends a change to a payload; without a row it deletes.
pub(crate) fn write_change(out: &mut Vec<u8>, key: &[u8], row: Option<&[u8]>) {
    // Keys are at most 4 KiB and rows at most 64 KiB: batches refuse what is longer.
    out.extend_from_slice(&(key.len() as u16).to_le_bytes());
    let bytes = row.map_or(DELETED, |row| row.len() as u32);
    out.extend_from_slice(&bytes.to_le_bytes());
    out.extend_from_slice(key);
    out.extend_from_slice(row.unwrap_or_default());
}

/// The changes of a payload; `None` where they are not what [`write_change`] makes.
pub(crate) fn read_changes(payload: &[u8]) -> Option<Vec<Change>> {
    let mut changes = Vec::new();
    let mut rest = payload;
    while !rest.is_empty() {
        let ((key, row), bytes) = first_change(rest)?;
        changes.push((key.to_vec(), row.map(<[u8]>::to_vec)));
        rest = &rest[bytes..];
    }
    Some(changes)
}

/// A key and its row, where they stand in a payload.
type ChangeIn<'p> = (&'p [u8], Option<&'p [u8]>);

/// The change that a payload begins with, and how many bytes it takes.
fn first_change(payload: &[u8]) -> Option<(ChangeIn<'_>, usize)> {
    let (key_bytes, behind) = payload.split_first_chunk()?;
    let (row_bytes, behind) = behind.split_first_chunk()?;
    let (key, behind) = behind.split_at_checked(usize::from(u16::from_le_bytes(*key_bytes)))?;
    let (row, behind) = match u32::from_le_bytes(*row_bytes) {
        DELETED => (None, behind),
        bytes => {
            let (row, behind) = behind.split_at_checked(bytes as usize)?;
            (Some(row), behind)
        }
    };
    Some(((key, row), payload.len() - behind.len()))
}

fn lists_changes(mut payload: &[u8]) -> bool {
    while let Some((_, bytes)) = first_change(payload) {
        payload = &payload[bytes..];
    }
    payload.is_empty()
}

/// How many bytes the frame that begins with this head takes, if it is one.
pub(super) fn taken(head: &[u8; HEAD_BYTES]) -> u64 {
    let [a, b, c, d, ..] = *head;
    (HEAD_BYTES as u64 + u64::from(u32::from_le_bytes([a, b, c, d])))
        .next_multiple_of(ALIGNMENT as u64)
}

/// The whole frame at the beginning of `bytes`, and how many bytes it takes; `None` where there
/// is none.
pub(super) fn read(bytes: &[u8], seed: u32) -> Option<(Frame<'_>, usize)> {
    let head = bytes.get(..HEAD_BYTES)?;
    let number =
        |at: usize| u32::from_le_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
    let long = |at: usize| u64::from(number(at)) | u64::from(number(at + 4)) << 32;
    let payload = payload(bytes)?;
    let until = HEAD_BYTES + payload.len();
    if checksum(seed, &head[..4], &bytes[8..until]) != number(4) {
        return None;
    }
    Some((Frame { group: long(8), at: long(16), payload }, until.next_multiple_of(ALIGNMENT)))
}

/// The payload of what may be a frame, by the length at its beginning.
fn payload(bytes: &[u8]) -> Option<&[u8]> {
    let length = u32::from_le_bytes(*bytes.first_chunk()?);
    bytes.get(HEAD_BYTES..HEAD_BYTES.checked_add(length as usize)?)
}

/// The first whole frame behind the beginning of `bytes`, of a group above `last`.
///
/// Only what looks like one is summed up: in a file that is used again there are millions of bytes
/// that by chance begin with a length and a number, and each sum may be over all that is behind.
pub(super) fn read_behind(bytes: &[u8], seed: u32, last: u64) -> Option<Frame<'_>> {
    let most = last.saturating_add((bytes.len() / HEAD_BYTES) as u64);
    (ALIGNMENT..bytes.len().saturating_sub(HEAD_BYTES))
        .step_by(ALIGNMENT)
        .filter(|at| {
            let group = bytes[at + 8..].first_chunk().map(|group| u64::from_le_bytes(*group));
            group.is_some_and(|group| group > last && group <= most)
                && payload(&bytes[*at..]).is_some_and(lists_changes)
        })
        .find_map(|at| read(&bytes[at..], seed).map(|(frame, _)| frame))
}

fn checksum(seed: u32, bytes: &[u8], rest: &[u8]) -> u32 {
    let mut crc = crc32fast::Hasher::new_with_initial(seed);
    crc.update(bytes);
    crc.update(rest);
    crc.finalize()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(group: u64) -> (Vec<u8>, Vec<Change>) {
        let changes = vec![(b"a".to_vec(), Some(b"row".to_vec())), (b"bc".to_vec(), None)];
        let mut out = Vec::new();
        write(&mut out, 7, group, 1_234, &payload_of(&changes));
        (out, changes)
    }

    #[test]
    fn a_frame_is_read_as_it_was_written() {
        let (bytes, changes) = written(5);
        let (frame, taken) = read(&bytes, 7).expect("whole");
        assert_eq!((frame.group, frame.at, taken), (5, 1_234, bytes.len()));
        assert_eq!(read_changes(frame.payload), Some(changes));
    }

    #[test]
    fn a_frame_of_another_file_or_with_a_changed_byte_is_none() {
        let (bytes, _) = written(5);
        assert!(read(&bytes, 8).is_none());
        // The bytes behind the payload only fill up.
        for at in 0..HEAD_BYTES + 6 + 4 + 6 + 2 {
            let mut changed = bytes.clone();
            changed[at] ^= 1;
            assert!(read(&changed, 7).is_none(), "byte {at}");
        }
        assert!(read(&bytes[..bytes.len() - 8], 7).is_none());
        assert!(read(&[0; 64], 7).is_none());
    }

    #[test]
    fn a_whole_frame_behind_a_bad_one_is_found() {
        let mut bytes = written(5).0;
        bytes[30] ^= 1;
        assert!(read_behind(&bytes, 7, 4).is_none());
        bytes.extend(written(6).0);
        assert_eq!(read_behind(&bytes, 7, 4).expect("whole").group, 6);
    }
}
