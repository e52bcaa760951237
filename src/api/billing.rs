//! The billing surface.

pub mod contracts;
pub mod customers;
pub mod sandbox;
pub mod test_clock;
pub mod timeline;
