//! The hosted pages of the buyer.

mod checkout;
mod pay;
mod returning;
mod scheme;
