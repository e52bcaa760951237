//! The thread that looks after the runs: turns full tables into runs, merges runs of like size,
//! and clears the log of what is in runs.
//!
//! What it does becomes true with one small commit each: the row of a new run appears, with
//! those of its sources gone. Whatever a crash interrupts is begun anew, from the log or from
//! the runs that are still there.

mod tiers;

use std::sync::Arc;
use std::sync::mpsc;

use super::entry::Entry;
use super::fault::Fault;
use super::log;
use super::merge::{Merge, Source};
use super::run::{Reader, Run, Writer};
use super::state::{Indexes, Waiting};
use crate::batch::Batch;
use crate::error::CommitError;
use crate::fatal::guarded;
use crate::shared::Shared;
use crate::table::RUN_TAG;

/// Rows of the log that are deleted with one commit.
const SWEPT: u64 = 32;
/// Entries of a merge between two looks at what else is to do.
const STRIDE: u64 = 4_096;
/// Bytes that a merge leaves free on the disk, where the store has no higher mark.
const LEFT_FREE: u64 = 64 * 1024 * 1024;

enum Ended {
    Stopped,
    Failed(Fault),
}

/// What became of a merge.
enum Merged {
    Done,
    /// The disk has filled meanwhile. It is tried again when there is room.
    OutOfRoom,
    Unreadable,
}

enum Work {
    Write(Arc<Waiting>),
    Merge(Vec<Arc<Run>>, u32),
}

struct Upkeep<'s> {
    shared: &'s Shared,
    indexes: &'s Indexes,
    next_run: u64,
    log_start: u64,
    /// No merge of this tier or a higher one is begun. Set while one is under way.
    ceiling: u32,
}

pub(super) fn run_key(id: u64) -> Vec<u8> {
    [RUN_TAG.to_be_bytes().as_slice(), &id.to_be_bytes()].concat()
}

/// Works until the store is closed. `log_start` is the first row of the log.
pub(crate) fn run(shared: &Shared, log_start: u64) {
    let indexes = &shared.indexes;
    let newest = indexes.read(|recent| recent.runs.iter().map(|run| run.id).max());
    let mut upkeep =
        Upkeep { shared, indexes, next_run: newest.unwrap_or(0) + 1, log_start, ceiling: u32::MAX };
    let ended = guarded(|| upkeep.work());
    let reason = match ended {
        Ok(Ok(()) | Err(Ended::Stopped)) => None,
        Ok(Err(Ended::Failed(fault))) => Some(format!("a run could not be written: {fault}")),
        Err(panicked) => Some(format!("the upkeep of the runs panicked: {panicked}")),
    };
    if let Some(reason) = reason {
        shared.fuse.blow(&reason);
    }
    indexes.end();
    shared.queue.nudge();
}

impl Upkeep<'_> {
    fn work(&mut self) -> Result<(), Ended> {
        self.clear_log()?;
        let indexes = self.indexes;
        while let Some(work) = indexes.wait_for(|| self.due()) {
            self.act(work)?;
        }
        Ok(())
    }

    fn due(&self) -> Option<Work> {
        self.indexes.read(|recent| {
            if let Some(table) = recent.waiting.front() {
                return Some(Work::Write(table.clone()));
            }
            let sizes: Vec<u64> = recent.runs.iter().map(|run| run.row.entries).collect();
            let due = tiers::due(&sizes, &self.indexes.options, self.ceiling)?;
            let runs = due.runs.into_iter().map(|index| recent.runs[index].clone());
            let runs: Vec<Arc<Run>> = runs.collect();
            // A merge needs as much space again before it gives any back.
            let bytes: u64 = runs.iter().map(|run| run.row.bytes).sum();
            self.has_room_for(bytes).then_some(Work::Merge(runs, due.tier))
        })
    }

    fn has_room_for(&self, bytes: u64) -> bool {
        let disk = &self.shared.free_space;
        disk.bytes() >= bytes.saturating_add(disk.mark().max(LEFT_FREE))
    }

    fn act(&mut self, work: Work) -> Result<(), Ended> {
        match work {
            Work::Write(table) => self.write(&table),
            Work::Merge(runs, tier) => {
                // Nothing of this size or above is begun in the middle of it.
                let ceiling = std::mem::replace(&mut self.ceiling, tier);
                let merged = self.merge(&runs);
                // After one that failed it stays so, or the same merge would be tried for ever.
                if matches!(merged, Ok(Merged::Done | Merged::OutOfRoom)) {
                    self.ceiling = ceiling;
                }
                merged.map(|_| ())
            }
        }
    }

    fn write(&mut self, table: &Waiting) -> Result<(), Ended> {
        self.step()?;
        let mut entries: Vec<Entry> = table.memory.entries().collect();
        entries.sort_unstable_by(|a, b| a.key().cmp(b.key()));
        let mut writer = self.writer()?;
        let half = entries.len() / 2;
        for (index, entry) in entries.into_iter().enumerate() {
            if index == half {
                self.step()?;
            }
            writer.push(entry)?;
        }
        let run = self.finish(writer, table.until)?;
        let mut batch = Batch::new();
        batch.put_own(run_key(run.id), &run.row);
        self.commit(batch)?;
        self.step()?;

        self.indexes.change(|recent| {
            let mut runs = recent.runs.to_vec();
            runs.push(Arc::new(run));
            recent.runs = Arc::new(runs);
            recent.floor = table.until;
            recent.waiting.pop_front();
        });
        self.shared.queue.nudge();
        self.step()?;
        self.clear_log()
    }

    /// Makes one run of several.
    fn merge(&mut self, runs: &[Arc<Run>]) -> Result<Merged, Ended> {
        self.step()?;
        let sources = runs.iter().map(|run| Source::Run(Box::new(Reader::new(run.clone()))));
        let mut merge = match Merge::new(sources) {
            Ok(merge) => merge,
            Err(fault) => return Ok(unreadable(&fault)),
        };
        let mut writer = self.writer()?;
        for count in 1.. {
            match merge.next() {
                Ok(Some(entry)) => writer.push(entry)?,
                Ok(None) => break,
                Err(fault) => {
                    writer.abandon();
                    return Ok(unreadable(&fault));
                }
            }
            if count % STRIDE == 0 {
                self.do_what_cannot_wait()?;
                if !self.has_room_for(0) {
                    writer.abandon();
                    return Ok(Merged::OutOfRoom);
                }
            }
        }
        let until = runs.iter().map(|run| run.row.until).max().unwrap_or(0);
        let merged = self.finish(writer, until)?;
        let mut batch = Batch::new();
        batch.put_own(run_key(merged.id), &merged.row);
        runs.iter().for_each(|run| batch.delete_raw(run_key(run.id)));
        self.commit(batch)?;
        self.step()?;

        let merged = Arc::new(merged);
        self.indexes.change(|recent| {
            let stays = |run: &&Arc<Run>| runs.iter().all(|gone| gone.id != run.id);
            let mut list: Vec<_> = recent.runs.iter().filter(stays).cloned().collect();
            list.push(merged);
            recent.runs = Arc::new(list);
        });
        self.step()?;
        runs.iter().for_each(|run| run.remove_file(&self.indexes.folder));
        Ok(Merged::Done)
    }

    /// Tables that wait and small merges come before the rest of a large merge.
    fn do_what_cannot_wait(&mut self) -> Result<(), Ended> {
        self.step()?;
        if self.indexes.is_stopping() {
            return Err(Ended::Stopped);
        }
        while let Some(work) = self.due() {
            self.act(work)?;
        }
        Ok(())
    }

    fn clear_log(&mut self) -> Result<(), Ended> {
        let floor = self.indexes.read(|recent| recent.floor);
        while self.log_start < floor {
            self.step()?;
            let until = floor.min(self.log_start + SWEPT);
            let mut batch = Batch::new();
            (self.log_start..until).for_each(|row| batch.delete_raw(log::key(row)));
            self.commit(batch)?;
            self.log_start = until;
        }
        Ok(())
    }

    fn writer(&mut self) -> Result<Writer, Ended> {
        let id = self.next_run;
        self.next_run += 1;
        Ok(Writer::create(&self.indexes.folder, id, self.indexes.options.page)?)
    }

    fn finish(&self, writer: Writer, until: u64) -> Result<Run, Ended> {
        self.step()?;
        let run = writer.finish(until, &self.indexes.filters)?;
        self.step()?;
        Ok(run)
    }

    fn commit(&self, batch: Batch) -> Result<(), Ended> {
        let (sender, answer) = mpsc::sync_channel(1);
        let answered = move |result: Result<_, CommitError>| {
            let _ = sender.send(result.map(|_| ()));
        };
        self.shared.hand_in_upkeep(batch, Box::new(answered));
        match answer.recv() {
            Ok(Ok(())) => Ok(()),
            Ok(Err(CommitError::Closed)) | Err(_) => Err(Ended::Stopped),
            Ok(Err(refused)) => {
                tracing::error!(%refused, "the runs can no longer be looked after");
                Err(Ended::Stopped)
            }
        }
    }

    /// A place where tests let this thread end as if the process were killed.
    fn step(&self) -> Result<(), Ended> {
        if self.shared.faults.upkeep_strikes() { Err(Ended::Stopped) } else { Ok(()) }
    }
}

impl From<Fault> for Ended {
    fn from(fault: Fault) -> Self {
        Self::Failed(fault)
    }
}

/// Runs that cannot be read stay as they are; searches that meet the damage will say so.
fn unreadable(fault: &Fault) -> Merged {
    tracing::error!(%fault, "runs cannot be merged; restore from a backup");
    Merged::Unreadable
}
