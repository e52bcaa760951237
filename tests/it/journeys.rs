//! Whole stories, from a seller's first request to the last paid invoice.

mod month_ends;
mod paying;
mod year;
