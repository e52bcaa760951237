//! Which files of a store's journal lie in folders, wherever they were put, and which of them are
//! too damaged to say whose they are.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use super::file::{self, Head};
use super::frame;
use super::read::ChainError;
use super::seal::{self, SEALED};

/// What lies in folders of a store's journal.
pub(super) struct Listing {
    /// In the order of their first groups.
    pub(super) files: Vec<(Head, PathBuf)>,
    /// Those of the store, as far as anybody knows, that cannot be read.
    pub(super) damaged: Vec<Damaged>,
    /// Those of any store that have no head.
    pub(super) headless: Vec<Headless>,
    /// Why files cannot be read that are of other stores by their names.
    pub(super) foreign: Vec<ChainError>,
}

/// A sealed file that cannot be read.
pub(super) struct Damaged {
    /// Which of the files of its store it is; `None` where its name does not say.
    pub(super) number: Option<u64>,
    pub(super) path: PathBuf,
    pub(super) error: ChainError,
}

/// A file as a store had it, without a head that is whole: a crash came before its first group, or
/// it is damaged.
pub(super) struct Headless {
    number: u64,
    path: PathBuf,
}

/// What of an archive lies before a group.
pub(crate) struct PassedOver {
    /// Oldest first.
    pub(crate) files: Vec<PathBuf>,
    /// How many others there are of the store.
    pub(crate) needed: usize,
    /// Why files cannot be read that are of other stores by their names.
    pub(crate) foreign: Vec<ChainError>,
}

impl Listing {
    pub(super) fn of(folders: &[PathBuf], store: u64) -> Result<Self, ChainError> {
        let (files, damaged, headless) = (Vec::new(), Vec::new(), Vec::new());
        let mut found = Self { files, damaged, headless, foreign: Vec::new() };
        for folder in folders {
            let failed = |source| ChainError::Io { path: folder.clone(), source };
            for entry in fs::read_dir(folder).map_err(failed)? {
                found.add(entry.map_err(failed)?.path(), store)?;
            }
        }
        // Of two with the same groups the sealed one first.
        found.files.sort_by_key(|(head, path)| (head.first, head.number, !is_sealed(path)));
        Ok(found)
    }

    fn add(&mut self, path: PathBuf, store: u64) -> Result<(), ChainError> {
        let error = match head_of(&path) {
            Ok(Some(head)) => {
                if head.store == store {
                    self.files.push((head, path));
                }
                return Ok(());
            }
            Ok(None) => {
                let number = file::number(&path);
                self.headless.extend(number.map(|number| Headless { number, path }));
                return Ok(());
            }
            Err(error) if is_sealed(&path) => error,
            Err(error) => return Err(error),
        };
        match seal::named(&path) {
            Some((named, _)) if named != store => self.foreign.push(error),
            named => {
                let number = named.map(|(_, number)| number);
                self.damaged.push(Damaged { number, path, error });
            }
        }
        Ok(())
    }
}

impl Headless {
    /// Whether it has a whole group of the store, this one or a later one: their checksums say of
    /// which store and file they are.
    pub(super) fn goes_on(&self, store: u64, next: u64) -> Result<bool, ChainError> {
        let bytes = match fs::read(&self.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
            read => read.map_err(|source| ChainError::Io { path: self.path.clone(), source })?,
        };
        let seed = Head { store, number: self.number, first: next }.seed();
        let frames = bytes.get(file::HEAD_BYTES..).unwrap_or_default();
        let first = frame::read(frames, seed).is_some_and(|(found, _)| found.group >= next);
        Ok(first || frame::read_behind(frames, seed, next.saturating_sub(1)).is_some())
    }

    pub(super) fn damage(&self) -> ChainError {
        ChainError::without_head(self.path.clone())
    }
}

/// The sealed files of a store in a folder that a chain from group `next` on passes over. A damaged
/// one is among them where by its number it lies before the first that the chain reads; any other
/// is refused.
pub(crate) fn passed_over(folder: &Path, store: u64, next: u64) -> Result<PassedOver, ChainError> {
    let listing = Listing::of(&[folder.to_owned()], store)?;
    let Listing { mut files, damaged, foreign, .. } = listing;
    files.retain(|(_, path)| is_sealed(path));
    let begin = begin(&files, next);
    let needed = files.len() - begin;
    // Where it begins behind the group, the chain wants one before it.
    let from = files.get(begin).filter(|(head, _)| head.first <= next);
    let from = from.map_or(0, |(head, _)| head.number);
    files.truncate(begin);
    let mut files: Vec<_> = files.into_iter().map(|(head, path)| (head.number, path)).collect();
    for Damaged { number, path, error } in damaged {
        match number {
            Some(number) if number < from => files.push((number, path)),
            _ => return Err(error),
        }
    }
    files.sort_by_key(|(number, _)| *number);
    let files = files.into_iter().map(|(_, path)| path).collect();
    Ok(PassedOver { files, needed, foreign })
}

/// Whether any file in a folder is of the store, or may be.
pub(crate) fn has_files(folder: &Path, store: u64) -> Result<bool, ChainError> {
    let Listing { files, damaged, headless, .. } = Listing::of(&[folder.to_owned()], store)?;
    let found = !files.is_empty() || !damaged.is_empty();
    headless.iter().try_fold(found, |found, file| Ok(found || file.goes_on(store, 0)?))
}

/// Where among the files of a store a chain from group `next` on begins.
pub(super) fn begin(files: &[(Head, PathBuf)], next: u64) -> usize {
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
        None if is_sealed(path) => Err(ChainError::without_head(path.to_owned())),
        // One that is about to be used again has the head of its last use.
        Some(head) if !is_sealed(path) && file::number(path) != Some(head.number) => Ok(None),
        head => Ok(head),
    }
}

pub(super) fn is_sealed(path: &Path) -> bool {
    path.extension().is_some_and(|kind| kind == SEALED)
}
