//! Rules of payments.

pub mod card;
pub mod failure;
pub mod payee;
pub mod payment;
pub mod split;
pub mod terminal;
