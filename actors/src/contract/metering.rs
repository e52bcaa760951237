//! The contract room's part of metering: events and what they add up to, prices, closed periods
//! and their documents (billing 4.6).
//!
//! [`Metering`] is what the room remembers: a [`meter::Meter`] for each metric, which keeps the
//! days that were used lately, and the keys that are on their way to the disk. Each command has a
//! file of its own; like those of the rest of the room it ends in one batch.

mod billing;
mod closing;
mod command;
mod correcting;
mod handle;
mod keys;
mod ledger;
mod limiting;
mod meter;
mod pricing;
mod recording;
mod seats;
mod state;
mod uploading;
mod usage;

pub use closing::CloseCounts;
pub(super) use command::Command;
pub use pricing::NewPrice;
pub use seats::SeatsChanged;
pub(super) use state::Metering;
