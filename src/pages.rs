//! Hosted pages of the buyer: the page behind an invoice's payment link, the hosted checkout, the
//! simulated bank of demo mode, and the step a buyer comes back to. Every page is whole without
//! JavaScript and loads nothing from elsewhere. It speaks the language that the seller chose for
//! its checkout, else the one that the browser likes best of those that are [known](language).

pub mod assets;
pub mod bill;
mod card;
pub mod checkout;
mod context;
mod ending;
pub mod fields;
mod forms;
pub mod language;
pub mod outcome;
pub mod pay;
mod phrases;
pub mod portal;
pub mod returning;
pub mod scheme;
pub mod verify;

pub use context::{Attempt, failure_of};

#[cfg(test)]
mod tests;
