//! The transport: sockets, requests and their answers, routes and the API document made of them.
//!
//! It knows no resource and no caller: it is generic over the program's [`State`], and a program
//! brings its own checks as a [`server::Service`].

mod blocking;
pub(crate) mod body;
pub(crate) mod budget;
mod connection;
pub mod error;
pub(crate) mod event_stream;
pub(crate) mod json;
pub(crate) mod openapi;
mod query;
pub mod request;
pub mod response;
pub mod route;
pub mod router;
pub mod server;
mod tls;
pub mod upload;

pub use actors::query::Paging;
pub use blocking::{begin_aside, blocking};
pub use error::ApiError;
pub use request::Request;
pub use response::Response;
pub use route::{ApiResult, Route};
pub use router::Router;
pub use server::Server;

/// The state that handlers are given, and what the program knows about routes and requests.
pub trait State: Send + Sync + Sized + 'static {
    /// What a route demands beyond its method, path and body.
    type Policy: Clone + Default + Send + Sync + 'static;
    /// What was found out about a request before its handler runs: who sends it, and the like.
    type Context: Send + Sync + 'static;
}
