use std::sync::atomic::{AtomicU64, Ordering};

use super::*;
use crate::engine::memory::Memory;
use crate::engine::{Change, Engine, Range, Row};
use crate::fatal::Fatal;
use crate::recent::Recent;

/// An engine that must not be given more groups than are durable.
struct Wary {
    rows: Memory,
    durable: Arc<AtomicU64>,
}

impl Engine for Wary {
    fn get_many(&self, keys: &[&[u8]]) -> Result<Vec<Option<Vec<u8>>>, EngineError> {
        self.rows.get_many(keys)
    }

    fn page(&self, range: &Range, reverse: bool, limit: usize) -> Result<Vec<Row>, EngineError> {
        self.rows.page(range, reverse, limit)
    }

    fn write(&self, changes: Vec<Change>) -> Result<usize, EngineError> {
        assert_eq!(self.durable.load(Ordering::SeqCst), 1, "its group is not durable");
        self.rows.write(changes)
    }

    fn sync(&self) -> Result<(), EngineError> {
        Ok(())
    }

    fn close(self: Box<Self>) {}
}

#[test]
fn the_engine_gets_no_group_that_is_not_durable() {
    let durable = Arc::new(AtomicU64::new(0));
    let engine = Box::new(Wary { rows: Memory::default(), durable: Arc::clone(&durable) });
    let behind = Arc::new(Behind { recent: Recent::new(0), engine });
    let fuse = Fuse::new(Fatal::Poison);
    let applier = Applier::start(&behind, 0, 1024, &fuse).expect("a thread");
    behind.recent.put(1, vec![(b"key".to_vec(), Some(b"row".to_vec()))], 1);
    thread::scope(|scope| {
        scope.spawn(|| applier.hand_over(1));
        while behind.recent.oldest_frozen().is_none() {
            thread::yield_now();
        }
        // Its turn has come.
        (0..1_000).for_each(|_| thread::yield_now());
        durable.store(1, Ordering::SeqCst);
        behind.recent.publish(1);
    });
    assert_eq!(fuse.blown(), None);
    assert_eq!(applier.applied(), 1);
    assert_eq!(behind.engine.get(b"key").expect("read"), Some(b"row".to_vec()));
}
