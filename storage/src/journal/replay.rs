//! Opening: what of the journal the engine does not hold is handed out in order.

use std::collections::VecDeque;
use std::fs::{self, File};
use std::hash::{BuildHasher as _, RandomState};
use std::os::unix::fs::FileExt as _;
use std::path::Path;

use super::file::{self, Head, Open};
use super::frame::{self, Frame};
use super::listing::head_of;
use super::{Journal, Sealed, Sizes, home};
use crate::engine::Change;
use crate::error::OpenError;
use crate::folder;

/// Hands out a group and its changes.
pub(crate) type Replayed<'r> = dyn FnMut(u64, Vec<Change>) -> Result<(), OpenError> + 'r;

/// What was read of a file.
struct Read {
    head: Head,
    /// The last group of the file, or of the one before where it has none.
    last: u64,
    /// When the last group was written.
    at: u64,
    /// Where its frame begins.
    last_begin: usize,
    end: usize,
}

/// Opens the journal of a store, and hands out each group above `applied`, the last one that the
/// engine holds. Fails where groups are missing or damaged that were durable once, of which `seen`
/// is the last that is known of, and leaves all files as they are then.
pub(crate) fn replay(
    store: &Path,
    (applied, seen): (u64, u64),
    sizes: Sizes,
    replayed: &mut Replayed<'_>,
) -> Result<Journal, OpenError> {
    let refused = |source| folder::refusal(store, source);
    let folder = home(store).map_err(refused)?;
    let mut files = VecDeque::<Read>::new();
    let numbers = file::numbers(&folder).map_err(refused)?;
    for (at, &number) in numbers.iter().enumerate() {
        let damaged = |detail: &str| OpenError::Damaged {
            folder: store.to_owned(),
            detail: format!("{}: {detail}", file::path(&folder, number).display()),
        };
        // The newest two say what was written last, and when.
        let is_old = numbers.len() - at > 2;
        let applied_file = is_old.then(|| read_heads(&folder, number, applied)).flatten();
        let (head, bytes) = match &applied_file {
            Some(read) => (Some(read.head), Vec::new()),
            None => {
                let bytes = fs::read(file::path(&folder, number)).map_err(refused)?;
                (Head::of(&bytes).filter(|head| head.number == number), bytes)
            }
        };
        let is_newest = at + 1 == numbers.len();
        let before = files.back();
        let Some(head) = head else {
            // A crash came between its making and its first sync: nothing was acknowledged in it.
            if is_newest && !was_begun(&bytes, before, number) {
                break;
            }
            return Err(damaged("its head is not whole"));
        };
        if before.is_some_and(|before| before.head.store != head.store) {
            return Err(damaged("it belongs to another store"));
        }
        if before.is_some_and(|before| before.last + 1 != head.first) {
            return Err(damaged("the groups before it are missing"));
        }
        if before.is_none() && head.first > applied + 1 {
            return Err(damaged(&format!(
                "it begins with group {}, and the engine holds no more than {applied}",
                head.first
            )));
        }
        if let Some(read) = applied_file {
            files.push_back(read);
            continue;
        }
        let read = read_frames(&bytes, head, |frame| {
            if frame.group <= applied {
                return Ok(());
            }
            let changes = frame::read_changes(frame.payload);
            replayed(frame.group, changes.ok_or_else(|| damaged("a frame has no sense"))?)
        })?;
        let rest = &bytes[read.end..];
        if let Some(lost) = frame::read_behind(rest, head.seed(), read.last) {
            return Err(damaged(&format!(
                "group {} is damaged, group {} stands behind it",
                read.last + 1,
                lost.group
            )));
        }
        files.push_back(read);
    }
    let reached = files.back().map_or(applied, |read| read.last.max(applied));
    if reached < seen {
        let detail = format!("the last {} acknowledged groups are missing", seen - reached);
        return Err(OpenError::Damaged { folder: store.to_owned(), detail });
    }
    count_kept(&folder, &mut files, sizes.kept);
    let newest = files.pop_back();
    let at = files.iter().chain(&newest).map(|read| read.at).max().unwrap_or(0);
    let sealed = files.iter().map(|read| Sealed {
        number: read.head.number,
        last: read.last,
        bytes: read.end as u64,
    });
    let sealed: VecDeque<Sealed> = sealed.collect();
    let (newest, last) = match newest {
        Some(Read { head, last, last_begin, end, .. }) if last >= applied => {
            let newest = Open::go_on(&folder, head, end as u64).map_err(refused)?;
            // The process before may have left a group that was never synced, and is seen from now.
            newest.write_again(last_begin as u64).map_err(refused)?;
            newest.sync().and_then(|()| folder::sync(&folder)).map_err(refused)?;
            (newest, last)
        }
        // What the journal lacks the engine holds: begun anew behind that.
        other => {
            for number in numbers {
                fs::remove_file(file::path(&folder, number)).map_err(refused)?;
            }
            let head = Head {
                store: other.as_ref().map_or_else(random, |read| read.head.store),
                number: other.map_or(1, |read| read.head.number + 1),
                first: applied + 1,
            };
            let newest = Open::begin(&folder, head).map_err(refused)?;
            newest.sync().and_then(|()| folder::sync(&folder)).map_err(refused)?;
            return Ok(Journal::new(folder, newest, (applied, at), VecDeque::new(), sizes));
        }
    };
    let mut journal = Journal::new(folder, newest, (last, at), sealed, sizes);
    journal.applied = applied;
    Ok(journal)
}

/// What the heads of a file and of the next say, where the engine holds all groups of the file: a
/// start that finds many that a backup or an archive has held does not read them all. `None` where
/// it is to be read. Where its groups end is not known.
fn read_heads(folder: &Path, number: u64, applied: u64) -> Option<Read> {
    let path = file::path(folder, number);
    let head = head_of(&path).ok().flatten()?;
    let next = head_of(&file::path(folder, number + 1)).ok().flatten()?;
    let is_applied = next.first > head.first && next.first <= applied + 1;
    if !is_applied || next.store != head.store {
        return None;
    }
    Some(Read { head, last: next.first - 1, at: 0, last_begin: file::HEAD_BYTES, end: 0 })
}

/// Finds where the groups end of those of the files that are to be kept; older ones count as
/// nothing. A file that is used again may be longer than its groups are.
fn count_kept(folder: &Path, files: &mut VecDeque<Read>, kept: u64) {
    let mut bytes = 0;
    for read in files.iter_mut().rev().skip(1) {
        if bytes >= kept {
            return;
        }
        if read.end == 0 {
            read.end = end_of(&file::path(folder, read.head.number), read.last).unwrap_or(0);
        }
        bytes += read.end as u64;
    }
}

/// Where the frames of a file end of which `last` is the last group, by their heads.
fn end_of(path: &Path, last: u64) -> Option<usize> {
    let file = File::open(path).ok()?;
    let (mut at, mut head) = (file::HEAD_BYTES as u64, [0; frame::HEAD_BYTES]);
    loop {
        file.read_exact_at(&mut head, at).ok()?;
        at += frame::taken(&head);
        let group = u64::from_le_bytes(*head[8..].first_chunk()?);
        if group >= last {
            return usize::try_from(at).ok().filter(|_| group == last);
        }
    }
}

/// Reads the frames of a file up to the first that is not whole.
fn read_frames(
    bytes: &[u8],
    head: Head,
    mut take: impl FnMut(Frame<'_>) -> Result<(), OpenError>,
) -> Result<Read, OpenError> {
    let mut read = Read {
        head,
        last: head.first - 1,
        at: 0,
        last_begin: file::HEAD_BYTES,
        end: file::HEAD_BYTES,
    };
    while let Some((frame, taken)) = frame::read(&bytes[read.end..], head.seed()) {
        if frame.group != read.last + 1 {
            break;
        }
        read.last = frame.group;
        read.at = frame.at;
        read.last_begin = read.end;
        read.end = (read.end + taken).min(bytes.len());
        take(frame)?;
    }
    Ok(read)
}

/// Whether a file without a whole head has had a frame: the head was whole then.
fn was_begun(bytes: &[u8], before: Option<&Read>, number: u64) -> bool {
    let frames = bytes.get(file::HEAD_BYTES..).unwrap_or_default();
    // Without one before it was no file in an earlier use: what is in it are its own frames.
    let Some(before) = before else { return frames.iter().any(|byte| *byte != 0) };
    let head = Head { store: before.head.store, number, first: before.last + 1 };
    let first = frame::read(frames, head.seed()).is_some();
    first || frame::read_behind(frames, head.seed(), before.last).is_some()
}

fn random() -> u64 {
    RandomState::new().hash_one(0_u8)
}

#[cfg(test)]
mod tests;
