//! How the commands speak to a person: lines on standard output, tables within 100 columns,
//! colour only on a terminal that wants it (<https://no-color.org>).

use std::io::{self, IsTerminal as _, Write as _};

use comfy_table::{
    Attribute, Cell, CellAlignment, Color, ContentArrangement, LineStyle, Table,
    presets::UTF8_HORIZONTAL_ONLY,
};

const WIDTH: u16 = 100;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Terminal {
    colour: bool,
}

impl Terminal {
    pub(crate) fn standard() -> Self {
        let wanted = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
        Self { colour: wanted && io::stdout().is_terminal() }
    }

    /// One line. A reader who has gone away (a closed pipe) is no error of ours.
    pub(crate) fn line(self, text: &str) {
        let mut out = io::stdout().lock();
        let _ = writeln!(out, "{text}").and_then(|()| out.flush());
    }

    pub(crate) fn heading(self, text: &str) {
        self.line("");
        self.line(&self.paint("1", text));
    }

    /// A check's outcome: a tick or a cross before `text`.
    pub(crate) fn check(self, good: bool, text: &str) {
        let mark = if good { self.paint("32", "✓") } else { self.paint("31", "✗") };
        self.line(&format!("  {mark} {text}"));
    }

    /// An empty table with `header`; columns named in `right` hold numbers.
    pub(crate) fn table(self, header: &[&str], right: &[usize]) -> Table {
        let mut table = Table::new();
        table.load_style(UTF8_HORIZONTAL_ONLY.row_separator(LineStyle::none()));
        table.set_content_arrangement(ContentArrangement::Dynamic).set_width(WIDTH);
        table.force_no_tty();
        if self.colour {
            table.enforce_styling();
        }
        let bold = |name: &&str| Cell::new(name).add_attribute(Attribute::Bold);
        table.set_header(header.iter().map(bold));
        for index in right {
            if let Some(column) = table.column_mut(*index) {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
        table
    }

    pub(crate) fn show(self, table: &Table) {
        self.line(&table.to_string());
    }

    fn paint(self, code: &str, text: &str) -> String {
        if self.colour { format!("\u{1b}[{code}m{text}\u{1b}[0m") } else { text.to_owned() }
    }
}

/// A status in the colour that fits it.
pub(crate) fn status(text: &str) -> Cell {
    let colour = match text {
        "paid" | "active" | "settled" | "provider_completed" | "delivered" => Color::Green,
        "failed" | "overdue" | "past_due" => Color::Red,
        _ => Color::Yellow,
    };
    Cell::new(text).fg(colour)
}

/// Whole numbers with commas: `12,345`.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Minor units of a currency with two decimals, as all accepted ones have: `1,234.50`.
pub(crate) fn major(minor: i64) -> String {
    let sign = if minor < 0 { "-" } else { "" };
    let minor = minor.unsigned_abs();
    format!("{sign}{}.{:02}", grouped(minor / 100), minor % 100)
}

/// Microseconds as milliseconds with two decimals.
pub(crate) fn millis(micros: u64) -> String {
    format!("{}.{:02}", grouped(micros / 1000), micros % 1000 / 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_well() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(999), "999");
        assert_eq!(grouped(1_234_567), "1,234,567");
        assert_eq!(major(-5), "-0.05");
        assert_eq!(major(123_450), "1,234.50");
        assert_eq!(millis(12_345), "12.34");
    }

    #[test]
    fn a_table_stays_within_the_width() {
        let terminal = Terminal { colour: false };
        let mut table = terminal.table(&["one", "two"], &[1]);
        table.add_row(vec!["word ".repeat(40), "12".to_owned()]);
        let text = table.to_string();
        assert!(text.lines().all(|line| line.chars().count() <= usize::from(WIDTH)), "{text}");
        assert!(!text.contains('\u{1b}'));
    }
}
