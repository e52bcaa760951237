//! How checks walk over rows, and how they tell what they find.

use std::collections::BTreeMap;
use std::fmt::{self, Debug, Display};

use storage::{Key, ReadError, Record, Scan, Table};

use super::fault::{Fault, Report};
use super::reading::Reading;

/// How often a moment is tried of what looks wrong while rows move.
const LOOKS: usize = 4;

/// One check of one seller, or of all.
pub(super) struct Run<'a> {
    pub(super) reading: &'a Reading,
    report: Report,
    /// Rows that were found where an object wants them, by the tag of their table.
    wanted: BTreeMap<u16, u64>,
}

/// What a look at one object has found.
pub(super) struct Found<'a> {
    at: &'a dyn Display,
    faults: Vec<Fault>,
    wanted: Vec<(u16, u64)>,
}

/// A row, as it is named.
pub(super) struct At<'a, K>(&'static str, &'a K);

impl<'a, K: Debug> At<'a, K> {
    pub(super) fn new<V>(table: Table<K, V>, key: &'a K) -> Self {
        Self(table.name(), key)
    }
}

impl<K: Debug> Display for At<'_, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {:?}", self.0, self.1)
    }
}

impl<'a> Run<'a> {
    pub(super) fn new(reading: &'a Reading) -> Self {
        Self { reading, report: Report::default(), wanted: BTreeMap::new() }
    }

    pub(super) fn finish(self) -> Report {
        self.report
    }

    pub(super) fn count(&mut self, table: &'static str, rows: u64) {
        self.report.count(table, rows);
    }

    /// Looks at each row of a part of a table.
    pub(super) fn each<K: Key + Debug, V: Record>(
        &mut self,
        table: Table<K, V>,
        scan: Scan,
        look: impl Fn(&Reading, &K, &V, &mut Found<'_>) -> Result<(), ReadError>,
    ) -> Result<(), ReadError> {
        let mut rows = 0;
        for row in self.reading.scan(table, scan) {
            rows += 1;
            match row {
                Ok((key, row)) => self.row(table, &key, &row, &look)?,
                Err(error) => self.unreadable(error)?,
            }
        }
        self.count(table.name(), rows);
        Ok(())
    }

    fn row<K: Key + Debug, V: Record>(
        &mut self,
        table: Table<K, V>,
        key: &K,
        row: &V,
        look: impl Fn(&Reading, &K, &V, &mut Found<'_>) -> Result<(), ReadError>,
    ) -> Result<(), ReadError> {
        self.settle(&At::new(table, key), |reading, found, again| {
            let fresh = if again { reading.get(table, key)? } else { None };
            let row = match &fresh {
                Some(fresh) => fresh,
                None if again => return Ok(()),
                None => row,
            };
            look(reading, key, row, found)
        })
    }

    /// Looks at one thing. Where it looks wrong and rows move, they are read again as of one moment,
    /// and what is found then counts.
    pub(super) fn settle(
        &mut self,
        at: &dyn Display,
        look: impl Fn(&Reading, &mut Found<'_>, bool) -> Result<(), ReadError>,
    ) -> Result<(), ReadError> {
        let once = |reading: &Reading, again| {
            let mut found = Found { at, faults: Vec::new(), wanted: Vec::new() };
            match look(reading, &mut found, again) {
                Ok(()) => Ok(found),
                Err(error) if ends_it_all(&error) => Err(error),
                Err(error) => {
                    found.faults.push(unreadable(&error));
                    Ok(found)
                }
            }
        };
        let mut found = once(self.reading, false)?;
        if self.reading.moves() && !found.faults.is_empty() {
            found = self.at_one_moment(|moment| once(moment, true))?;
        }
        for (tag, rows) in found.wanted {
            *self.wanted.entry(tag).or_default() += rows;
        }
        found.faults.into_iter().for_each(|fault| self.report.note(fault));
        Ok(())
    }

    /// Looks as of one moment, of another one where so much is written that it ends too soon.
    fn at_one_moment<T>(
        &self,
        look: impl Fn(&Reading) -> Result<T, ReadError>,
    ) -> Result<T, ReadError> {
        let once = || {
            let moment = self.reading.now()?;
            moment.vouch(look(&moment)?)
        };
        let counts = |look: &Result<T, ReadError>| !matches!(look, Err(ReadError::SnapshotGone));
        let mut looks = std::iter::repeat_with(once).take(LOOKS);
        looks.find(counts).unwrap_or(Err(ReadError::SnapshotGone))
    }

    /// A part of a table has no rows beside those that were found where they are wanted. `belongs`
    /// says whether an object wants a row; it is asked only where their numbers differ.
    pub(super) fn no_others<K: Key + Debug, V: Record>(
        &mut self,
        table: Table<K, V>,
        scan: Scan,
        belongs: impl Fn(&Reading, &K, &V) -> Result<bool, ReadError>,
    ) -> Result<(), ReadError> {
        self.no_others_in(table, &[scan], belongs)
    }

    /// The same of several parts of a table.
    pub(super) fn no_others_in<K: Key + Debug, V: Record>(
        &mut self,
        table: Table<K, V>,
        scans: &[Scan],
        belongs: impl Fn(&Reading, &K, &V) -> Result<bool, ReadError>,
    ) -> Result<(), ReadError> {
        let wanted = self.wanted.remove(&table.tag()).unwrap_or(0);
        let mut there = 0;
        for key in scans.iter().flat_map(|scan| self.reading.scan(table, scan.clone()).keys()) {
            if let Some(error) = key.err().filter(ends_it_all) {
                return Err(error);
            }
            there += 1;
        }
        self.count(table.name(), there);
        if there == wanted {
            return Ok(());
        }
        let reading = self.reading;
        for row in scans.iter().flat_map(|scan| reading.scan(table, scan.clone())) {
            let (key, row) = match row {
                Ok(row) => row,
                Err(error) => {
                    self.unreadable(error)?;
                    continue;
                }
            };
            self.row(table, &key, &row, |reading, key, row, found| {
                if !belongs(reading, key, row)? {
                    found.wrong("row that nothing wants", "no row", "a row");
                }
                Ok(())
            })?;
        }
        Ok(())
    }

    /// Notes a row that cannot be read.
    pub(super) fn unreadable(&mut self, error: ReadError) -> Result<(), ReadError> {
        if ends_it_all(&error) {
            return Err(error);
        }
        self.report.note(unreadable(&error));
        Ok(())
    }
}

impl Found<'_> {
    pub(super) fn wrong(&mut self, what: &'static str, expected: &str, found: &str) {
        let at = self.at.to_string();
        self.faults.push(Fault::new(what, at, expected, found));
    }

    /// Something of this object is wrong.
    pub(super) fn wrong_of(
        &mut self,
        what: &'static str,
        of: &dyn Debug,
        expected: &dyn Debug,
        found: &dyn Debug,
    ) {
        let place = format!("{} {of:?}", self.at);
        let (expected, found) = (format!("{expected:?}"), format!("{found:?}"));
        self.faults.push(Fault::new(what, place, &expected, &found));
    }

    /// Two values are the same.
    pub(super) fn same<T: PartialEq + Debug>(&mut self, what: &'static str, expected: T, found: T) {
        if expected != found {
            self.wrong(what, &format!("{expected:?}"), &format!("{found:?}"));
        }
    }

    /// Something holds.
    pub(super) fn holds(&mut self, what: &'static str, holds: bool, found: &dyn Debug) {
        if !holds {
            self.wrong(what, "that it holds", &format!("{found:?}"));
        }
    }

    /// A row that this object wants is there and says so. It counts as wanted.
    pub(super) fn wants<K: Key + Debug, V: Record + PartialEq + Debug>(
        &mut self,
        reading: &Reading,
        table: Table<K, V>,
        key: &K,
        row: &V,
    ) -> Result<(), ReadError> {
        if self.agrees(reading, table, key, row)? {
            self.has(table, 1);
        }
        Ok(())
    }

    /// Rows of a table that were found where they are wanted.
    pub(super) fn has<K, V>(&mut self, table: Table<K, V>, rows: u64) {
        self.wanted.push((table.tag(), rows));
    }

    /// A row is there and says this; whether it does.
    pub(super) fn agrees<K: Key + Debug, V: Record + PartialEq + Debug>(
        &mut self,
        reading: &Reading,
        table: Table<K, V>,
        key: &K,
        row: &V,
    ) -> Result<bool, ReadError> {
        self.says(reading, table, key, row, |found| found == row)
    }

    /// A row is there, and what it says is as `holds` has it; whether it is.
    pub(super) fn says<K: Key + Debug, V: Record + Debug>(
        &mut self,
        reading: &Reading,
        table: Table<K, V>,
        key: &K,
        expected: &dyn Debug,
        holds: impl Fn(&V) -> bool,
    ) -> Result<bool, ReadError> {
        let found = reading.get(table, key)?;
        if found.as_ref().is_some_and(holds) {
            return Ok(true);
        }
        let what = if found.is_some() { "row that differs" } else { "row that is missing" };
        let text = found.map_or_else(|| "no row".to_owned(), |found| format!("{found:?}"));
        let place = At::new(table, key).to_string();
        let expected = format!("{expected:?}, for {}", self.at);
        self.faults.push(Fault::new(what, place, &expected, &text));
        Ok(false)
    }

    /// A row is there, whatever it says.
    pub(super) fn names<K: Key + Debug, V: Record>(
        &mut self,
        reading: &Reading,
        table: Table<K, V>,
        key: &K,
    ) -> Result<bool, ReadError> {
        let there = reading.contains(table, key)?;
        if !there {
            let expected = format!("{}", At::new(table, key));
            self.wrong("row that names what is not there", &expected, "no row");
        }
        Ok(there)
    }
}

/// Whether nothing more can be read, be a row as it may.
fn ends_it_all(error: &ReadError) -> bool {
    matches!(error, ReadError::Closed | ReadError::SnapshotGone)
}

fn unreadable(error: &ReadError) -> Fault {
    Fault::new("row that cannot be read", error.to_string(), "a row", "none that can be read")
}
