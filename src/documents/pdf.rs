//! The PDF of a document: A4, in English, PDF/A-3b.
//!
//! It is laid out in whole numbers first ([`sheet`]), part by part from the head down, and then
//! drawn ([`draw`]). Where the document can be an electronic invoice, it carries its data as XML
//! ([`factur_x`]).

mod draw;
mod factur_x;
mod fonts;
mod foot;
mod head;
mod lines;
mod qr;
mod runs;
mod sheet;
#[cfg(test)]
mod tests;
mod totals;
mod type_setting;

use actors::domain::time::Timestamp;
use krilla::metadata::{DateTime, Metadata};

use self::sheet::Sheets;
use super::document::Document;
use super::einvoice::{self, Syntax};

/// Why there is no PDF; a fault of the program.
#[derive(Debug, thiserror::Error)]
#[error("the document could not be made: {0}")]
pub struct PdfError(String);

/// The file of a document, the same bytes every time. It takes some milliseconds, and longer with
/// thousands of lines: not for a thread that serves connections.
pub fn pdf(document: &Document) -> Result<Vec<u8>, PdfError> {
    let sheets = lay_out(document);
    let mut drawn = draw::document();
    draw::pages(&mut drawn, &sheets.pages);
    drawn.set_metadata(metadata(document));
    let data = einvoice::xml(document, Syntax::Cii).ok();
    let has_data = data.is_some();
    if let Some(data) = data {
        factur_x::attach(&mut drawn, data, date_time(document.invoice.issued_at));
    }
    let file = drawn.finish().map_err(|error| PdfError(format!("{error:?}")))?;
    if !has_data {
        return Ok(file);
    }
    factur_x::with_metadata(&file)
        .ok_or_else(|| PdfError("its metadata are not in their place".to_owned()))
}

fn lay_out(document: &Document) -> Sheets {
    let mut sheets = Sheets::new();
    head::put(&mut sheets, document);
    let carried = lines::put(&mut sheets, document);
    totals::put(&mut sheets, document, carried);
    foot::put(&mut sheets, document);
    sheets
}

fn metadata(document: &Document) -> Metadata {
    let title = [Some(document.title().to_owned()), document.number()];
    let title = title.into_iter().flatten().collect::<Vec<_>>().join(" ");
    Metadata::new()
        .document_id(format!("{}/{}", document.invoice.seller.name, document.invoice.id.0))
        .title(title)
        .authors(vec![document.invoice.seller.name.clone()])
        .creator("Accrue".to_owned())
        .language("en".to_owned())
        .creation_date(date_time(document.invoice.issued_at))
}

fn date_time(at: Timestamp) -> DateTime {
    let (year, month, day) = at.date().parts();
    let second = at.unix_seconds() - at.date().start().unix_seconds();
    let part = |value: i64| u8::try_from(value).unwrap_or(0);
    DateTime::new(u16::try_from(year).unwrap_or(0))
        .month(part(i64::from(month)))
        .day(part(i64::from(day)))
        .hour(part(second / 3_600))
        .minute(part(second / 60 % 60))
        .second(part(second % 60))
        .utc_offset_hour(0)
        .utc_offset_minute(0)
}
