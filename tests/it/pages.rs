//! The hosted pages of the buyer.

mod bounds;
mod checkout;
mod languages;
mod link_subscriptions;
mod links;
mod pay;
mod payment_links;
mod portal;
mod promo_codes;
mod returning;
mod scheme;
