//! What can go wrong with the files of runs.

use std::io;

use crate::error::ReadError;

#[derive(Debug, thiserror::Error)]
pub(super) enum Fault {
    #[error("{0}")]
    Io(#[from] io::Error),
    #[error("run {run} is damaged at byte {at}")]
    Damaged { run: u64, at: u64 },
}

impl From<Fault> for ReadError {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::Io(error) => Self::Failed(error.to_string()),
            Fault::Damaged { run, at } => {
                Self::Damaged { table: "fingerprints", key: format!("run {run}, byte {at}") }
            }
        }
    }
}
