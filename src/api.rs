//! The resources sellers and the operator work with: one file each, with its bodies, its thin
//! handlers and its views.

pub mod backoffice;
pub mod billing;
pub mod payloads;
pub mod payments;
pub(crate) mod spreadsheet;
pub mod wire;
