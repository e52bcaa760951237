//! What the benches share: a server of their own, many calls to it, its load tester.
#![allow(dead_code, reason = "each bench takes what it needs")]

pub(crate) mod fleet;
pub(crate) mod load;
pub(crate) mod receiver;
pub(crate) mod server;
