//! The billing surface.

pub mod contracts;
pub mod customers;
pub mod invoices;
pub mod pricing;
pub mod sandbox;
pub mod subscriptions;
pub mod test_clock;
pub mod timeline;
pub mod usage;
