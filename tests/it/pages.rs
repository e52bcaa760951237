//! The hosted pages of the buyer.

mod bounds;
mod checkout;
mod languages;
mod links;
mod pay;
mod portal;
mod returning;
mod scheme;
