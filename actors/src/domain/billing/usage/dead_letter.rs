//! Dead letters: events that came in where nobody waited for an answer, and were refused.

mod kept;
mod pack;

use storage::CborRecord;

pub use kept::MAX_EVENT_BYTES;
pub use pack::LetterPack;

use crate::domain::ids::DeadLetterId;
use crate::domain::names::names;
use crate::domain::refusal::{RefusalKind, Refuse};
use crate::domain::time::Timestamp;

/// The longest reason that is kept, in characters.
const MAX_REASON_CHARS: usize = 1_000;

/// What a letter says in place of its reason once its event is recorded.
const REDRIVEN: &str = "recorded by a redrive";

/// What a letter says once somebody tried its event, of which only parts were kept.
const CUT: &str = "the event was too large to be kept whole, and cannot be redriven";

names! {
    /// What becomes of a dead letter. The numbers are part of its key on disk.
    LetterStatus;
    0 Parked = "parked",
    1 Redriven = "redriven",
    2 Discarded = "discarded",
}

names! {
    LetterSource;
    0 Csv = "csv",
    1 Webhook = "webhook",
}

names! {
    /// What a letter has of what came.
    Kept;
    /// All that it said as an event.
    0 Whole = "whole",
    /// Parts of it: it was too large.
    1 Cut = "cut",
    /// The cells of a row that can be no event.
    2 Row = "row",
}

#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct DeadLetter {
    #[n(0)]
    pub id: DeadLetterId,
    #[n(1)]
    pub source: LetterSource,
    #[n(2)]
    pub status: LetterStatus,
    #[n(3)]
    pub reason: String,
    #[n(4)]
    pub attempts: u32,
    /// As JSON; at most [`MAX_EVENT_BYTES`].
    #[n(5)]
    pub event: String,
    #[n(6)]
    pub kept: Kept,
    #[n(7)]
    pub created_at: Timestamp,
    #[n(8)]
    pub last_attempt_at: Timestamp,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefusedEvent {
    reason: String,
    event: String,
    kept: Kept,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Retried {
    /// It is recorded, now or before.
    Recorded,
    Refused(String),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LetterRefusal {
    #[error("the dead letter is {0}, not parked")]
    NotParked(LetterStatus),
}

pub fn park(
    id: DeadLetterId,
    source: LetterSource,
    refused: RefusedEvent,
    now: Timestamp,
) -> DeadLetter {
    let (event, kept) = kept::kept(refused.event, refused.kept);
    DeadLetter {
        id,
        source,
        status: LetterStatus::Parked,
        reason: shortened(refused.reason),
        attempts: 1,
        event,
        kept,
        created_at: now,
        last_attempt_at: now,
    }
}

impl RefusedEvent {
    /// An event as it came, in JSON.
    pub fn event(reason: String, event: String) -> Self {
        Self { reason, event, kept: Kept::Whole }
    }

    /// A row that can be no event.
    pub fn row(reason: String, cells: String) -> Self {
        Self { reason, event: cells, kept: Kept::Row }
    }

    /// Parts of what was too large.
    pub fn cut(reason: String, event: String) -> Self {
        Self { reason, event, kept: Kept::Cut }
    }
}

impl DeadLetter {
    /// Why there is no sense in trying it, if it has no event to be tried.
    pub fn hopeless(&self) -> Option<Retried> {
        match self.kept {
            Kept::Whole => None,
            Kept::Cut => Some(Retried::Refused(CUT.to_owned())),
            Kept::Row => Some(Retried::Refused(self.reason.clone())),
        }
    }

    pub fn parked(&self) -> Result<(), LetterRefusal> {
        match self.status {
            LetterStatus::Parked => Ok(()),
            status => Err(LetterRefusal::NotParked(status)),
        }
    }
}

/// Notes what came of trying a parked event again. That it is recorded is true also of a letter
/// that was discarded meanwhile.
pub fn redrive(
    letter: &DeadLetter,
    outcome: Retried,
    now: Timestamp,
) -> Result<DeadLetter, LetterRefusal> {
    let recorded = outcome == Retried::Recorded && letter.status == LetterStatus::Discarded;
    if !recorded {
        letter.parked()?;
    }
    let mut next = letter.clone();
    next.attempts = next.attempts.saturating_add(1);
    next.last_attempt_at = now;
    match outcome {
        Retried::Recorded => {
            next.status = LetterStatus::Redriven;
            REDRIVEN.clone_into(&mut next.reason);
        }
        Retried::Refused(reason) => next.reason = shortened(reason),
    }
    Ok(next)
}

pub fn discard(letter: &DeadLetter) -> Result<DeadLetter, LetterRefusal> {
    letter.parked()?;
    Ok(DeadLetter { status: LetterStatus::Discarded, ..letter.clone() })
}

fn shortened(mut reason: String) -> String {
    if let Some((end, _)) = reason.char_indices().nth(MAX_REASON_CHARS) {
        reason.truncate(end);
    }
    reason
}

impl Refuse for LetterRefusal {
    fn kind(&self) -> RefusalKind {
        RefusalKind::Unprocessable
    }
}

impl CborRecord for DeadLetter {}

#[cfg(test)]
mod tests;
