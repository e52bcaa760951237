//! Tables whose cells are texts that refer to their row, and checks under a heading.

use comfy_table::Cell;
use serde_json::Value;

use super::answers::show;
use crate::cli::terminal::{Terminal, status};

/// Prints `rows`; a column is its title and the text of its cells. Numbers stand on the right:
/// their titles begin with `>`.
pub(super) fn print<'a>(
    terminal: Terminal,
    rows: impl IntoIterator<Item = &'a Value>,
    columns: &[(&str, &str)],
) {
    let titles: Vec<&str> =
        columns.iter().map(|(title, _)| title.trim_start_matches('>')).collect();
    let numbers = columns.iter().enumerate().filter(|(_, (title, _))| title.starts_with('>'));
    let numbers: Vec<usize> = numbers.map(|(place, _)| place).collect();
    let mut table = terminal.table(&titles, &numbers);
    for row in rows {
        table.add_row(columns.iter().map(|(title, text)| match *title {
            "Status" => status(&show(row, text)),
            _ => Cell::new(show(row, text)),
        }));
    }
    terminal.show(&table);
}

/// A check and its outcome.
#[derive(Debug)]
pub(super) struct Check {
    pub(super) good: bool,
    /// What was compared, with the figures.
    pub(super) text: String,
}

pub(super) fn check(good: bool, text: impl Into<String>) -> Check {
    Check { good, text: text.into() }
}

/// A check that nothing is wrong; otherwise it says `otherwise` and what is.
pub(super) fn check_none(wrong: &[String], text: impl Into<String>, otherwise: &str) -> Check {
    match wrong {
        [] => check(true, text),
        wrong => check(false, format!("{otherwise}: {}", wrong.join(", "))),
    }
}
