//! The seller room: the account with its keys, switches, customers and webhooks.

mod account;
mod customers;
mod handle;
mod room;
mod splits;
mod terminals;
mod topups;
mod usage;
mod webhooks;

pub use account::Minted;
pub use handle::{AdhocContract, Asked, SellerTools, Sellers, SpendKey, Spent, WebhookAnswer};
pub use room::SellerRoom;
pub use usage::{EndpointAnswer, SignedDelivery};
