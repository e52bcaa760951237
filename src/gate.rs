//! What every request passes before its handler runs: [`pipeline`] has the checks in their order,
//! [`policy`] what a route demands of them. Unlike the transport below it knows sellers.

pub(crate) mod audit;
pub mod authentication;
mod capacity;
pub mod cookies;
mod document;
mod idempotency;
mod inside;
pub mod limits;
mod not_found;
mod pipeline;
pub mod policy;
mod server;

pub use capacity::Capacity;
#[cfg(test)]
pub(crate) use document::render;
pub use inside::{Behalf, Inside};
pub use policy::prefers_json;
pub use policy::{Access, Idempotency, Surface};
pub use server::Server;

use crate::app::App;
use crate::http;

pub type Route = http::Route<App>;
pub type Request = http::Request<App>;

impl http::State for App {
    type Policy = policy::Policy;
    type Context = authentication::Caller;
}

#[cfg(test)]
mod tests;
