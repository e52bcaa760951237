//! Metered usage over HTTP (billing 2.5 to 2.8, 4.6; decisions 6, 11, 12).

pub mod csv;
pub mod dead_letters;
pub mod endpoints;
pub mod event;
pub mod events;
pub mod metrics;
pub mod receiver;
pub mod recorded;
pub mod series;
pub mod snapshot;
