//! Indexes of fingerprints: keys that are taken once and stay taken, tens of millions of them.
//!
//! A claim costs no row of its own: those of a group go into few rows of a log, and once durable
//! into a table in memory. A full table becomes a run, a file with its claims in order; runs of
//! like size are merged. A row for each run says that it counts.
//!
//! # Why no fingerprint is claimed twice
//! Rows of the log are numbered in the order in which they become durable, and tables and runs
//! hold the claims of spans of them. `floor` is the row below which all claims are in runs.
//!
//! 1. The committer decides, in the order of the groups. Whatever was claimed before is, for it,
//!    in the group that it puts together, or in the one before, which it holds at hand and which
//!    may be on its way to the disk, or durable and therefore taken in: a group is taken in before
//!    the next one is sent on its way.
//! 2. What was taken in is in a table or in a run of the list, and both are looked at in one
//!    view: a table leaves in the same step in which its run comes, and a run in the same step
//!    in which the one that it was merged into comes.
//! 3. A search leaves `seen` behind, the `floor` of its view. A run whose claims all stand
//!    below it (its `until` is not above `seen`) consists of claims that were in the runs of
//!    that view, so a fingerprint that was found free is not in it. What was claimed since then
//!    is in one of the two groups, in a table, or in a run that reaches beyond `seen`; merging keeps the
//!    highest `until`. The committer looks at these, and reads nothing for the rest.
//! 4. After a crash the runs are those that have a row. The highest `until` of them is the
//!    floor, since the row of a run is committed behind those of all older tables, and the log
//!    from there on makes the tables anew. Rows of the log are deleted only below the floor.
//!    Files without a row are removed; files whose row is gone were merged into one that counts.
//!
//! Runs are files beside the engine's rows: the engine writes each row about three times, and each
//! merge would pass through the committer. A file is synced before its row is committed.

mod block;
mod entry;
mod export;
mod fault;
mod filter;
mod filters;
mod find;
mod group;
mod log;
mod memory;
mod merge;
mod open;
mod page;
mod run;
mod state;
mod upkeep;

pub(crate) use export::{Walk, claims};
pub(crate) use group::GroupClaims;
pub(crate) use state::Indexes;
pub(crate) use upkeep::run as look_after_runs;

/// An index of fingerprints, each of which is claimed once within its scope and stays claimed
/// for ever, with sixteen bytes that tell what it was claimed for.
///
/// The tag is what the disk knows: it is never changed and never given to another index. Tags
/// of indexes and tags of tables do not meet. The name is for messages only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Index {
    tag: u16,
    name: &'static str,
}

impl Index {
    pub const fn new(tag: u16, name: &'static str) -> Self {
        Self { tag, name }
    }

    pub const fn tag(&self) -> u16 {
        self.tag
    }

    pub const fn name(&self) -> &'static str {
        self.name
    }
}

/// Sixteen bytes that stand for a longer key: the beginning of its cryptographic hash. All of
/// its bits are taken for random; where they are not, searches are slower and still exact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Fingerprint(pub [u8; 16]);

/// What a fingerprint was claimed for.
pub type Taken = [u8; 16];

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lookup {
    /// What each fingerprint was claimed for, in the order in which they were asked for; `None`
    /// for one that is free.
    pub found: Vec<Option<Taken>>,
    /// How far the search went, to be handed in with the claims that it leads to.
    pub seen: Seen,
}

/// How far a search for fingerprints has looked. The committer takes the search's word for what
/// it has seen, so it goes with claims on fingerprints that this very search, or a later one,
/// has found free; of several searches the [least](Ord::min) goes with all. The default has
/// seen nothing and goes with any.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Seen(u64);

impl Seen {
    pub(crate) const ALL: Self = Self(u64::MAX);
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IndexOptions {
    /// Claims in memory that make a run together. 192 Ki unless told, which is about 10 MB for
    /// each of one to four such tables.
    pub table: usize,
    /// Claims on a page of a run, at most 4,096. What is read for one search; 256 unless told.
    pub page: usize,
    /// Runs of like size that are merged into one, at least 2. More mean less writing and slower
    /// searches; 4 unless told.
    pub fan_in: usize,
    /// Bytes of filters in memory, beyond which those that were of no use for longest are
    /// forgotten. Each claim that is searched for often needs about 1.7; 128 MiB unless told.
    pub filter_bytes: u64,
}

impl Default for IndexOptions {
    fn default() -> Self {
        Self { table: 192 * 1024, page: 256, fan_in: 4, filter_bytes: 128 * 1024 * 1024 }
    }
}

impl IndexOptions {
    fn sane(self) -> Self {
        Self {
            table: self.table.max(1),
            page: self.page.clamp(1, 4_096),
            fan_in: self.fan_in.max(2),
            ..self
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IndexStats {
    pub entries: u64,
    pub in_memory: usize,
    pub runs: usize,
    /// Bytes of the files of the runs.
    pub run_bytes: u64,
    pub filter_bytes: u64,
}
