//! The price of a contract's metric over time.

use storage::CborRecord;

use super::config::PriceConfig;
use super::refusal::VersionRefusal;
use crate::domain::billing::subscription::Span;
use crate::domain::time::{Date, Timestamp};

/// Versions that a metric has on a contract at most: all of them are in memory.
pub const MAX_VERSIONS: usize = 1_000;

/// A configuration from a day on. Later ones of its day take its place; once a period was rated by
/// it, it stays for ever.
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
    /// Whether no period was rated by it yet. Of versions from before that was noted nobody knows.
    #[n(4)]
    #[cbor(default)]
    pub unrated: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SetPrice {
    pub effective_from: Date,
    pub config: PriceConfig,
}

/// What a `PUT` comes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PriceSet {
    /// The version that says the same for its day already.
    Stands(PriceVersion),
    Added(AddedPrice),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AddedPrice {
    pub price: PriceVersion,
    /// The version of the same day that it takes the place of, where no period was rated by that:
    /// nobody asks for it any more.
    pub replaces: Option<u32>,
}

pub fn set_price(
    versions: &[PriceVersion],
    set: SetPrice,
    now: Timestamp,
) -> Result<PriceSet, VersionRefusal> {
    let SetPrice { effective_from, config } = set;
    let stands = latest(versions.iter().filter(|known| known.effective_from == effective_from));
    if let Some(known) = stands.filter(|known| known.config == config) {
        return Ok(PriceSet::Stands(known.clone()));
    }
    let replaces = stands.filter(|known| known.unrated).map(|known| known.version);
    if replaces.is_none() && versions.len() >= MAX_VERSIONS {
        return Err(VersionRefusal::TooMany);
    }
    // Numbers are not used again: the last one is that of a version that is still there.
    let last = versions.iter().map(|known| known.version).max().unwrap_or(0);
    let version = last.saturating_add(1);
    let price = PriceVersion { version, effective_from, config, created_at: now, unrated: true };
    Ok(PriceSet::Added(AddedPrice { price, replaces }))
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
