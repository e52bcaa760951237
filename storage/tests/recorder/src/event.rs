//! What is recorded, and how it stands in the log. The test that reads the log includes this file.

/// What a process has done to its files. Numbers are never changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A file at `name` has come into being.
    Create = 1,
    /// A folder at `name` has.
    MakeFolder = 2,
    /// `bytes` were written at `at`.
    Write = 3,
    /// The file is now `at` bytes long.
    Length = 4,
    /// The file or folder was synced, with all that is known of it.
    Sync = 5,
    /// Its contents were synced, and what is needed to read them.
    SyncData = 6,
    /// A part of the file was handed to the disk, which guarantees nothing.
    SyncRange = 7,
    /// All was synced.
    SyncAll = 8,
    /// A sync was refused.
    SyncFailed = 9,
    /// `name` is now called what `bytes` say.
    Rename = 10,
    Remove = 11,
    RemoveFolder = 12,
    /// The process has said `bytes` on its standard output.
    Said = 13,
    /// A call was made to fail: `name` says which.
    Refused = 14,
    /// Something was done that is not recorded: `name` says what.
    Unknown = 15,
}

impl Kind {
    const ALL: [Self; 15] = [
        Self::Create,
        Self::MakeFolder,
        Self::Write,
        Self::Length,
        Self::Sync,
        Self::SyncData,
        Self::SyncRange,
        Self::SyncAll,
        Self::SyncFailed,
        Self::Rename,
        Self::Remove,
        Self::RemoveFolder,
        Self::Said,
        Self::Refused,
        Self::Unknown,
    ];
}

/// One entry of the log. Names are relative to the folder that is recorded; `node` is the number
/// that the file system gives a file or folder.
#[derive(Clone, Copy, Debug)]
pub struct Event<'a> {
    pub kind: Kind,
    pub node: u64,
    pub at: u64,
    pub name: &'a [u8],
    pub bytes: &'a [u8],
}

const HEAD: usize = 1 + 8 + 8 + 4 + 4;

impl<'a> Event<'a> {
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(HEAD + self.name.len() + self.bytes.len());
        out.push(self.kind as u8);
        out.extend_from_slice(&self.node.to_le_bytes());
        out.extend_from_slice(&self.at.to_le_bytes());
        out.extend_from_slice(&(self.name.len() as u32).to_le_bytes());
        out.extend_from_slice(&(self.bytes.len() as u32).to_le_bytes());
        out.extend_from_slice(self.name);
        out.extend_from_slice(self.bytes);
        out
    }

    /// The first entry of a log, and the rest; `None` at its end, or where it is torn.
    pub fn decode(log: &'a [u8]) -> Option<(Self, &'a [u8])> {
        let (head, rest) = log.split_at_checked(HEAD)?;
        let kind = *Kind::ALL.iter().find(|kind| **kind as u8 == head[0])?;
        let wide = |from: usize| Some(u64::from_le_bytes(*head.get(from..)?.first_chunk()?));
        let narrow = |from: usize| Some(u32::from_le_bytes(*head.get(from..)?.first_chunk()?));
        let (name, rest) = rest.split_at_checked(narrow(17)? as usize)?;
        let (bytes, rest) = rest.split_at_checked(narrow(21)? as usize)?;
        Some((Self { kind, node: wide(1)?, at: wide(9)?, name, bytes }, rest))
    }
}
