use super::*;

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
