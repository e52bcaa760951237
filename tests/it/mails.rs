//! Mails to buyers: what is kept of them, and what reaches a mail server.

mod kept;
mod reminders;
mod server;
