//! Cuts a file into parts between its rows, while it comes.

use csv_core::{ReadFieldResult, ReadRecordResult, Reader, ReaderBuilder};

use super::delimiter::{BYTE_ORDER_MARK, HeaderScan};
use super::part::{MAX_PART_BYTES, MAX_PART_ROWS, MAX_ROW_BYTES, UploadPart};
use super::quotes::Quotes;

/// The largest header, in bytes.
const MAX_HEADER_BYTES: usize = 64 * 1024;

/// Where the reader puts cells that nobody looks at.
const SCRATCH_BYTES: usize = 4 * 1024;
const SCRATCH_CELLS: usize = 256;

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SplitFault {
    #[error("the file has no header")]
    NoHeader,
    #[error("the header of the file is larger than {MAX_HEADER_BYTES} bytes")]
    HeaderTooLarge,
    #[error("the header of the file is not UTF-8")]
    HeaderNotText,
    #[error("text stands behind a closing quote in the header of the file")]
    HeaderBehindQuote,
    #[error("the header of the file begins a quote that nothing closes")]
    HeaderUnclosed,
    #[error("row {row} of the file begins a quote that nothing closes")]
    RowUnclosed { row: u64 },
}

/// The first line of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    pub columns: Vec<String>,
    pub delimiter: u8,
}

/// A file of which some has come. It holds one part at most, however much comes.
#[derive(Debug)]
pub struct Splitter {
    scan: HeaderScan,
    /// What has come of the header.
    head: Vec<u8>,
    /// Reads rows by what separates the header; absent while that is coming.
    reader: Option<Reader>,
    header: Option<Header>,
    /// What has come of the part that is being filled: whole rows, then the beginning of one.
    bytes: Vec<u8>,
    /// How many of these bytes are whole rows.
    whole: usize,
    rows: u32,
    done: u64,
    /// The row that is coming is large: it lies in pieces.
    large: bool,
}

impl Default for Splitter {
    fn default() -> Self {
        Self::new()
    }
}

impl Splitter {
    pub fn new() -> Self {
        Self {
            scan: HeaderScan::default(),
            head: Vec::new(),
            reader: None,
            header: None,
            bytes: Vec::new(),
            whole: 0,
            rows: 0,
            done: 0,
            large: false,
        }
    }

    /// Takes the next bytes; parts that are filled by them go into `parts`, in order.
    pub fn push(
        &mut self,
        mut bytes: &[u8],
        parts: &mut Vec<UploadPart>,
    ) -> Result<(), SplitFault> {
        if self.reader.is_none() {
            let end = self.scan.end_in(bytes);
            let (head, rest) = bytes.split_at(end.unwrap_or(bytes.len()));
            if self.head.len() + head.len() > MAX_HEADER_BYTES {
                return Err(SplitFault::HeaderTooLarge);
            }
            self.head.extend_from_slice(head);
            if end.is_none() {
                return Ok(());
            }
            self.read_head(parts)?;
            bytes = rest;
        }
        self.read(bytes, parts)
    }

    fn read_head(&mut self, parts: &mut Vec<UploadPart>) -> Result<(), SplitFault> {
        let delimiter = self.scan.delimiter();
        self.reader = Some(ReaderBuilder::new().delimiter(delimiter).build());
        let head = std::mem::take(&mut self.head);
        self.read(&head, parts)
    }

    fn read(&mut self, mut bytes: &[u8], parts: &mut Vec<UploadPart>) -> Result<(), SplitFault> {
        let (mut scratch, mut ends) = ([0; SCRATCH_BYTES], [0; SCRATCH_CELLS]);
        while let Some(reader) = self.reader.as_mut().filter(|_| !bytes.is_empty()) {
            let (result, taken, _, _) = reader.read_record(bytes, &mut scratch, &mut ends);
            let (read, rest) = bytes.split_at(taken);
            bytes = rest;
            self.keep(read, parts)?;
            if matches!(result, ReadRecordResult::Record) {
                self.end_row(parts)?;
            }
        }
        Ok(())
    }

    /// The header and the number of rows of a file that has come to its end; what is left goes
    /// into `parts`.
    pub fn finish(mut self, parts: &mut Vec<UploadPart>) -> Result<(Header, u64), SplitFault> {
        if self.reader.is_none() {
            if self.scan.is_quoted() {
                return Err(SplitFault::HeaderUnclosed);
            }
            self.read_head(parts)?;
        }
        if self.ends_within_quotes() {
            let row = self.done + u64::from(self.rows) + 1;
            return Err(SplitFault::RowUnclosed { row });
        }
        let (mut scratch, mut ends) = ([0; SCRATCH_BYTES], [0; SCRATCH_CELLS]);
        while let Some(reader) = self.reader.as_mut() {
            match reader.read_record(&[], &mut scratch, &mut ends).0 {
                // The last row needs no line break.
                ReadRecordResult::Record => self.end_row(parts)?,
                ReadRecordResult::End => break,
                _ => {}
            }
        }
        self.fill(parts);
        let header = self.header.ok_or(SplitFault::NoHeader)?;
        Ok((header, self.done))
    }

    /// Whether the row that is coming, if one is, ends within quotes: its end would be that of the
    /// file, whatever rows lie behind the quote. Within quotes a delimiter ends no cell; elsewhere
    /// one cell more does no harm, since nobody looks at cells here.
    fn ends_within_quotes(&mut self) -> bool {
        let is_coming = self.header.is_some() && (self.large || self.bytes.len() > self.whole);
        let delimiter = [self.scan.delimiter()];
        self.reader.as_mut().filter(|_| is_coming).is_some_and(|reader| {
            let (result, ..) = reader.read_field(&delimiter, &mut [0; 2]);
            matches!(result, ReadFieldResult::InputEmpty)
        })
    }

    fn keep(&mut self, mut read: &[u8], parts: &mut Vec<UploadPart>) -> Result<(), SplitFault> {
        if self.header.is_none() {
            if self.bytes.len() + read.len() > MAX_HEADER_BYTES {
                return Err(SplitFault::HeaderTooLarge);
            }
            self.bytes.extend_from_slice(read);
            return Ok(());
        }
        if !self.large && self.bytes.len() == self.whole {
            // Empty lines belong to no row, however many they are.
            let row = read.iter().position(|byte| !matches!(byte, b'\r' | b'\n'));
            read = &read[row.unwrap_or(read.len())..];
        }
        if !self.large && self.bytes.len() - self.whole + read.len() > MAX_ROW_BYTES {
            let row = self.bytes.split_off(self.whole);
            self.fill(parts);
            self.bytes = row;
            self.large = true;
        }
        while self.large && self.bytes.len() + read.len() > MAX_PART_BYTES {
            let (fits, rest) = read.split_at(MAX_PART_BYTES - self.bytes.len());
            self.bytes.extend_from_slice(fits);
            read = rest;
            self.put_piece(0, parts);
        }
        self.bytes.extend_from_slice(read);
        Ok(())
    }

    fn end_row(&mut self, parts: &mut Vec<UploadPart>) -> Result<(), SplitFault> {
        if self.header.is_none() {
            let delimiter = self.scan.delimiter();
            let columns = columns(&std::mem::take(&mut self.bytes), delimiter)?;
            self.header = Some(Header { columns, delimiter });
            return Ok(());
        }
        if std::mem::take(&mut self.large) {
            self.put_piece(1, parts);
            self.done += 1;
            return Ok(());
        }
        if self.bytes.len() > MAX_PART_BYTES || self.rows == MAX_PART_ROWS {
            let row = self.bytes.split_off(self.whole);
            self.fill(parts);
            self.bytes = row;
        }
        self.whole = self.bytes.len();
        self.rows += 1;
        Ok(())
    }

    fn put_piece(&mut self, rows: u32, parts: &mut Vec<UploadPart>) {
        let bytes = std::mem::take(&mut self.bytes);
        parts.push(UploadPart { first_row: self.done + 1, rows, piece: true, bytes });
    }

    fn fill(&mut self, parts: &mut Vec<UploadPart>) {
        let mut bytes = std::mem::take(&mut self.bytes);
        bytes.truncate(std::mem::take(&mut self.whole));
        let rows = std::mem::take(&mut self.rows);
        if rows > 0 {
            let first_row = self.done + 1;
            self.done += u64::from(rows);
            parts.push(UploadPart { first_row, rows, piece: false, bytes });
        }
    }
}

fn columns(bytes: &[u8], delimiter: u8) -> Result<Vec<String>, SplitFault> {
    let mut quotes = Quotes::new(delimiter);
    quotes.push(bytes.strip_prefix(&BYTE_ORDER_MARK).unwrap_or(bytes));
    if quotes.fault().is_some() {
        return Err(SplitFault::HeaderBehindQuote);
    }
    let mut reader = csv::ReaderBuilder::new();
    reader.has_headers(false).delimiter(delimiter);
    let mut record = csv::StringRecord::new();
    match reader.from_reader(bytes).read_record(&mut record) {
        Ok(true) => Ok(record.iter().map(str::to_owned).collect()),
        Ok(false) => Err(SplitFault::NoHeader),
        Err(_) => Err(SplitFault::HeaderNotText),
    }
}
