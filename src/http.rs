//! The door: transport without nouns.
//!
//! A [`Route`] is declared as a value: its path, who may call it, what it demands, what it
//! answers. The [`Router`] finds it, [`door`] runs the checks in their fixed order (decisions 1)
//! and calls its handler with a [`Call`]; the handler answers a [`Reply`] or a [`Problem`].
//! [`Server`] owns sockets, time-outs and the orderly end. The API document is made of the same
//! declarations, so it cannot drift from what is served.

pub mod auth;
mod body;
mod connection;
mod door;
pub mod error;
mod handler;
mod idempotency;
pub mod limits;
mod openapi;
mod paging;
mod payload;
mod query;
pub mod request;
mod request_id;
pub mod response;
pub mod route;
pub mod router;
pub mod server;
mod tls;
pub mod upload;

pub use error::Problem;
pub use handler::Answer;
pub use paging::Paging;
pub use request::Call;
pub use response::Reply;
pub use route::{Access, Idempotency, Route, Surface};
pub use router::Router;
pub use server::{Running, Server};

#[cfg(test)]
mod tests;
