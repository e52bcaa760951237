//! The foot of each page: whose it is, which document, which page of how many.

use super::sheet::{Area, HEIGHT, LEFT, LINE, Mark, RIGHT, SOFT, Sheets, WIDTH};
use super::type_setting::{Length, Style};
use crate::documents::document::Document;

const FOOT: Style = Style::regular(720);
const BASE: Length = HEIGHT - 4_200;
const SIDE: Length = 19_000;

pub(super) fn put(sheets: &mut Sheets, document: &Document) {
    let pages = sheets.pages.len();
    let issuer = FOOT.wrap(&document.invoice.seller.name, SIDE).into_iter().next();
    let number = FOOT.set(&document.number().unwrap_or_default());
    for (place, page) in sheets.pages.iter_mut().enumerate() {
        let rule = Area { left: LEFT, top: BASE - 1_500, width: RIGHT - LEFT, height: 40 };
        page.marks.push(Mark::Filled(rule, LINE));
        let count = FOOT.set(&format!("Page {} of {pages}", place + 1));
        let texts = [
            issuer.clone().map(|text| (LEFT, text)),
            Some(((WIDTH - number.width) / 2, number.clone())),
            Some((RIGHT - count.width, count)),
        ];
        for (left, text) in texts.into_iter().flatten().filter(|(_, text)| !text.text.is_empty()) {
            page.marks.push(Mark::Text { left, base: BASE, text, colour: SOFT });
        }
    }
}
