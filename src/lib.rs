//! Accrue: contracts, subscriptions, invoices and payments of a seller, in one durable program.
//!
//! This crate is the outside. Each layer names only those below it: the commands ([`cli`]) over
//! the contents of the server ([`routes`]), what people reach with a session ([`dashboard`]), the
//! resources ([`api`]) and the pages of the buyer ([`pages`]), the checks before them ([`gate`]),
//! the parts of the running program ([`app`]) and the transport ([`http`]); the story of the demo
//! alone, which `cli` tells, the dashboard tells into accounts too. The rules and the rooms that
//! keep them are in the crate `actors`, the bytes in `storage`.

pub mod api;
pub mod app;
pub mod backup;
pub mod cli;
pub mod config;
pub mod dashboard;
mod docs;
pub mod documents;
pub mod gate;
pub mod http;
pub mod logs;
pub mod mail;
mod memory;
pub mod metrics;
mod open_files;
pub mod operations;
pub mod pages;
pub mod program;
pub mod routes;
mod secrets;
pub mod signed_link;
#[cfg(test)]
mod testing;

pub use program::{Running, start};
