//! The rules of invoices by tables, and their arithmetic against exact fractions.

mod amounts;
mod compare;
mod filter;
mod fixtures;
mod life;
mod records;
mod recurring;
mod refusals;
mod status;
mod usage;
