//! The contract room's part of metering: events and what they add up to, prices, closed periods
//! and their documents.
//!
//! [`Metering`] is what the room remembers: a [`meter::Meter`] for each metric, which keeps the
//! days that were used lately, and a [`ledger::Ledger`] of closed usage. Each command has a file
//! of its own.

mod assuming;
mod closing;
mod corrections;
mod ledger;
mod limits;
mod loading;
mod meter;
mod prices;
mod projecting;
mod recording;
mod seats;
mod snapshot;
mod state;

pub use closing::CloseCounts;
pub use prices::NewPrice;
pub(super) use recording::Waiting as WaitingUsage;
pub use seats::SeatsChanged;
pub use snapshot::UsageSoFar;
pub(super) use state::{Change, Metering};
