//! Rules of billing: contracts, subscriptions, invoices.

pub mod contract;
pub mod customer;
pub mod invoice;
pub mod numbering;
pub mod subscription;
pub mod tax;
pub mod test_clock;
pub mod timeline;
