//! The quotes of a row. Behind a closing quote the reader of rows takes text for more of the cell,
//! so that a quote that is meant as a mark of inches ties a row to those behind it. What is tied
//! together must not pass for a row.

use super::row::RowFault;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    CellStart,
    Bare,
    Quoted,
    /// Behind a quote that closes the cell, or is the first of two that stand for one.
    Closed,
}

/// A row, of which some has come, as far as its quotes go.
#[derive(Clone, Debug)]
pub struct Quotes {
    delimiter: u8,
    place: Place,
    text_behind: bool,
    /// Those that are quoted.
    line_feeds: u64,
    returns: u64,
}

impl Quotes {
    pub fn new(delimiter: u8) -> Self {
        let place = Place::CellStart;
        Self { delimiter, place, text_behind: false, line_feeds: 0, returns: 0 }
    }

    pub fn push(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.place = match (self.place, *byte) {
                (Place::Quoted, b'"') => Place::Closed,
                (Place::Quoted, byte) => {
                    self.line_feeds += u64::from(byte == b'\n');
                    self.returns += u64::from(byte == b'\r');
                    Place::Quoted
                }
                (Place::CellStart | Place::Closed, b'"') => Place::Quoted,
                (_, b'\r' | b'\n') => Place::CellStart,
                (_, byte) if byte == self.delimiter => Place::CellStart,
                (place, _) => {
                    self.text_behind |= place == Place::Closed;
                    Place::Bare
                }
            };
        }
    }

    /// What is wrong with a row that has come as a whole.
    pub fn fault(&self) -> Option<RowFault> {
        // Lines end with one of the two, or with both.
        let lines = 1 + self.line_feeds.max(self.returns);
        self.text_behind.then_some(RowFault::BehindQuote { lines })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_behind_a_closing_quote_is_a_fault_and_a_bare_quote_is_none() {
        for (row, lines) in [
            ("1,\"2\",3\r\n", None),
            ("\"a \"\"b\"\"\",\"\",\"\"\"\"\n", None),
            ("19\" rack,5' 11\",a\"b\"c", None),
            ("1, \"a\" b", None),
            ("\n\"a,b\r\nc\"\n", None),
            ("1;\"2\",\"", None),
            ("\"1\"5,2", Some(1)),
            ("1,\"2\" ,3", Some(1)),
            ("\"a\"\"b\"c", Some(1)),
            ("\"a\";b", Some(1)),
            ("1,\"19 inch\r\n2,x\r\n3,\"21 inch\r\n", Some(3)),
            ("1,\"19 inch\n2,x\n3,\"21 inch\n", Some(3)),
            ("1,\"19 inch\r2,x\r3,\"21 inch\r", Some(3)),
        ] {
            for length in [1, 2, row.len()] {
                let mut quotes = Quotes::new(b',');
                row.as_bytes().chunks(length).for_each(|piece| quotes.push(piece));
                let fault = lines.map(|lines| RowFault::BehindQuote { lines });
                assert_eq!(quotes.fault(), fault, "{row:?}");
            }
        }
    }
}
