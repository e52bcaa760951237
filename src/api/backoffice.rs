//! The operator's surface.

pub mod bank_deposits;
pub mod passes;
pub mod payees;
pub mod payments;
pub mod payouts;
pub mod safeguarding;
pub mod sellers;
pub mod switches;
pub mod terminals;
pub mod vendors;
