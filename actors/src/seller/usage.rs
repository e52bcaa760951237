//! The seller room's part of metering: metrics, inbound endpoints, dead letters, and how far
//! uploads are (billing 2.6, 4.6; decisions 6).
//!
//! [`state::Usage`] is what the room remembers. Each noun has a file with what is done to it.

mod command;
mod dead_letters;
mod endpoints;
mod handle;
mod metrics;
mod state;
mod uploads;

pub(super) use command::Command;
pub use command::{EndpointAnswer, SignedDelivery};
pub(super) use state::Usage;
