//! The document that goes with a mail about it.

use actors::domain::billing::invoice::Invoice;

use crate::documents::{Document, PdfError, pdf};

/// A document as it is printed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attachment {
    pub name: String,
    pub file: Vec<u8>,
}

impl Attachment {
    pub const TYPE: &'static str = "application/pdf";

    /// # Errors
    /// When the document cannot be made, which is a fault of the program.
    pub fn of(document: &Document) -> Result<Self, PdfError> {
        Ok(Self { name: name_of(&document.invoice), file: pdf(document)? })
    }
}

/// What the file of an issued document is called: by its number.
pub fn name_of(invoice: &Invoice) -> String {
    let number = invoice.number.map(|number| number.to_string());
    format!("{}.pdf", number.unwrap_or_else(|| invoice.id.0.to_string()))
}
