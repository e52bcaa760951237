//! Periods that are over and could not be closed.

use crate::domain::billing::subscription::Span;
use crate::domain::time::Timestamp;

/// Seconds from the first attempt at a period that cannot be closed to the second. Each later pause
/// is as long as all before it.
const FIRST_PAUSE: i64 = 60;
const LONGEST_PAUSE: i64 = 86_400;

/// A period that stays open until a correction lets it be closed.
#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct Blocked {
    #[n(0)]
    pub span: Span,
    #[n(1)]
    pub reason: String,
    /// When an attempt found this first. This instant and the one below lie as much before the
    /// attempts as late arrivals have time: they are compared with the ends of periods.
    #[n(2)]
    pub since: Option<Timestamp>,
    /// When it is tried again, where nothing of it changes before.
    #[n(3)]
    pub next_at: Option<Timestamp>,
}

impl Blocked {
    /// A period that was tried and stays open. `known`: the same, as the attempt before left it.
    pub fn of(span: Span, reason: String, known: Option<&Self>, tried: Timestamp) -> Self {
        let since = known.and_then(|known| known.since).unwrap_or(tried);
        let pause = tried.unix_seconds() - since.unix_seconds();
        let next_at = || tried.plus_seconds(pause.clamp(FIRST_PAUSE, LONGEST_PAUSE));
        // An attempt that comes in between, with one at another period, does not count.
        let waits = known.and_then(|known| known.next_at).filter(|next_at| *next_at > tried);
        Self { span, reason, since: Some(since), next_at: Some(waits.unwrap_or_else(next_at)) }
    }
}
