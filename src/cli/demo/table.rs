//! Prints the tables and the checks of a chapter.

use comfy_table::Cell;

use super::answers::{Answers, plain, show};
use super::scenario::Table;
use crate::cli::terminal::{Terminal, status};

pub(super) fn print(terminal: Terminal, answers: &Answers, table: &Table) {
    if let Some(heading) = &table.heading {
        terminal.heading(&answers.show(heading));
    }
    let columns = &table.columns;
    if !columns.is_empty() {
        let titles: Vec<&str> =
            columns.iter().map(|(title, _)| title.trim_start_matches('>')).collect();
        let numbers = columns.iter().enumerate().filter(|(_, (title, _))| title.starts_with('>'));
        let numbers: Vec<usize> = numbers.map(|(place, _)| place).collect();
        let mut rows = terminal.table(&titles, &numbers);
        for row in answers.all(&table.rows).into_iter().take(table.first.unwrap_or(usize::MAX)) {
            rows.add_row(columns.iter().map(|(title, text)| match title.as_str() {
                "Status" => status(&show(row, text)),
                _ => Cell::new(show(row, text)),
            }));
        }
        terminal.show(&rows);
    }
    if let Some(path) = &table.below {
        answers.all(path).into_iter().for_each(|line| terminal.line(&plain(line)));
    }
}

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
