//! Hosted pages of the buyer (decisions 1 and 11): the page behind an invoice's payment link,
//! the simulated bank of demo mode, and the page a buyer comes back to.
//!
//! Every page is whole without JavaScript and loads nothing from elsewhere. Views are built
//! from domain values in one file a page; what they have in common stands beside them:
//! [`assets`], [`fields`], [`token`], [`words`].

pub mod assets;
pub mod bill;
pub mod fields;
pub mod outcome;
pub mod pay_form;
pub mod scheme;
pub mod token;
pub mod words;
