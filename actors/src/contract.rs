//! The contract room: versions, subscriptions with their terms, invoices, timeline, test clock.
//!
//! [`Contracts`] is what callers hold. Behind it every contract is one room whose memory is
//! [`room::ContractRoom`]; each command has a file of its own and ends in one `Write`: the rows,
//! claims, events and timers of one change, handed in together.

mod advance;
mod agenda;
mod agreement;
mod answers;
mod command;
mod handle;
mod invoicing;
mod lifecycle;
mod metering;
mod record;
mod room;
mod settling;
mod subscribing;
#[cfg(test)]
mod tests;
mod write;

pub use crate::kernel::Once;
pub use answers::{AdvanceAnswer, InvoiceCounts, Issued, LifecycleCounts};
pub use command::{ContractTools, IssueOrder, SubscriptionAction};
pub use handle::{Asked, Contracts};
pub use metering::{CloseCounts, NewPrice, SeatsChanged};
pub use record::{InvoiceHead, InvoiceKey, LinkTarget, SubscriptionKey, TimelineRow};
pub use room::ContractRoom;
