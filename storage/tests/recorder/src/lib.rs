//! Stands between a process and the C library: each call that changes a file under a folder is
//! done, and appended to a log with what it has done, in the order in which it was done. A call
//! may be made to fail. Nothing is recorded unless the environment asks for it.
//!
//! What the process says on its standard output goes into the same log, so that it is known what
//! had been done to the files when it was said.

// What is interposed is not called from here.
#![allow(unsafe_code, reason = "these are functions of the C library")]

mod calls;
pub mod event;
mod fault;
mod names;
mod record;
