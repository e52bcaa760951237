//! The price of a contract's metric over time.

use storage::CborRecord;

use super::config::PriceConfig;
use crate::domain::billing::subscription::Span;
use crate::domain::time::{Date, Timestamp};

/// A configuration from a day on. It stays for ever; later ones take its place.
#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct PriceVersion {
    /// Counts the configurations of one contract and metric from 1.
    #[n(0)]
    pub version: u32,
    #[n(1)]
    pub effective_from: Date,
    #[n(2)]
    pub config: PriceConfig,
    /// When it was set, by the wall clock.
    #[n(3)]
    pub created_at: Timestamp,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SetPrice {
    pub effective_from: Date,
    pub config: PriceConfig,
}

/// The version that a `PUT` stands for, and whether it is a new one: repeating what already
/// holds for the day answers the version that says so.
pub fn set_price(versions: &[PriceVersion], set: SetPrice, now: Timestamp) -> (PriceVersion, bool) {
    let SetPrice { effective_from, config } = set;
    let same_day = versions.iter().filter(|known| known.effective_from == effective_from);
    if let Some(known) = latest(same_day)
        && known.config == config
    {
        return (known.clone(), false);
    }
    let last = versions.iter().map(|known| known.version).max().unwrap_or(0);
    let version = last.saturating_add(1);
    (PriceVersion { version, effective_from, config, created_at: now }, true)
}

pub fn current(versions: &[PriceVersion], today: Date) -> Option<&PriceVersion> {
    latest(versions.iter().filter(|known| known.effective_from <= today))
}

/// What all of a period is rated by: the configuration in force on its first day, else the
/// first one that takes effect inside it.
pub fn in_force(versions: &[PriceVersion], period: Span) -> Option<&PriceVersion> {
    current(versions, period.start).or_else(|| {
        let inside = versions.iter().filter(|known| period.contains(known.effective_from));
        let first = inside.map(|known| known.effective_from).min()?;
        current(versions, first)
    })
}

/// The one that took effect last; for one day the highest version.
fn latest<'a>(versions: impl Iterator<Item = &'a PriceVersion>) -> Option<&'a PriceVersion> {
    versions.max_by_key(|known| (known.effective_from, known.version))
}

impl CborRecord for PriceVersion {}
