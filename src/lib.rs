//! Accrue: contracts, subscriptions, invoices and payments of a seller, in one durable program.
//!
//! This crate is the outside: the door ([`http`]), the resources behind it ([`api`]), the pages of
//! the buyer ([`pages`]) and the commands ([`cli`]). The rules and the rooms that keep them are in
//! the crate `actors`, the bytes in `storage`.

pub mod api;
pub mod app;
pub mod cli;
pub mod config;
pub mod gate;
pub mod http;
pub mod logs;
pub mod metrics;
pub mod operations;
pub mod pages;
pub mod routes;

pub use app::{Running, start};
