//! A figure, and the table of them in the README.

use std::fs;
use std::path::Path;

use anyhow::{Context as _, ensure};

use crate::support::load::Rate;

/// The README's table stands between these lines.
const BEGIN: &str = "<!-- figures: written by `cargo bench --bench figures -- --write` -->\n";
const END: &str = "<!-- end of figures -->\n";

/// One row: what was measured, beside what is asked for.
pub(crate) struct Figure {
    pub(crate) what: String,
    pub(crate) measured: String,
    pub(crate) asked: String,
    pub(crate) reached: bool,
}

impl Figure {
    pub(crate) fn new(what: &str, measured: String, asked: &str, reached: bool) -> Self {
        Self { what: what.to_owned(), measured, asked: asked.to_owned(), reached }
    }

    /// As a row of a Markdown table.
    fn row(&self) -> String {
        let missed = if self.reached { "" } else { ", **missed**" };
        format!("| {} | {} | {}{missed} |\n", self.what, self.measured, self.asked)
    }
}

/// The table in Markdown, under a line that says where and when it was taken.
pub(crate) fn table(taken: &str, figures: &[Figure]) -> String {
    let mut text = format!("{taken}\n\n| What | Measured | Asked for |\n|---|---|---|\n");
    text.extend(figures.iter().map(Figure::row));
    text
}

/// Puts `table` in the place of the one in the README.
pub(crate) fn write(readme: &Path, table: &str) -> anyhow::Result<()> {
    let text = fs::read_to_string(readme)?;
    let (before, rest) = text.split_once(BEGIN).context("the README has no place for figures")?;
    let (_, after) = rest.split_once(END).context("the README's figures have no end")?;
    ensure!(!after.contains(BEGIN), "the README has two places for figures");
    fs::write(readme, format!("{before}{BEGIN}{table}{END}{after}"))?;
    Ok(())
}

/// `13,100/s, p99 10.2 ms`
pub(crate) fn rated(rate: Rate) -> String {
    format!("{}/s, p99 {}", grouped(rate.per_second), millis(rate.p99))
}

/// Microseconds as milliseconds with one decimal.
pub(crate) fn millis(micros: u64) -> String {
    format!("{}.{} ms", micros / 1000, micros % 1000 / 100)
}

/// Digits in groups of three.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let groups: Vec<&str> = digits
        .as_bytes()
        .rchunks(3)
        .rev()
        .map(|group| std::str::from_utf8(group).unwrap_or_default())
        .collect();
    groups.join(",")
}

/// `one / other` with one decimal: `6.2 : 1`.
pub(crate) fn ratio(one: u64, other: u64) -> String {
    let tenths = one * 10 / other.max(1);
    format!("{}.{} : 1", tenths / 10, tenths % 10)
}
