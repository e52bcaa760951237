//! Reading files of a journal a group at a time, wherever they were put.

use std::fs::{self, File};
use std::io::{self, BufReader, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

use super::file::{self, Head};
use super::frame;
use super::seal::{self, SEALED};

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
    #[error("{} is damaged: {detail}", path.display())]
    Damaged { path: PathBuf, detail: String },
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

/// The groups of a store in their order, from whichever files have them.
pub(crate) struct Chain {
    /// In the order of their first groups.
    files: std::vec::IntoIter<(Head, PathBuf)>,
    reader: Option<Reader>,
    next: u64,
    /// A whole group that stands behind one that is not.
    behind: Option<(u64, PathBuf)>,
}

impl Chain {
    /// The groups from `next` on in the files of a store in these folders. Files of other stores
    /// are passed over.
    pub(crate) fn new(folders: &[PathBuf], store: u64, next: u64) -> Result<Self, ChainError> {
        let mut files = files_of(folders, store)?;
        files.drain(..begin(&files, next));
        Ok(Self { files: files.into_iter(), reader: None, next, behind: None })
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
                    return Err(ChainError::Gap { first: self.next, last: head.first - 1, path });
                }
                Some((head, path)) => self.reader = Some(Reader::open(path, head)?),
                None => {
                    self.refuse_behind()?;
                    return Ok(None);
                }
            }
        }
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

/// The sealed files of a store in a folder that a chain from group `next` on passes over, oldest
/// first, and how many others there are of it.
pub(crate) fn passed_over(
    folder: &Path,
    store: u64,
    next: u64,
) -> Result<(Vec<PathBuf>, usize), ChainError> {
    let mut files = files_of(&[folder.to_owned()], store)?;
    files.retain(|(_, path)| is_sealed(path));
    let begin = begin(&files, next);
    let needed = files.len() - begin;
    Ok((files.into_iter().take(begin).map(|(_, path)| path).collect(), needed))
}

/// Whether any file in a folder is of the store.
pub(crate) fn has_files(folder: &Path, store: u64) -> Result<bool, ChainError> {
    Ok(!files_of(&[folder.to_owned()], store)?.is_empty())
}

/// The files of a store in these folders, in the order of their first groups.
fn files_of(folders: &[PathBuf], store: u64) -> Result<Vec<(Head, PathBuf)>, ChainError> {
    let mut files = Vec::new();
    for folder in folders {
        let failed = |source| ChainError::Io { path: folder.clone(), source };
        for entry in fs::read_dir(folder).map_err(failed)? {
            let path = entry.map_err(failed)?.path();
            if let Some(head) = head_of(&path)?.filter(|head| head.store == store) {
                files.push((head, path));
            }
        }
    }
    // Of two with the same groups the sealed one first.
    files.sort_by_key(|(head, path)| (head.first, head.number, !is_sealed(path)));
    Ok(files)
}

/// Where among the files of a store a chain from group `next` on begins.
fn begin(files: &[(Head, PathBuf)], next: u64) -> usize {
    let at = files.iter().rposition(|(head, _)| head.first <= next);
    let first = at.map_or(0, |at| files[at].0.first);
    files.partition_point(|(head, _)| head.first < first)
}

/// The head of a file of a journal; `None` where it is none, or a crash came before its first group.
pub(super) fn head_of(path: &Path) -> Result<Option<Head>, ChainError> {
    let failed = |source| ChainError::Io { path: path.to_owned(), source };
    if !is_sealed(path) && path.extension().is_none_or(|kind| kind != file::JOURNAL) {
        return Ok(None);
    }
    let mut bytes = Vec::with_capacity(file::HEAD_BYTES);
    let head = match File::open(path) {
        // It is used again under another number since the folder was listed: nobody holds it.
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        opened => opened.map_err(failed)?,
    };
    head.take(file::HEAD_BYTES as u64).read_to_end(&mut bytes).map_err(failed)?;
    match Head::of(&bytes) {
        None if is_sealed(path) => {
            let detail = "its head is not whole".to_owned();
            Err(ChainError::Damaged { path: path.to_owned(), detail })
        }
        // One that is about to be used again has the head of its last use.
        Some(head) if !is_sealed(path) && file::number(path) != Some(head.number) => Ok(None),
        head => Ok(head),
    }
}

fn is_sealed(path: &Path) -> bool {
    path.extension().is_some_and(|kind| kind == SEALED)
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
