//! Files for spreadsheets.

use std::borrow::Cow;

use csv::{Error, Writer};

/// Writes records behind what is there.
pub(crate) fn write(
    to: &mut Vec<u8>,
    records: impl FnOnce(&mut Writer<&mut Vec<u8>>) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut writer = Writer::from_writer(to);
    records(&mut writer)?;
    writer.flush().map_err(Error::from)
}

/// A text that no spreadsheet takes for a formula.
pub(crate) fn defused(text: &str) -> Cow<'_, str> {
    let runs = |first: char| "=+-@\t\r\n＝＋－＠".contains(first);
    match text.trim_start_matches(' ').starts_with(runs) {
        true => format!("'{text}").into(),
        false => text.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_would_be_a_formula_begins_with_an_apostrophe() {
        for text in ["=1+1", "+49 30", "-5", "@SUM(A1)", "\t=1", "\r=1", "  =1", "＝1", "\n=1"] {
            assert_eq!(defused(text), format!("'{text}"));
        }
        for text in ["", "Ada", "a=b", "1-2", "'=1"] {
            assert_eq!(defused(text), text);
        }
    }
}
