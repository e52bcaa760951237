//! How rows that were recorded together and belong to one contract fared, kept until they are
//! counted: when they are recorded again after a crash they are counted as the first time.

use storage::CborRecord;

use super::Tally;
use crate::domain::ids::UploadId;

const MAX_REASONS: usize = 64;

const MAX_REASON_CHARS: usize = 200;

const REASON_LOST: &str = "the row was refused; the reason is known no more";

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Window {
    pub upload: UploadId,
    /// The first of the rows.
    pub row: u64,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct WindowOutcome {
    #[n(0)]
    pub tally: Tally,
    /// Those that were refused: the place among the events, and which of the reasons.
    #[n(1)]
    refused: Vec<(u32, u32)>,
    #[n(2)]
    reasons: Vec<String>,
}

impl WindowOutcome {
    /// Counts an event that is recorded, now or before.
    pub fn recorded(&mut self, duplicate: bool) {
        if duplicate {
            self.tally.duplicates += 1;
        } else {
            self.tally.ingested += 1;
        }
    }

    pub fn refused(&mut self, place: u32, reason: &str) {
        self.tally.parked += 1;
        let reason: String = reason.chars().take(MAX_REASON_CHARS).collect();
        let known = self.reasons.iter().position(|known| *known == reason);
        let which = known.unwrap_or_else(|| {
            if self.reasons.len() == MAX_REASONS {
                return MAX_REASONS;
            }
            self.reasons.push(reason);
            self.reasons.len() - 1
        });
        self.refused.push((place, u32::try_from(which).unwrap_or(u32::MAX)));
    }

    /// The places of the events that were refused, each with the reason.
    pub fn refusals(&self) -> impl Iterator<Item = (u32, &str)> {
        self.refused.iter().map(|(place, which)| {
            let reason = self.reasons.get(*which as usize);
            (*place, reason.map_or(REASON_LOST, String::as_str))
        })
    }
}

impl CborRecord for WindowOutcome {}
