//! Reading files of a journal a group at a time, wherever they were put.

use std::fs::{self, File};
use std::io::{self, BufReader, Read as _, Seek as _, SeekFrom};
use std::path::PathBuf;

use super::file::{self, Head};
use super::frame;
use super::listing::{Damaged, Headless, Listing, begin, is_sealed};
use super::seal;

/// A group as it was written.
#[derive(Debug)]
pub(crate) struct Group {
    pub(crate) number: u64,
    /// When it was written, in microseconds since 1970.
    pub(crate) at: u64,
    /// Its changes, for [`read_changes`](frame::read_changes).
    pub(crate) payload: Vec<u8>,
}

#[derive(Debug, thiserror::Error)]
pub enum ChainError {
    #[error("{} cannot be read: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },
    #[error("{} cannot be written: {source}", path.display())]
    Unwritable { path: PathBuf, source: io::Error },
    #[error("{} is damaged: {detail}", path.display())]
    Damaged { path: PathBuf, detail: String },
    #[error(
        "{damage}; no other file shows what it has from group {group} on: name the folder of a \
         whole one as well or, if nothing follows it, take it out to restore what lies before it"
    )]
    Wanted { damage: Box<ChainError>, group: u64 },
    #[error(
        "groups {first} to {last} are missing: no file has them, and {} goes on behind them; name \
         the folder that has their file as well",
        path.display()
    )]
    Gap { first: u64, last: u64, path: PathBuf },
    #[error(
        "{} has other groups than the journal, as when the data folder was put back to an older \
         state: name another folder for the archive and take a backup, since what follows does not \
         go on behind this one",
        .path.display()
    )]
    OtherGroups { path: PathBuf },
    #[error(
        "{} was copied to the archive and is not there: see that the disk of the archive is \
         mounted; if the archive is lost, name another folder for it and take a backup",
        .path.display()
    )]
    Away { path: PathBuf },
}

impl ChainError {
    pub(super) fn without_head(path: PathBuf) -> Self {
        Self::Damaged { path, detail: "its head is not whole".to_owned() }
    }
}

/// The groups of a store in their order, from whichever files have them.
///
/// A sealed file that is damaged is passed over as long as others have its groups, or nobody asks
/// for them: it ends the chain where what is in it would be next.
pub(crate) struct Chain {
    /// In the order of their first groups.
    files: std::vec::IntoIter<(Head, PathBuf)>,
    reader: Option<Reader>,
    next: u64,
    /// A whole group that stands behind one that is not.
    behind: Option<(u64, PathBuf)>,
    store: u64,
    damaged: Vec<Damaged>,
    headless: Vec<Headless>,
    /// Of the files that were read, those of the highest number.
    newest: Vec<(Head, PathBuf)>,
}

impl Chain {
    /// The groups from `next` on in the files of a store in these folders. Files of other stores
    /// are passed over.
    pub(crate) fn new(folders: &[PathBuf], store: u64, next: u64) -> Result<Self, ChainError> {
        let Listing { mut files, damaged, headless, foreign } = Listing::of(folders, store)?;
        for error in foreign {
            tracing::warn!(%error, "a file of another store is passed over");
        }
        for Damaged { error, .. } in &damaged {
            tracing::warn!(%error, "a file is passed over as long as nothing of it is wanted");
        }
        files.drain(..begin(&files, next));
        let (files, newest) = (files.into_iter(), Vec::new());
        Ok(Self { files, reader: None, next, behind: None, store, damaged, headless, newest })
    }

    /// Passes over groups that are wanted and stand in no file before the first; where it begins.
    pub(crate) fn begin_at_first(&mut self) -> u64 {
        let first = self.files.as_slice().first().map(|(head, _)| head.first);
        self.next = self.next.max(first.unwrap_or(self.next));
        self.next
    }

    /// The next group; `None` behind the last.
    pub(crate) fn next(&mut self) -> Result<Option<Group>, ChainError> {
        loop {
            if let Some(reader) = &mut self.reader {
                match reader.next()? {
                    Some(group) if group.number < self.next => continue,
                    Some(group) if group.number == self.next => {
                        self.next += 1;
                        return Ok(Some(group));
                    }
                    _ => self.end_file()?,
                }
            }
            match self.files.next() {
                Some((head, path)) if head.first > self.next => {
                    self.refuse_behind()?;
                    self.refuse_damaged_before(head.number)?;
                    return Err(ChainError::Gap { first: self.next, last: head.first - 1, path });
                }
                Some((head, path)) => self.open(head, path)?,
                None => {
                    self.refuse_behind()?;
                    self.refuse_damaged_end()?;
                    return Ok(None);
                }
            }
        }
    }

    fn open(&mut self, head: Head, path: PathBuf) -> Result<(), ChainError> {
        match Reader::open(path.clone(), head) {
            Ok(reader) => {
                if self.reached() < head.number {
                    self.newest.clear();
                }
                self.newest.push((head, path));
                self.reader = Some(reader);
            }
            Err(error) if is_sealed(&path) => {
                tracing::warn!(%error, "a file is passed over as long as others have its groups");
                self.damaged.push(Damaged { number: Some(head.number), path, error });
            }
            Err(error) => return Err(error),
        }
        Ok(())
    }

    /// The highest number of a file that was read; 0 before the first.
    fn reached(&self) -> u64 {
        self.newest.iter().map(|(head, _)| head.number).max().unwrap_or(0)
    }

    /// What is missing before a file of this number may be in one that is damaged.
    fn refuse_damaged_before(&mut self, number: u64) -> Result<(), ChainError> {
        let may_be = self.reached()..number;
        let damaged = self.damaged.iter().enumerate();
        let wanted = damaged
            .filter(|(_, one)| one.number.is_none_or(|number| may_be.contains(&number)))
            .filter(|(_, one)| !self.is_shown(one))
            .max_by_key(|(_, one)| one.number)
            .map(|(at, _)| at);
        self.refuse(wanted)
    }

    /// What is damaged may go on behind the end: unless a file with a higher number was read, or
    /// one of the same number that has all that it had. What has no head does if it has the next.
    fn refuse_damaged_end(&mut self) -> Result<(), ChainError> {
        let reached = self.reached();
        let wanted = self.damaged.iter().position(|one| {
            let is_before = one.number.is_some_and(|number| number < reached);
            !is_before && !self.is_shown(one)
        });
        self.refuse(wanted)?;
        for headless in &self.headless {
            if headless.goes_on(self.store, self.next)? {
                let damage = Box::new(headless.damage());
                return Err(ChainError::Wanted { damage, group: self.next });
            }
        }
        Ok(())
    }

    /// Whether a file of its number was read that has all that a damaged one had.
    fn is_shown(&self, damaged: &Damaged) -> bool {
        self.newest.iter().any(|(head, path)| {
            Some(head.number) == damaged.number && seal::is_within(&damaged.path, *head, path)
        })
    }

    fn refuse(&mut self, damaged: Option<usize>) -> Result<(), ChainError> {
        let Some(at) = damaged else { return Ok(()) };
        let damage = Box::new(self.damaged.swap_remove(at).error);
        Err(ChainError::Wanted { damage, group: self.next })
    }

    /// What is not whole is the torn end of a crash, unless something whole stands behind it.
    fn end_file(&mut self) -> Result<(), ChainError> {
        let Some(reader) = self.reader.take() else { return Ok(()) };
        if let Some(group) = reader.behind(self.next - 1)? {
            self.behind = Some((group, reader.path));
        }
        Ok(())
    }

    fn refuse_behind(&mut self) -> Result<(), ChainError> {
        match self.behind.take().filter(|(group, _)| *group >= self.next) {
            Some((group, path)) => {
                let detail = format!("group {group} stands in it behind one that is not whole");
                Err(ChainError::Damaged { path, detail })
            }
            None => Ok(()),
        }
    }
}

/// The groups of one file.
pub(super) struct Reader {
    path: PathBuf,
    file: BufReader<File>,
    head: Head,
    at: u64,
    end: u64,
    /// The frame of the last group that was read.
    frame: Vec<u8>,
}

impl Reader {
    pub(super) fn open(path: PathBuf, head: Head) -> Result<Self, ChainError> {
        let end = if is_sealed(&path) {
            seal::check(&path)?
        } else {
            let length = fs::metadata(&path).map(|found| found.len());
            length.map_err(|source| ChainError::Io { path: path.clone(), source })?
        };
        let opened = File::open(&path).and_then(|mut file| {
            file.seek(SeekFrom::Start(file::HEAD_BYTES as u64))?;
            Ok(BufReader::new(file))
        });
        let file = opened.map_err(|source| ChainError::Io { path: path.clone(), source })?;
        Ok(Self { path, file, head, at: file::HEAD_BYTES as u64, end, frame: Vec::new() })
    }

    /// The next group of the file; `None` where there is none that is whole.
    pub(super) fn next(&mut self) -> Result<Option<Group>, ChainError> {
        self.read().map_err(|source| ChainError::Io { path: self.path.clone(), source })
    }

    fn read(&mut self) -> io::Result<Option<Group>> {
        let left = self.end - self.at;
        if left < frame::HEAD_BYTES as u64 {
            return Ok(None);
        }
        let mut head = [0; frame::HEAD_BYTES];
        self.file.read_exact(&mut head)?;
        let taken = frame::taken(&head);
        if taken > left {
            return Ok(None);
        }
        self.frame.clear();
        self.frame.extend_from_slice(&head);
        self.frame.resize(usize::try_from(taken).map_err(io::Error::other)?, 0);
        self.file.read_exact(&mut self.frame[frame::HEAD_BYTES..])?;
        let Some((found, _)) = frame::read(&self.frame, self.head.seed()) else { return Ok(None) };
        self.at += taken;
        Ok(Some(Group { number: found.group, at: found.at, payload: found.payload.to_vec() }))
    }

    /// The frame of the group that was read last, as it stands in the file.
    pub(super) fn frame(&self) -> &[u8] {
        &self.frame
    }

    /// A whole group above `last` behind the end of those that were read.
    fn behind(&self, last: u64) -> Result<Option<u64>, ChainError> {
        let read = || {
            let mut file = File::open(&self.path)?;
            file.seek(SeekFrom::Start(self.at))?;
            let mut rest = Vec::new();
            file.take(self.end - self.at).read_to_end(&mut rest)?;
            Ok(frame::read_behind(&rest, self.head.seed(), last).map(|found| found.group))
        };
        read().map_err(|source| ChainError::Io { path: self.path.clone(), source })
    }
}
