//! Rules of payments.

pub mod card;
pub mod failure;
pub mod payment;
pub mod payee;
pub mod split;
pub mod terminal;
