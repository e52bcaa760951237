//! Ordered keys, atomic batches with claims and sequences, one durable writer.
//!
//! * A [`Store`] is one folder on one disk, held by one process.
//! * A [`Table`] names a range of keys and says which types its keys and rows have; a [`Key`]
//!   turns into bytes whose order is the order of its values, a [`Record`] into a row that
//!   carries its version and a checksum.
//! * A [`Shard`] is what every key begins with: all that lies in one is one range of keys. A key says
//!   which shard it is in; a walk over keys of several takes one shard after the other.
//! * A [`Batch`] is everything that happens together: rows put and deleted, claims on keys that
//!   must be absent, and numbers drawn from gapless sequences. All of it or nothing.
//! * An [`Index`] keeps fingerprints that are claimed once and for ever, packed and exact, for
//!   keys of which there are too many for a row each.
//! * [`Reads`] are the rows and ranges that somebody needs together, read with one request and as
//!   of one moment.
//! * One committer takes the batches that are queued, resolves them in the order they were handed
//!   in, appends the whole group to a journal, syncs it once, lets everybody see it, and answers in
//!   that same order. While one group is on its way, the next one is resolved against it. No batch
//!   is seen or answered before it would survive a power cut.
//! * A [`Backup`] is one file of all of it, taken while others write, and a [`RestorePlan`] makes a
//!   folder from it, as of any later moment that the journal has.
//! * What was written last stands in memory. The engine gets it in the background, packed into
//!   blocks; what is gone by then it never sees. A [`Snapshot`] reads all rows as of one moment.
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use storage::{Batch, Options, Scan, Store, Table};
//!
//! const NAMES: Table<(u64, String), u64> = Table::new(1, "names");
//!
//! # let home = tempfile::tempdir()?;
//! let store = Store::open(&home.path().join("data"), Options::default())?;
//! let mut batch = Batch::new();
//! batch.claim(NAMES, &(7, "ada".to_owned()), &1815);
//! let numbered = batch.draw(&(7_u64,));
//! let receipt = store.write_blocking(batch)?;
//! assert_eq!(receipt.numbers[numbered], 1);
//!
//! assert_eq!(store.get(NAMES, &(7, "ada".to_owned()))?, Some(1815));
//! assert_eq!(store.scan(NAMES, Scan::prefix(&(7_u64,))).count(), 1);
//! store.close();
//! # Ok(())
//! # }
//! ```

mod backup;
mod batch;
mod commit;
mod engine;
mod error;
mod export;
mod fatal;
mod folder;
mod free_space;
mod ids;
mod in_flight;
mod index;
mod journal;
mod key;
mod lane;
mod layout;
mod lock;
mod moving;
mod numbers;
mod open_files;
mod owned;
mod reads;
mod recent;
mod record;
mod rehearsal;
mod restored;
mod rests;
mod scan;
mod shard;
mod shared;
mod stats;
mod store;
mod sums;
mod table;
#[cfg(feature = "testing")]
pub mod testing;
mod view;

pub use backup::{
    Backup, BackupError, BackupInfo, Outdated, Restoration, RestorePlan, check_backup,
};
pub use batch::{Batch, MAX_KEY_BYTES, MAX_VALUE_BYTES, Receipt};
pub use commit::Writer;
pub use error::{Claimed, CommitError, OpenError, ReadError};
pub use export::{Export, RawRow};
pub use fatal::Fatal;
pub use free_space::FreeSpace;
pub use in_flight::InFlight;
pub use index::{Fingerprint, Index, IndexOptions, IndexStats, Lookup, Seen, Taken};
pub use journal::ChainError;
pub use key::{Key, KeyError, KeyReader, KeyWriter};
pub use lane::Lane;
pub use numbers::{Link, Numbers};
pub use owned::RowKey;
pub use reads::{Found, Reads, Wanted};
pub use record::{CborRecord, Record, RecordError, cbor_decode, cbor_encode};
pub use rehearsal::Rehearsal;
pub use scan::{Scan, ScanIter};
pub use shard::Shard;
pub use stats::Stats;
pub use store::{Options, ShardOf, Store};
pub use sums::Sum;
pub use table::{FIRST_RESERVED_TAG, IdKind, SEQUENCES, Table};
pub use view::{Snapshot, View};
