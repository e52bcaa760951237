//! Snapshots of sled's pages, written while it runs.
//!
//! sled writes one only while it opens, and then reads its whole log from the last one on: after
//! ten million payments that would take a minute. So each time the log has grown by a good part the
//! newest snapshot is carried on, to the beginning of a segment before which all is durable.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use super::absent_is_fine;
use super::log::{self, Kind, Message, read_number, write_number};
use super::opening::{self, UNFINISHED, name_of, newest, remove_snapshots};
use crate::folder;

/// More writings of one page sled does not count.
const MOST_LINKS: usize = 254;

/// Where a writing of a page stands.
#[derive(Clone, Copy)]
struct Written {
    place: u64,
    offset: u64,
    bytes: u64,
}

/// What a snapshot says of a page.
enum Page {
    Free(Written),
    /// Its last whole writing, and what was written of it since.
    There(Vec<Written>),
}

/// Where the newest segment begins in the log. All before it is durable after the next sync.
pub(super) fn newest_segment(file: &File, segment_bytes: usize) -> io::Result<u64> {
    let segments = log::segments(file, segment_bytes as u64)?;
    Ok(segments.last_key_value().map_or(0, |(place, _)| *place))
}

/// Carries the newest snapshot on to the beginning of a segment before which all is durable, and
/// gives its bytes; `None` where the log is not what is expected, and the last snapshot stays.
///
/// sled must not write meanwhile: a segment that it uses again tells nothing of its pages.
pub(super) fn carry_on(
    home: &Path,
    file: &File,
    segment_bytes: usize,
    until: u64,
) -> io::Result<Option<u64>> {
    let before = newest(home)?;
    if before.unwrap_or(0) >= until {
        return Ok(Some(0));
    }
    let old = match before {
        Some(place) => fs::read(home.join(name_of(place)))?,
        None => Vec::new(),
    };
    let from = before.unwrap_or(0);
    let Some(said) = read_log(file, segment_bytes, from, until)? else { return Ok(None) };
    let Some(snapshot) = carried_on(&old, said, until) else { return Ok(None) };
    absent_is_fine(fs::remove_file(unfinished(home, until)))?;
    write(home, &snapshot, until)?;
    Ok(Some(snapshot.len() as u64))
}

/// What the log between two places says of each page, from its last whole writing on.
fn read_log(
    file: &File,
    segment_bytes: usize,
    from: u64,
    until: u64,
) -> io::Result<Option<HashMap<u64, Vec<Message>>>> {
    let mut said = HashMap::<u64, Vec<Message>>::new();
    let mut segment = vec![0; segment_bytes];
    let begin = from / segment_bytes as u64 * segment_bytes as u64;
    for (place, offset) in log::segments(file, segment_bytes as u64)?.range(begin..until) {
        file.read_exact_at(&mut segment, *offset)?;
        let is_whole = log::read_segment(&segment, *place, *offset, &mut |message| {
            if message.place < from {
                return;
            }
            let messages = said.entry(message.page).or_default();
            if message.kind != Kind::Linked {
                messages.clear();
            }
            messages.push(message);
        });
        if !is_whole {
            return Ok(None);
        }
    }
    Ok(Some(said))
}

/// The snapshot that follows from an older one and what the log has said since; `None` where they
/// do not fit together.
fn carried_on(old: &[u8], mut said: HashMap<u64, Vec<Message>>, until: u64) -> Option<Vec<u8>> {
    let mut rest = match old {
        [] => old,
        _ => behind_head(opening::said(old)?)?,
    };
    let mut out = Vec::with_capacity(old.len() + old.len() / 4 + said.len() * 32);
    // Each place is written as one above it, since none at all is written as 0. In no segment.
    out.extend(i64::try_from(until + 1).ok()?.to_le_bytes());
    write_number(&mut out, 0);
    let pages = said.keys().max().map_or(0, |last| last + 1);
    for page in 0.. {
        if page >= pages && rest.is_empty() {
            break;
        }
        let was = if rest.is_empty() { None } else { Some(Page::read(&mut rest)?) };
        let messages = said.remove(&page).unwrap_or_default();
        messages.into_iter().fold(was, Page::after).as_ref()?.write(&mut out)?;
    }
    let length = (out.len() as u64).to_le_bytes();
    let sum = crc32fast::hash(&out).to_le_bytes();
    out.extend(length);
    out.extend(sum);
    Some(out)
}

/// What stands behind the places that a snapshot begins with.
fn behind_head(snapshot: &[u8]) -> Option<&[u8]> {
    let mut rest = snapshot.get(size_of::<i64>()..)?;
    read_number(&mut rest)?;
    Some(rest)
}

fn unfinished(home: &Path, place: u64) -> PathBuf {
    home.join(format!("{}{UNFINISHED}", name_of(place)))
}

/// Writes a snapshot under a name that counts only once it is whole, and removes older ones. One that
/// stands there already is the same: it may be all that there is, and is never less than whole.
pub(super) fn write(home: &Path, snapshot: &[u8], place: u64) -> io::Result<()> {
    let (finished, unfinished) = (home.join(name_of(place)), unfinished(home, place));
    let written = folder::for_the_owner()
        .write(true)
        .create(true)
        .truncate(false)
        .open(&unfinished)
        .and_then(|mut file| file.write_all(snapshot).and_then(|()| file.sync_all()));
    written?;
    fs::rename(&unfinished, &finished)?;
    folder::sync(home)?;
    remove_snapshots(home, |name| name != name_of(place))
}

impl Page {
    /// What is so of a page once the log has said this of it.
    fn after(was: Option<Self>, message: Message) -> Option<Self> {
        let Message { place, offset, bytes, .. } = message;
        let written = Written { place, offset, bytes };
        match (message.kind, was) {
            (Kind::Replaced, _) => Some(Self::There(vec![written])),
            (Kind::Freed, _) => Some(Self::Free(written)),
            (Kind::Linked, Some(Self::There(mut writings))) => {
                if writings.last().is_none_or(|last| last.place < place) {
                    writings.push(written);
                }
                Some(Self::There(writings))
            }
            // Its whole writing has moved to a later place.
            (Kind::Linked, other) => other,
        }
    }

    fn read(from: &mut &[u8]) -> Option<Self> {
        let (&writings, rest) = from.split_first()?;
        *from = rest;
        if writings == 0 {
            return Some(Self::Free(Written::read_place(from)?));
        }
        (0..writings).map(|_| Written::read(from)).collect::<Option<_>>().map(Self::There)
    }

    /// `None` where a page has too many writings.
    fn write(&self, out: &mut Vec<u8>) -> Option<()> {
        match self {
            Self::Free(written) => {
                out.push(0);
                written.write_place(out);
            }
            Self::There(writings) if writings.len() > MOST_LINKS => return None,
            Self::There(writings) => {
                out.push(writings.len() as u8);
                for written in writings {
                    written.write_place(out);
                    write_number(out, written.bytes);
                }
            }
        }
        Some(())
    }
}

impl Written {
    fn read_place(from: &mut &[u8]) -> Option<Self> {
        let (place, rest) = from.split_first_chunk()?;
        // A writing in a file of its own is not used here.
        let rest = rest.strip_prefix(&[0])?;
        *from = rest;
        let place = u64::try_from(i64::from_le_bytes(*place)).ok()?;
        Some(Self { place, offset: read_number(from)?, bytes: 0 })
    }

    fn read(from: &mut &[u8]) -> Option<Self> {
        let written = Self::read_place(from)?;
        Some(Self { bytes: read_number(from)?, ..written })
    }

    fn write_place(&self, out: &mut Vec<u8>) {
        // Places in the log are positive by far.
        out.extend(self.place.to_le_bytes());
        out.push(0);
        write_number(out, self.offset);
    }
}
