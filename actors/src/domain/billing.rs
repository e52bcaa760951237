//! Rules of billing: contracts, subscriptions, usage and its prices, invoices.

pub mod collection;
pub mod contract;
pub mod credit;
pub mod customer;
pub mod forecast;
pub mod invoice;
pub mod mail;
pub mod numbering;
pub mod overview;
pub mod pricing;
pub mod projection;
pub mod subscription;
pub mod tax;
pub mod test_clock;
pub mod timeline;
pub mod usage;
