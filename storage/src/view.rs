//! What is read of a store: its rows as they are, or all as of one moment.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use crate::engine::{Pin, Range, Row};
use crate::error::ReadError;
use crate::export::Export;
use crate::index::{Fingerprint, Index, Lookup};
use crate::key::Key;
use crate::numbers::{Counter, Link};
use crate::reads::{Found, Reads, Walk};
use crate::record::{self, Record};
use crate::rests::Pace;
use crate::scan::{Scan, ScanIter};
use crate::shard::{Shard, Shards};
use crate::shared::{Fetched, Shared};
use crate::table::{Table, sequence_counter};

/// The rows of a [`Store`](crate::Store), each as it is when it is asked for, or of a [`Snapshot`],
/// all as of its moment. Each read may wait for the disk.
#[derive(Clone)]
pub struct View {
    shared: Arc<Shared>,
    pin: Option<Arc<Pin>>,
    pace: Option<Arc<Pace>>,
}

impl View {
    pub(crate) fn of_now(shared: Arc<Shared>) -> Self {
        Self { shared, pin: None, pace: None }
    }

    /// The same rows, to be read beside others: with rests while they write, so that they hardly
    /// notice.
    #[must_use]
    pub fn with_rests(&self) -> Self {
        Self { pace: Some(Arc::new(Pace::new(&self.shared))), ..self.clone() }
    }

    /// The row of a key. A row is seen from the moment its group is durable, which is shortly
    /// before it is answered.
    pub fn get<K: Key, V: Record>(
        &self,
        table: Table<K, V>,
        key: &K,
    ) -> Result<Option<V>, ReadError> {
        let bytes = table.bytes(key);
        let Some(row) = self.row(&bytes)? else { return Ok(None) };
        record::unseal(table.name(), &bytes, &row).map(Some)
    }

    /// Whether a key has a row; the row itself is not looked at.
    pub fn contains<K: Key, V: Record>(
        &self,
        table: Table<K, V>,
        key: &K,
    ) -> Result<bool, ReadError> {
        Ok(self.row(&table.bytes(key))?.is_some())
    }

    /// Walks over rows of a table, fetching them as they are asked for.
    pub fn scan<K: Key, V: Record>(&self, table: Table<K, V>, range: Scan) -> ScanIter<K, V> {
        ScanIter::new(self.clone(), table, range)
    }

    /// Reads all that a request asks for as of one moment: that of this snapshot, or of now.
    pub fn read(&self, reads: &Reads) -> Result<Found, ReadError> {
        self.at_one_moment(|rows| reads.fetch(rows))
    }

    /// Reads with several requests as of one moment: that of this snapshot, or of now. `read` is
    /// called again where so much was written meanwhile that the moment is gone.
    pub fn at_one_moment<T>(
        &self,
        read: impl Fn(&View) -> Result<T, ReadError>,
    ) -> Result<T, ReadError> {
        if self.pin.is_some() {
            return read(self);
        }
        loop {
            self.keep_pace();
            match read(&*self.pinned(false)?) {
                Err(ReadError::SnapshotGone) => {}
                read => return read,
            }
        }
    }

    /// The last number that was drawn of a sequence; 0 before the first.
    pub fn drawn(&self, sequence: &impl Key) -> Result<u64, ReadError> {
        Ok(self.counter(sequence)?.last)
    }

    /// The link of the last number that was drawn of a [linked](crate::Batch::draw_linked)
    /// sequence.
    pub fn last_link(&self, sequence: &impl Key) -> Result<Option<Link>, ReadError> {
        Ok(self.counter(sequence)?.link)
    }

    /// What fingerprints were claimed for, of claims that are durable: of a snapshot all those of
    /// its rows, and perhaps later ones.
    pub fn find_fingerprints(
        &self,
        index: Index,
        scope: u64,
        wanted: &[Fingerprint],
    ) -> Result<Lookup, ReadError> {
        self.shared.with_engine(|_| self.shared.indexes.find(index, scope, wanted))?
    }

    /// Walks over all rows. Of a store that is written meanwhile, rows that belong together may
    /// come from different moments. Claims, at the end, may be later ones than a snapshot's.
    pub fn export(&self) -> Export {
        Export::new(self.clone(), &self.shared)
    }

    /// All rows as of one moment: of now, or that of the snapshot which this is.
    pub fn snapshot(&self) -> Result<Snapshot, ReadError> {
        match &self.pin {
            Some(_) => Ok(Snapshot::of(self.clone())),
            None => self.pinned(false),
        }
    }

    /// A snapshot that ends once writers would begin to wait for its end.
    pub fn yielding_snapshot(&self) -> Result<Snapshot, ReadError> {
        self.pinned(true)
    }

    fn pinned(&self, yields: bool) -> Result<Snapshot, ReadError> {
        let pin = self.shared.with_engine(|engine| engine.pin(yields))?;
        Ok(Snapshot::of(Self {
            pin: Some(Arc::new(pin)),
            ..Self::of_now(Arc::clone(&self.shared))
        }))
    }

    /// The number of the last group that a snapshot sees.
    pub fn group(&self) -> Option<u64> {
        self.pin.as_ref().map(|pin| pin.group)
    }

    /// Whether all that was read so far is as of the snapshot's moment: false once it has ended.
    pub fn holds(&self) -> bool {
        let holds = |pin: &Pin| self.shared.with_engine(|engine| engine.holds(pin));
        self.pin.as_ref().is_none_or(|pin| holds(pin).unwrap_or(false))
    }

    /// The first `limit` rows of a range in walking direction; fewer only when there are no more.
    pub(crate) fn page(
        &self,
        range: &Range,
        reverse: bool,
        limit: usize,
    ) -> Result<Vec<Row>, ReadError> {
        self.keep_pace();
        self.shared.page(range, reverse, limit, self.pin.as_deref())
    }

    /// One request of many rows and ranges.
    pub(crate) fn request(&self, keys: &[&[u8]], walks: &[&Walk]) -> Result<Fetched, ReadError> {
        self.keep_pace();
        self.shared.request(keys, walks, self.pin.as_deref())
    }

    /// Takes the next of these shards that has rows, in walking direction.
    pub(crate) fn next_shard(
        &self,
        shards: &mut Shards,
        reverse: bool,
    ) -> Result<Option<Shard>, ReadError> {
        self.shared.with_engine(|engine| shards.next(engine.occupied(), reverse))
    }

    fn row(&self, key: &[u8]) -> Result<Option<Vec<u8>>, ReadError> {
        self.keep_pace();
        self.shared.get(key, self.pin.as_deref())
    }

    fn keep_pace(&self) {
        if let Some(pace) = &self.pace {
            pace.keep();
        }
    }

    fn counter(&self, sequence: &impl Key) -> Result<Counter, ReadError> {
        let key = sequence_counter(sequence);
        let Some(row) = self.row(&key)? else { return Ok(Counter::default()) };
        record::unseal("counters", &key, &row)
    }
}

impl fmt::Debug for View {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("View").field("group", &self.group()).finish_non_exhaustive()
    }
}

/// All rows as of the last group that was durable when it was taken. Clones are of the same
/// moment.
///
/// What is written meanwhile waits in memory until the last snapshot from before it is dropped.
/// Where that would become too much, older snapshots end: reads answer
/// [`ReadError::SnapshotGone`] from then on.
#[derive(Clone, Debug)]
pub struct Snapshot(View);

impl Snapshot {
    pub(crate) fn of(view: View) -> Self {
        Self(view)
    }
}

impl Deref for Snapshot {
    type Target = View;

    fn deref(&self) -> &View {
        &self.0
    }
}
