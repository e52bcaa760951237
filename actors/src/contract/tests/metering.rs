//! Usage, recorded and read back.

mod billing;
mod books;
mod closing;
mod days;
mod recording;
mod recount;
mod streams;
mod workshop;
