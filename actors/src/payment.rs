//! The payment room: one for each payment, from its beginning to its settlement.
//!
//! [`Payments`] is what callers hold. A room decides and writes; asking the provider happens
//! beside it, in a task of its own: the call is written down, then made, then its answer goes
//! back to the room. A call whose answer is lost is found again by the payment's timer, or by the
//! next who asks for the payment under its key.

mod acting;
mod ask;
mod command;
mod handle;
mod home;
mod initiate;
mod invoice;
mod read;
mod room;
mod settling;
mod spending;
#[cfg(test)]
mod tests;
mod watch;
mod write;

pub use command::Start;
pub use handle::{Asked, PaymentTools, Payments, ReturnAddress};
pub use home::PaymentHome;
pub use initiate::{DirectOrder, Initiated, NewSession};
pub use invoice::InvoiceOrder;
pub use room::PaymentRoom;
pub use spending::AskedSpent;
pub use watch::Watchers;
