//! The payment room: one for each payment, from its beginning to its settlement.
//!
//! [`Payments`] is what callers hold. A room decides and writes; asking the provider happens
//! beside it, in a task of its own: the call is written down, then made, then its answer goes
//! back to the room. A call whose answer is lost is found again by the payment's timer.

mod ask;
mod handle;
mod invoice;
mod read;
mod room;
#[cfg(test)]
mod tests;
mod write;

pub use handle::{Asked, PaymentTools, Payments};
pub use invoice::InvoiceOrder;
pub use room::PaymentRoom;
