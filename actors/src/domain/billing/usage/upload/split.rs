//! Cuts a file into parts between its rows, while it comes.

use csv_core::{ReadRecordResult, Reader};

use super::part::{MAX_PART_BYTES, MAX_PART_ROWS, MAX_ROW_BYTES, UploadPart};

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
}

/// A file of which some has come. It holds one part at most, however much comes.
#[derive(Debug)]
pub struct Splitter {
    reader: Reader,
    header: Option<Vec<String>>,
    /// What has come of the part that is being filled: whole rows, then the beginning of one.
    bytes: Vec<u8>,
    /// How many of these bytes are whole rows.
    whole: usize,
    rows: u32,
    done: u64,
    /// The row that is coming is larger than any event; the rest of it is dropped.
    too_large: bool,
}

impl Default for Splitter {
    fn default() -> Self {
        Self::new()
    }
}

impl Splitter {
    pub fn new() -> Self {
        Self {
            reader: Reader::new(),
            header: None,
            bytes: Vec::new(),
            whole: 0,
            rows: 0,
            done: 0,
            too_large: false,
        }
    }

    /// Takes the next bytes; parts that are filled by them go into `parts`, in order.
    pub fn push(
        &mut self,
        mut bytes: &[u8],
        parts: &mut Vec<UploadPart>,
    ) -> Result<(), SplitFault> {
        let (mut scratch, mut ends) = ([0; SCRATCH_BYTES], [0; SCRATCH_CELLS]);
        while !bytes.is_empty() {
            let (result, taken, _, _) = self.reader.read_record(bytes, &mut scratch, &mut ends);
            let (read, rest) = bytes.split_at(taken);
            bytes = rest;
            self.keep(read)?;
            if matches!(result, ReadRecordResult::Record) {
                self.end_row(parts)?;
            }
        }
        Ok(())
    }

    /// The header and the number of rows of a file that has come to its end; what is left goes
    /// into `parts`.
    pub fn finish(mut self, parts: &mut Vec<UploadPart>) -> Result<(Vec<String>, u64), SplitFault> {
        let (mut scratch, mut ends) = ([0; SCRATCH_BYTES], [0; SCRATCH_CELLS]);
        loop {
            match self.reader.read_record(&[], &mut scratch, &mut ends).0 {
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

    fn keep(&mut self, read: &[u8]) -> Result<(), SplitFault> {
        let coming = self.bytes.len() - self.whole;
        let room = MAX_ROW_BYTES.saturating_sub(coming);
        if self.header.is_none() {
            if coming + read.len() > MAX_HEADER_BYTES {
                return Err(SplitFault::HeaderTooLarge);
            }
            self.bytes.extend_from_slice(read);
        } else if read.len() <= room {
            self.bytes.extend_from_slice(read);
        } else {
            self.bytes.extend_from_slice(&read[..room]);
            self.too_large = true;
        }
        Ok(())
    }

    fn end_row(&mut self, parts: &mut Vec<UploadPart>) -> Result<(), SplitFault> {
        if self.header.is_none() {
            self.header = Some(header(&std::mem::take(&mut self.bytes))?);
            return Ok(());
        }
        if std::mem::take(&mut self.too_large) {
            let row = self.bytes.split_off(self.whole);
            self.fill(parts);
            self.done += 1;
            parts.push(UploadPart { first_row: self.done, rows: 1, too_large: true, bytes: row });
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

    fn fill(&mut self, parts: &mut Vec<UploadPart>) {
        let mut bytes = std::mem::take(&mut self.bytes);
        bytes.truncate(std::mem::take(&mut self.whole));
        let rows = std::mem::take(&mut self.rows);
        if rows > 0 {
            let first_row = self.done + 1;
            self.done += u64::from(rows);
            parts.push(UploadPart { first_row, rows, too_large: false, bytes });
        }
    }
}

fn header(bytes: &[u8]) -> Result<Vec<String>, SplitFault> {
    let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(bytes);
    let mut record = csv::StringRecord::new();
    match reader.read_record(&mut record) {
        Ok(true) => Ok(record.iter().map(str::to_owned).collect()),
        Ok(false) => Err(SplitFault::NoHeader),
        Err(_) => Err(SplitFault::HeaderNotText),
    }
}
