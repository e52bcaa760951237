//! The rules of invoices by tables, and their arithmetic against exact fractions.

mod account;
mod amounts;
mod collections;
mod compare;
mod corrections;
mod days;
mod endings;
mod filter;
mod fixtures;
mod items;
mod life;
mod note_taxes;
mod notes;
mod packs;
mod records;
mod recurring;
mod refunds;
mod refusals;
mod reminders;
mod status;
mod taxes;
mod usage;
