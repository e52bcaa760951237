//! Looking through the file of a backup: nothing is taken from one that is not whole.

use std::path::Path;

use super::block::{Block, Kind, Reader};
use super::{BackupError, End, Head};
use crate::record::cbor_decode;

/// What a whole backup says of itself.
#[derive(Clone, Debug)]
pub struct BackupInfo {
    /// What the caller has said of it.
    pub label: Vec<u8>,
    /// When it was begun, and up to when its groups reach, in microseconds since 1970.
    pub begun: u64,
    pub reaches: u64,
    pub rows: u64,
    pub bytes: u64,
    /// The last group that it has.
    pub group: u64,
    pub(super) store: u64,
}

/// Reads the whole file and proves every checksum. `progress` is told how many bytes of how many
/// are read.
pub fn check_backup(
    file: &Path,
    mut progress: impl FnMut(u64, u64),
) -> Result<BackupInfo, BackupError> {
    let mut blocks = Blocks::open(file)?;
    while blocks.next()?.is_some() {
        progress(blocks.reader.read_bytes(), blocks.reader.length());
    }
    blocks.info()
}

/// The rows and groups of a file, with a proof at the end that they are all.
pub(super) struct Blocks {
    reader: Reader,
    head: Head,
    groups: Option<(u64, u64)>,
    end: Option<End>,
}

pub(super) enum Content {
    Rows(Vec<u8>),
    Group(Vec<u8>),
}

impl Blocks {
    pub(super) fn open(file: &Path) -> Result<Self, BackupError> {
        let mut reader = Reader::open(file)?;
        let Block { kind, payload, .. } = reader.next()?;
        let head = Some(payload).filter(|_| kind == Kind::Head);
        let head = head.and_then(|payload| cbor_decode(&payload).ok());
        let head = head.ok_or_else(|| reader.damaged("its first block"))?;
        Ok(Self { reader, head, groups: None, end: None })
    }

    pub(super) fn path(&self) -> &Path {
        self.reader.path()
    }

    pub(super) fn next(&mut self) -> Result<Option<Content>, BackupError> {
        let Block { kind, payload, before } = self.reader.next()?;
        match kind {
            Kind::Rows if self.groups.is_none() => Ok(Some(Content::Rows(payload))),
            Kind::Group => {
                let number = payload.first_chunk().map(|number| u64::from_le_bytes(*number));
                let number = number.filter(|_| payload.len() >= 16);
                let follows =
                    |number: &u64| self.groups.is_none_or(|(_, last)| last + 1 == *number);
                let number = number.filter(follows);
                let number =
                    number.ok_or_else(|| self.reader.damaged("a group is out of order"))?;
                let first = self.groups.map_or(number, |(first, _)| first);
                self.groups = Some((first, number));
                Ok(Some(Content::Group(payload[16..].to_vec())))
            }
            Kind::End => {
                let end: Option<End> = cbor_decode(&payload).ok();
                let whole = end.filter(|end| {
                    let groups = self.groups.unwrap_or((end.first, end.first - 1));
                    (end.bytes, end.sum) == before && (end.first, end.last) == groups
                });
                let end = whole.ok_or_else(|| self.reader.damaged("its end does not fit"))?;
                if self.reader.read_bytes() != self.reader.length() {
                    return Err(self.reader.damaged("something stands behind its end"));
                }
                self.end = Some(end);
                Ok(None)
            }
            Kind::Head | Kind::Rows => Err(self.reader.damaged("a block is out of order")),
        }
    }

    fn info(self) -> Result<BackupInfo, BackupError> {
        let Some(end) = self.end else { return Err(self.reader.damaged("its end is missing")) };
        let Head { store, begun, label } = self.head;
        Ok(BackupInfo {
            label,
            begun,
            reaches: end.at,
            rows: end.rows,
            bytes: self.reader.length(),
            group: end.last,
            store,
        })
    }
}
