//! An engine in memory, for tests of what stands on one.

use std::collections::BTreeMap;

use parking_lot::RwLock;

use super::{Change, Engine, EngineError, Range, Row};

#[derive(Default)]
pub(crate) struct Memory(RwLock<BTreeMap<Vec<u8>, Vec<u8>>>);

impl Engine for Memory {
    fn get_many(&self, keys: &[&[u8]]) -> Result<Vec<Option<Vec<u8>>>, EngineError> {
        let rows = self.0.read();
        Ok(keys.iter().map(|key| rows.get(*key).cloned()).collect())
    }

    fn page(&self, range: &Range, reverse: bool, limit: usize) -> Result<Vec<Row>, EngineError> {
        if range.from >= range.until {
            return Ok(Vec::new());
        }
        let rows = self.0.read();
        let walk = rows.range(range.from.clone()..range.until.clone());
        let take = |(key, row): (&Vec<u8>, &Vec<u8>)| (key.clone(), row.clone());
        Ok(if reverse {
            walk.rev().take(limit).map(take).collect()
        } else {
            walk.take(limit).map(take).collect()
        })
    }

    fn write(&self, changes: Vec<Change>) -> Result<usize, EngineError> {
        let mut rows = self.0.write();
        let many = changes.len();
        for (key, row) in changes {
            match row {
                Some(row) => rows.insert(key, row),
                None => rows.remove(&key),
            };
        }
        Ok(many)
    }

    fn sync(&self) -> Result<(), EngineError> {
        Ok(())
    }

    fn close(self: Box<Self>) {}
}
