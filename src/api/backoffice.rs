//! The operator's surface (decisions 9).

pub mod passes;
pub mod payees;
pub mod payouts;
pub mod sellers;
pub mod switches;
