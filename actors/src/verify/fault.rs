//! What a verification has found.

use std::collections::BTreeMap;

/// Faults that are told one by one; more are counted.
pub const MOST_FAULTS: usize = 1_000;

/// Longer texts of what was expected and found are cut.
const MOST_CHARACTERS: usize = 400;

/// A rule that does not hold.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fault {
    /// The rule, in a few words.
    pub what: &'static str,
    /// The table and the key.
    pub place: String,
    pub expected: String,
    pub found: String,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// How many rows were looked at, by their table.
    pub counted: BTreeMap<&'static str, u64>,
    /// The first [`MOST_FAULTS`].
    pub faults: Vec<Fault>,
    pub faults_in_all: u64,
    /// Whether all of it was as of one moment.
    pub is_of_one_moment: bool,
}

impl Fault {
    pub(super) fn new(what: &'static str, place: String, expected: &str, found: &str) -> Self {
        Self { what, place, expected: short(expected), found: short(found) }
    }
}

impl Report {
    pub(super) fn count(&mut self, table: &'static str, rows: u64) {
        *self.counted.entry(table).or_default() += rows;
    }

    /// Notes a fault, once however many checks meet it.
    pub(super) fn note(&mut self, fault: Fault) {
        if self.faults.contains(&fault) {
            return;
        }
        self.faults_in_all += 1;
        if self.faults.len() < MOST_FAULTS {
            self.faults.push(fault);
        }
    }

    pub(super) fn add(&mut self, other: Self) {
        for (table, rows) in other.counted {
            self.count(table, rows);
        }
        let untold = other.faults_in_all - other.faults.len() as u64;
        other.faults.into_iter().for_each(|fault| self.note(fault));
        self.faults_in_all += untold;
    }
}

fn short(text: &str) -> String {
    match text.char_indices().nth(MOST_CHARACTERS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
