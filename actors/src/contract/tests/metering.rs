//! Usage, recorded and read back.

mod billing;
mod blocked;
mod books;
mod closing;
mod covered;
mod days;
mod forecasting;
mod projecting;
mod recording;
mod recount;
mod seats;
mod streams;
mod workshop;
