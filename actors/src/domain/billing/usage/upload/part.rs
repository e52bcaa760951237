//! The parts that a file lies in until its rows are recorded.

use storage::CborRecord;

/// The most bytes of a part, so that its row stays within what a row may have.
pub const MAX_PART_BYTES: usize = 48 * 1024;

/// The most rows of a part. A part is recorded as a whole: it is what one turn of the pool does.
pub const MAX_PART_ROWS: u32 = 2_000;

/// The largest row that can be an event, in bytes; of a larger one the beginning is kept.
pub const MAX_ROW_BYTES: usize = 24 * 1024;

/// Some rows of a file as they were sent. A part begins and ends between two rows.
#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct UploadPart {
    /// The number of its first row; the first row behind the header is 1.
    #[n(0)]
    pub first_row: u64,
    #[n(1)]
    pub rows: u32,
    /// Whether this is the beginning of one row that is too large.
    #[n(2)]
    pub too_large: bool,
    #[cbor(n(3), with = "minicbor::bytes")]
    pub bytes: Vec<u8>,
}

impl CborRecord for UploadPart {}
