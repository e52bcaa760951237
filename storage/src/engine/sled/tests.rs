use super::*;
use crate::engine::packed::Packed;

/// As many blocks of rows are handed over at a time.
const AT_ONCE: usize = 48;
const BLOCKS: u64 = 16_000;

#[test]
fn what_is_deleted_is_synced_before_sled_has_written_a_segment_of_it() {
    let home = tempfile::tempdir().expect("a folder");
    let engine = SledEngine::open(home.path(), 64 * 1024 * 1024).expect("open");
    let write = |row: Option<Vec<u8>>| {
        let keys: Vec<u64> = (0..BLOCKS).collect();
        let mut newest = newest(&engine);
        for keys in keys.chunks(AT_ONCE) {
            let change = |key: &u64| (key.to_be_bytes().to_vec(), row.clone());
            let changes: Vec<Change> = keys.iter().map(change).collect();
            let unsynced = engine.unsynced.load(Ordering::Relaxed);
            engine.write(changes).expect("written");
            if engine.unsynced.load(Ordering::Relaxed) <= unsynced {
                newest = stepped(&engine, newest);
            }
        }
        engine.sync().expect("synced");
        stepped(&engine, newest);
    };
    write(Some(vec![7; 4_000]));
    write(None);
    Box::new(engine).close();
}

/// The newest segment, which is the same as at the last sync or the one behind it.
fn stepped(engine: &SledEngine, before: u64) -> u64 {
    let now = newest(engine);
    assert!(now - before <= segment_bytes() as u64, "from {before} to {now} without a sync");
    now
}

fn newest(engine: &SledEngine) -> u64 {
    snapshot::newest_segment(&engine.data, segment_bytes()).expect("read")
}

/// An engine that is looked at each time it was synced.
struct Watched {
    engine: SledEngine,
    newest: AtomicU64,
}

impl Watched {
    fn over<T>(&self, work: impl FnOnce(&SledEngine) -> T) -> T {
        let unsynced = || self.engine.unsynced.load(Ordering::Relaxed);
        let before = unsynced();
        let done = work(&self.engine);
        if unsynced() < before {
            let newest = self.newest.load(Ordering::Relaxed);
            self.newest.store(stepped(&self.engine, newest), Ordering::Relaxed);
        }
        done
    }
}

impl Engine for Watched {
    fn get_many(&self, keys: &[&[u8]]) -> Result<Vec<Option<Vec<u8>>>, EngineError> {
        self.engine.get_many(keys)
    }

    fn page(&self, range: &Range, reverse: bool, limit: usize) -> Result<Vec<Row>, EngineError> {
        self.engine.page(range, reverse, limit)
    }

    fn write(&self, changes: Vec<Change>) -> Result<usize, EngineError> {
        self.engine.write(changes)
    }

    fn write_counted(&self, changes: Vec<Change>, bytes: usize) -> Result<usize, EngineError> {
        self.engine.write_counted(changes, bytes)
    }

    fn sync_before(&self, bytes: usize) -> Result<(), EngineError> {
        self.over(|engine| engine.sync_before(bytes))
    }

    fn sync(&self) -> Result<(), EngineError> {
        self.over(SledEngine::sync)
    }

    fn close(self: Box<Self>) {
        Box::new(self.engine).close();
    }
}

#[test]
fn large_rows_that_are_deleted_count_for_what_they_take() {
    let home = tempfile::tempdir().expect("a folder");
    let engine = SledEngine::open(home.path(), 64 * 1024 * 1024).expect("open");
    let newest = AtomicU64::new(newest(&engine));
    let packed = Packed::new(Box::new(Watched { engine, newest }));
    let write = |keys: &[u64], at_once: usize, row: fn(u64) -> Option<Vec<u8>>| {
        for keys in keys.chunks(at_once) {
            let changes = keys.iter().map(|key| (key.to_be_bytes().to_vec(), row(*key)));
            packed.write(changes.collect()).expect("written");
        }
        packed.sync().expect("synced");
    };
    let keys: Vec<u64> = (0..900).collect();
    // What is left of a page is so little that it goes to the one before it, which is written anew.
    let gone: Vec<u64> = keys.iter().copied().filter(|key| key % 3 > 0).collect();
    // As they are handed over: by their bytes, and by their number where they have none.
    write(&keys, 2, |key| Some(noise(key, 60_000)));
    write(&gone, 512, |_| None);
    Box::new(packed).close();
}

/// Bytes that do not compress.
fn noise(seed: u64, bytes: usize) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state as u8
    };
    std::iter::repeat_with(next).take(bytes).collect()
}
