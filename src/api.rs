//! The resources sellers and the operator work with: one file each, with its bodies, its thin
//! handlers and its views. A handler turns a request into domain values, asks a room or reads
//! committed rows, and shows what came of it.

pub mod backoffice;
pub mod billing;
pub mod payments;
pub mod wire;
