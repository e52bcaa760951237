//! What a command sees beside the room's memory: the instant, ids, committed rows with the room's
//! own unanswered writes laid over them, and the seller.

use std::sync::Arc;

use parking_lot::Mutex;
use storage::{
    Fingerprint, IdKind, InFlight, Index, Key, Lookup, ReadError, Reads, Record, Store, Table,
    Taken, Wanted,
};

use super::fork::Own;
use super::rooms::RoomKind;
use super::{Room, Services};
use crate::delivery::Origin;
use crate::directory::SellerSnapshot;
use crate::domain::platform::event::EventObject;
use crate::domain::refusal::Refusal;
use crate::domain::time::Timestamp;
use crate::entropy::Entropy;

pub struct Context<R: Room> {
    pub(super) id: R::Id,
    pub(super) kind: Arc<RoomKind<R>>,
    /// Shared with the answers of its batches, which empty it.
    pub(super) in_flight: Arc<Mutex<InFlight>>,
    pub(super) now: Timestamp,
    /// Set where the room is a copy that goes on by itself.
    pub(super) own: Option<Own>,
}

impl<R: Room> Context<R> {
    /// The wall clock's instant of this command.
    pub fn now(&self) -> Timestamp {
        self.now
    }

    pub fn services(&self) -> &Services {
        &self.kind.services
    }

    pub fn tools(&self) -> &R::Tools {
        &self.kind.tools
    }

    pub fn entropy(&self) -> Entropy {
        Entropy
    }

    /// Whence the events of this command come.
    pub fn origin(&self) -> Origin {
        let object = EventObject { kind: R::TELLS_OF, id: R::object(self.id) };
        let epoch = self.store().epoch();
        Origin { seller: R::seller(self.id), object, now: self.now, epoch }
    }

    pub fn id(&self, kind: IdKind) -> u64 {
        match &self.own {
            Some(own) => own.id(),
            None => self.store().next_id_in(kind, R::seller(self.id).shard()),
        }
    }

    pub fn ids(&self, kind: IdKind, count: usize) -> Vec<u64> {
        match &self.own {
            Some(own) => (0..count).map(|_| own.id()).collect(),
            None => self.store().next_ids_in(kind, R::seller(self.id).shard(), count),
        }
    }

    /// The committed rows alone, without what this room has under way.
    pub fn store(&self) -> &Store {
        &self.kind.services.store
    }

    /// The room's seller as of its last durable change.
    pub fn seller(&self) -> Result<Arc<SellerSnapshot>, Refusal> {
        if let Some(own) = &self.own {
            return Ok(Arc::clone(&own.seller));
        }
        let found = self.kind.services.directory.seller(R::seller(self.id));
        self.read(found)?.ok_or_else(Refusal::missing)
    }

    /// A row as this room last wrote it, else as it is committed.
    pub fn get<K: Key, V: Record>(
        &self,
        table: Table<K, V>,
        key: &K,
    ) -> Result<Option<V>, Refusal> {
        let under_way = self.in_flight.lock().get(table, key);
        match self.read(under_way)? {
            Some(written) => Ok(written),
            None => self.read(self.store().get(table, key)),
        }
    }

    /// The rows of several keys, read with one request.
    pub fn get_many<K: Key, V: Record>(
        &self,
        table: Table<K, V>,
        keys: &[K],
    ) -> Result<Vec<Option<V>>, Refusal> {
        self.look_up(
            keys,
            |in_flight, key| in_flight.get(table, key),
            |reads, key| reads.get(table, key),
        )
    }

    /// Which of several keys have rows, asked with one request.
    pub fn contain<K: Key, V: Record>(
        &self,
        table: Table<K, V>,
        keys: &[K],
    ) -> Result<Vec<bool>, Refusal> {
        let under_way = |in_flight: &InFlight, key: &K| Ok(in_flight.contains(table, key));
        self.look_up(keys, under_way, |reads, key| reads.contains(table, key))
    }

    /// For each key what this room has under way, else what is committed.
    fn look_up<K, T>(
        &self,
        keys: &[K],
        under_way: impl Fn(&InFlight, &K) -> Result<Option<T>, ReadError>,
        want: impl Fn(&mut Reads, &K) -> Wanted<T>,
    ) -> Result<Vec<T>, Refusal> {
        // Before the request: what lands meanwhile is found by it.
        let under_way: Result<Vec<_>, _> = {
            let in_flight = self.in_flight.lock();
            keys.iter().map(|key| under_way(&in_flight, key)).collect()
        };
        let mut reads = Reads::new();
        let asked = keys
            .iter()
            .zip(self.read(under_way)?)
            .map(|(key, under_way)| under_way.map_or_else(|| Err(want(&mut reads, key)), Ok));
        let asked: Vec<Result<T, Wanted<T>>> = asked.collect();
        let mut found = self.read(self.store().read(&reads))?;
        let rows = asked.into_iter().map(|row| row.or_else(|wanted| found.take(wanted)));
        self.read(rows.collect())
    }

    /// Whether a row is there, as this room last wrote it or as it is committed.
    pub fn contains<K: Key, V: Record>(
        &self,
        table: Table<K, V>,
        key: &K,
    ) -> Result<bool, Refusal> {
        let under_way = self.in_flight.lock().contains(table, key);
        match under_way {
            Some(there) => Ok(there),
            None => self.read(self.store().contains(table, key)),
        }
    }

    /// Whether this room has written a row that is not answered yet.
    pub fn is_under_way<K: Key, V: Record>(&self, table: Table<K, V>, key: &K) -> bool {
        self.in_flight.lock().contains(table, key).is_some()
    }

    /// What fingerprints are claimed for, durably or by what this room has under way.
    pub fn find_fingerprints(
        &self,
        index: Index,
        scope: u64,
        wanted: &[Fingerprint],
    ) -> Result<Lookup, Refusal> {
        // Before the search: what lands meanwhile is found by it.
        let under_way: Vec<Option<Taken>> = {
            let in_flight = self.in_flight.lock();
            wanted.iter().map(|wanted| in_flight.taken(index, scope, *wanted)).collect()
        };
        let mut lookup = self.read(self.store().find_fingerprints(index, scope, wanted))?;
        for (found, under_way) in lookup.found.iter_mut().zip(under_way) {
            *found = found.or(under_way);
        }
        Ok(lookup)
    }

    /// Logs why rows cannot be read, and gives the caller the refusal that stands for it.
    pub fn read<T>(&self, read: Result<T, ReadError>) -> Result<T, Refusal> {
        read.map_err(|error| {
            let (seller, object) = (R::seller(self.id).0, R::object(self.id));
            tracing::error!(room = R::KIND, seller, object, %error, "a row cannot be read");
            Refusal::fault()
        })
    }
}
