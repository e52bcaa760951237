//! Opening: the runs that rows tell of, and the claims of the log that are in none of them.

mod strays;

use std::collections::VecDeque;
use std::io;
use std::path::Path;
use std::sync::Arc;

use super::filters::Filters;
use super::memory::Memory;
use super::run::{Run, RunRow};
use super::state::{Indexes, Recent};
use super::upkeep::run_key;
use super::{IndexOptions, log};
use crate::engine::journaled::Journaled;
use crate::engine::{Range, Row};
use crate::error::{OpenError, ReadError};
use crate::folder;
use crate::layout;
use crate::record;
use crate::table::RUN_TAG;

const FOLDER: &str = "index";
/// Rows that are read at a time.
const PAGE: usize = 64;

impl Indexes {
    /// Opens what is in the folder of a store, and gives the number of the first row of the log.
    pub(crate) fn open(
        home: &Path,
        engine: &Journaled,
        options: IndexOptions,
    ) -> Result<(Self, u64), OpenError> {
        let options = options.sane();
        let refused = |source| folder::refusal(home, source);
        let damaged = |detail: String| OpenError::Damaged { folder: home.to_owned(), detail };
        let folder = home.join(FOLDER);
        create(home, &folder).map_err(refused)?;

        let rows = run_rows(engine).map_err(|error| damaged(error.to_string()))?;
        let filters = Filters::new(options.filter_bytes);
        let mut runs = Vec::new();
        for (id, row) in rows {
            let run = Run::open(&folder, id, row, &filters);
            let lost = |fault| damaged(format!("run {id} of its index: {fault}"));
            runs.push(Arc::new(run.map_err(lost)?));
        }
        let floor = runs.iter().map(|run| run.row.until).max().unwrap_or(0);
        let mut recent = Recent {
            active: Memory::default(),
            waiting: VecDeque::new(),
            runs: Arc::new(runs),
            floor,
        };
        let next_row =
            replay(engine, &mut recent, &options).map_err(|error| damaged(error.to_string()))?;
        strays::clear(&folder, &recent.runs).map_err(refused)?;
        let first = engine.page(&log::range(0), false, 1);
        let first = first.map_err(|error| damaged(error.to_string()))?;
        let log_start = first.first().map_or(next_row, |(key, _)| number(key));
        Ok((Self::new(options, folder, filters, recent, next_row), log_start))
    }
}

/// Reads the claims that are in no run, and gives the number of the next row.
fn replay(
    engine: &Journaled,
    recent: &mut Recent,
    options: &IndexOptions,
) -> Result<u64, ReadError> {
    let mut next = recent.floor;
    for_all(engine, log::range(recent.floor), |(key, row)| {
        let (number, parts) = log::open(&key, &row)?;
        for (place, claims) in parts {
            let slot = recent.active.number(place);
            for (fingerprint, taken) in claims {
                recent.active.put(slot, fingerprint, taken);
            }
        }
        next = number + 1;
        if recent.active.len() >= options.table {
            recent.set_aside(next, options.table);
        }
        Ok(())
    })?;
    Ok(next)
}

fn run_rows(engine: &Journaled) -> Result<Vec<(u64, RunRow)>, ReadError> {
    let mut rows = Vec::new();
    let range = Range { from: run_key(0), until: (RUN_TAG + 1).to_be_bytes().to_vec() };
    for_all(engine, range, |(key, row)| {
        let row = record::unseal("runs", &key, &row)?;
        rows.push((number(&key), row));
        Ok(())
    })?;
    Ok(rows)
}

fn for_all(
    engine: &Journaled,
    mut range: Range,
    mut work: impl FnMut(Row) -> Result<(), ReadError>,
) -> Result<(), ReadError> {
    loop {
        let rows = engine.page(&range, false, PAGE)?;
        let ended = rows.len() < PAGE;
        if let Some((last, _)) = rows.last() {
            range.from.clone_from(last);
            range.from.push(0);
        }
        rows.into_iter().try_for_each(&mut work)?;
        if ended {
            return Ok(());
        }
    }
}

fn number(key: &[u8]) -> u64 {
    layout::behind_tag(key).try_into().map_or(0, u64::from_be_bytes)
}

fn create(home: &Path, folder: &Path) -> io::Result<()> {
    match folder::create_for_the_owner(folder) {
        Ok(()) => folder::sync(home),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(error),
    }
}
