//! Usage, recorded and read back.

mod billing;
mod books;
mod closing;
mod recording;
mod recount;
mod streams;
mod workshop;
