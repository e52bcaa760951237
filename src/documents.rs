//! Documents as files: the PDF of an invoice, and its data as XML of EN 16931.
//!
//! [`Document`] is what both are made of. Nothing of them is stored: whoever asks gets a file made
//! anew from the invoice and its lines, the same bytes every time until its status changes. It is
//! made [in turn](in_turn).

mod countries;
mod document;
mod einvoice;
mod figures;
mod pdf;
#[cfg(test)]
mod tests;
mod turns;

pub use document::Document;
pub use einvoice::{Missing, Syntax, missing, xml};
pub use pdf::{PdfError, pdf};
pub use turns::in_turn;
