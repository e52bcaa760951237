//! Mails to buyers: their words, and the way to a mail server.

mod letter;
mod smtp;

pub use letter::{Written, write};
pub use smtp::{SmtpError, carrier};
