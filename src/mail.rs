//! Mails to buyers: their words, the document beside them, and the way to a mail server.

mod attachment;
mod letter;
mod smtp;

pub use attachment::{Attachment, name_of};
pub use letter::{Written, write};
pub use smtp::{SmtpError, carrier};
