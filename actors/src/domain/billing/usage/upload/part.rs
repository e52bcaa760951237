//! The parts that a file lies in until its rows are recorded.

use storage::CborRecord;

/// The most bytes of a part, so that its row stays within what a row may have.
pub const MAX_PART_BYTES: usize = 48 * 1024;

/// The most rows of a part.
pub const MAX_PART_ROWS: u32 = 1_000;

/// The most bytes of a row that stand in mapped columns. A row of more is no event.
pub const MAX_ROW_BYTES: usize = 24 * 1024;

/// Some rows of a file as they were sent, or a piece of one that is large.
#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct UploadPart {
    /// The number of its first row; the first row behind the header is 1.
    #[n(0)]
    pub first_row: u64,
    /// The rows that end in it.
    #[n(1)]
    pub rows: u32,
    /// Whether it is a piece of one row, which goes on in the next part unless it ends here.
    #[n(2)]
    pub piece: bool,
    #[cbor(n(3), with = "minicbor::bytes")]
    pub bytes: Vec<u8>,
}

impl UploadPart {
    /// Whether its row goes on in the next part.
    pub fn goes_on(&self) -> bool {
        self.piece && self.rows == 0
    }
}

impl CborRecord for UploadPart {}
