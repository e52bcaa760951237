//! What stands before every handler.

pub use crate::http::{Access, Idempotency, Route, Surface};
