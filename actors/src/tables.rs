//! The schema: every table, its key and its value, by the room that writes it.
//!
//! A tag is on disk for ever: tags are only ever added, never changed, never used again. Keys
//! begin with the seller wherever a row belongs to one, so that one seller's rows are one range of
//! each table, all in the seller's shard. Rows that tokens and ids of payees, payouts and vendors
//! lead to are in the shard that these say; rows of nobody are in the first.

pub mod ids;

mod before;
mod contract;
mod link_subscription;
mod overview;
mod owned;
mod payee;
mod payment;
mod seller;
mod shared;
mod usage;

pub use before::shard_of;
pub use contract::*;
pub use link_subscription::*;
pub use overview::*;
pub use owned::{OWNED, TOLD, Told};
pub use payee::*;
pub use payment::*;
pub use seller::*;
pub use shared::*;
pub use usage::*;
