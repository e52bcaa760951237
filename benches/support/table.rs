//! Figures beside their floors.

use comfy_table::{CellAlignment, LineStyle, Table, presets::UTF8_HORIZONTAL_ONLY};

/// A table of figures; the last two columns are numbers.
pub(crate) fn table(header: [&str; 4]) -> Table {
    let mut table = Table::new();
    table.load_style(UTF8_HORIZONTAL_ONLY.row_separator(LineStyle::none())).set_header(header);
    for index in 1..4 {
        if let Some(column) = table.column_mut(index) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table
}

/// Microseconds as milliseconds with one decimal.
pub(crate) fn millis(micros: u64) -> String {
    format!("{}.{} ms", micros / 1000, micros % 1000 / 100)
}
