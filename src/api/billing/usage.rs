//! Metered usage over HTTP.

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
