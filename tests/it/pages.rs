//! The hosted pages of the buyer.

mod pay;
mod scheme;
