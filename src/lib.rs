//! Accrue: contracts, subscriptions, invoices and payments of a seller, in one durable program.
//!
//! This crate is the outside: the door ([`http`]), the resources behind it ([`api`]), the pages of
//! the buyer ([`pages`]) and the commands ([`cli`]). The rules and the rooms that keep them are in
//! the crate `actors`, the bytes in `storage`.

pub mod api;
pub mod app;
pub mod cli;
pub mod config;
pub mod http;
pub mod logs;
pub mod metrics;
pub mod pages;

pub use app::{Running, start};
