//! An address as a QR code.

use qrcodegen::{QrCode, QrCodeEcc};

use super::sheet::{Area, Mark};

/// The squares of `text` in `area`; nothing where it is too long for a code.
pub(super) fn code(text: &str, area: Area) -> Option<Mark> {
    let code = QrCode::encode_text(text, QrCodeEcc::Medium).ok()?;
    let across = code.size();
    let cells = (0..across).flat_map(|row| (0..across).map(move |column| (column, row)));
    let dark = cells.filter(|(column, row)| code.get_module(*column, *row)).collect();
    Some(Mark::Squares { area, across, dark })
}
