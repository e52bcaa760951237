//! The rules of usage against a recount that knows nothing of days, hours and chunks.

mod aggregates;
mod checks;
mod chunks;
mod events;
