//! A row that is too long to be taken as a whole: only its mapped columns are kept.

use csv_core::{ReadFieldResult, Reader, ReaderBuilder};

use super::mapping::Mapping;
use super::part::MAX_ROW_BYTES;
use super::quotes::Quotes;
use super::row::RowFault;

/// What is read of a cell at a time.
const SCRATCH_BYTES: usize = 4 * 1024;

/// A row that comes in pieces.
pub struct LargeRow<'a> {
    mapping: &'a Mapping,
    reader: Reader,
    quotes: Option<Quotes>,
    /// As many as there are columns at most; those that no field reads are empty.
    cells: Vec<Vec<u8>>,
    cell: Vec<u8>,
    count: usize,
    kept: usize,
    too_large: bool,
}

impl<'a> LargeRow<'a> {
    pub fn new(mapping: &'a Mapping) -> Self {
        Self {
            mapping,
            reader: ReaderBuilder::new().delimiter(mapping.delimiter).build(),
            quotes: mapping.quotes(),
            cells: Vec::new(),
            cell: Vec::new(),
            count: 0,
            kept: 0,
            too_large: false,
        }
    }

    pub fn push(&mut self, mut bytes: &[u8]) {
        if let Some(quotes) = &mut self.quotes {
            quotes.push(bytes);
        }
        while !bytes.is_empty() {
            let taken = self.read(bytes);
            bytes = &bytes[taken..];
        }
    }

    /// The cells of the row, and what is wrong with all of it.
    pub fn finish(mut self) -> (Vec<Vec<u8>>, Option<RowFault>) {
        // A last row without a line break ends here.
        self.read(&[]);
        let (cells, columns) = (self.count, self.mapping.columns);
        let fault = if cells != columns as usize {
            Some(RowFault::Cells { cells, columns })
        } else {
            self.too_large.then_some(RowFault::TooLarge)
        };
        let quotes = self.quotes.as_ref().and_then(Quotes::fault);
        (self.cells, quotes.or(fault))
    }

    fn read(&mut self, bytes: &[u8]) -> usize {
        let mut scratch = [0; SCRATCH_BYTES];
        let (result, taken, written) = self.reader.read_field(bytes, &mut scratch);
        if self.mapping.reads(self.count) {
            let room = MAX_ROW_BYTES - self.kept;
            self.too_large |= written > room;
            self.cell.extend_from_slice(&scratch[..written.min(room)]);
            self.kept += written.min(room);
        }
        if matches!(result, ReadFieldResult::Field { .. }) {
            let cell = std::mem::take(&mut self.cell);
            if self.count < self.mapping.columns as usize {
                self.cells.push(cell);
            }
            self.count += 1;
        }
        taken
    }
}
