//! The table of lines, over as many pages as it takes, with what is carried from one to the next.

use actors::domain::billing::invoice::InvoiceLine;

use super::sheet::{Colour, INK, LEFT, LINE, RIGHT, SOFT, Sheets};
use super::type_setting::{Length, Style, Text};
use crate::documents::document::Document;
use crate::documents::figures;

const HEADING: Style = Style::bold(780);
const CELL: Style = Style::regular(950);
const BELOW: Style = Style::regular(800);
const CARRIED: Style = Style::bold(850);
const CONTINUED: Style = Style::regular(950);

/// Where the columns of figures end.
const QUANTITY: Length = 32_400;
const UNIT_PRICE: Length = 40_600;
const TAX: Length = 45_400;

const DESCRIPTION_WIDTH: Length = 19_600;
const QUANTITY_WIDTH: Length = 6_800;
const UNIT_PRICE_WIDTH: Length = 7_600;
const AMOUNT_WIDTH: Length = 8_200;

const PADDING: Length = 620;
/// Above and below the texts of a line.
const ABOVE: Length = PADDING + 100;
const UNDER: Length = PADDING - 250;
const HEAD_HEIGHT: Length = 1_900;
const CARRY_HEIGHT: Length = 2_000;

/// What the lines above come to, for whatever page goes on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Carried(i64);

/// A line as it is set.
struct Row {
    /// Its description and what stands below it.
    texts: Vec<(Text, Colour)>,
    quantity: Vec<Text>,
    unit_price: Option<Text>,
    tax: Text,
    amount: Text,
    stated_minor: i64,
}

pub(super) fn put(sheets: &mut Sheets, document: &Document) -> Carried {
    let mut carried = Carried(0);
    heading(sheets, document);
    for line in &document.lines {
        let row = Row::of(line, document);
        if !sheets.has_room(row.height() + CARRY_HEIGHT) {
            carried.go_on(sheets, document);
        }
        row.put(sheets, document, &mut carried);
    }
    carried
}

fn heading(sheets: &mut Sheets, document: &Document) {
    let base = sheets.y + HEADING.rise();
    sheets.left(LEFT, base, HEADING.set("Description"), SOFT);
    sheets.right(QUANTITY, base, HEADING.set("Quantity"), SOFT);
    sheets.right(UNIT_PRICE, base, HEADING.set("Unit price"), SOFT);
    sheets.right(TAX, base, HEADING.set(document.tax_word()), SOFT);
    let amount = format!("Amount ({})", document.invoice.currency);
    sheets.right(RIGHT, base, HEADING.set(&amount), SOFT);
    sheets.rule(sheets.y + HEAD_HEIGHT - 700, 70, INK);
    sheets.y += HEAD_HEIGHT - 630;
}

impl Row {
    fn of(line: &InvoiceLine, document: &Document) -> Self {
        let currency = document.invoice.currency;
        let amount = |minor: i64| figures::amount(document.stated(minor), currency);
        let description = CELL.wrap(&line.description, DESCRIPTION_WIDTH);
        let notes = notes(line, document);
        let below = notes.iter().flat_map(|note| BELOW.wrap(note, DESCRIPTION_WIDTH));
        let description = description.into_iter().map(|text| (text, INK));
        let texts = description.chain(below.map(|text| (text, SOFT))).collect();
        let quantity = figures::grouped(&line.quantity.to_string());
        let unit_price = line.unit_price_minor.map(|minor| fit(&amount(minor), UNIT_PRICE_WIDTH));
        Self {
            texts,
            quantity: CELL.wrap(&quantity, QUANTITY_WIDTH),
            unit_price,
            tax: CELL.set(&format!("{}%", line.tax_rate)),
            amount: fit(&amount(line.amount_minor), AMOUNT_WIDTH),
            stated_minor: document.stated(line.amount_minor),
        }
    }

    fn height(&self) -> Length {
        let texts: Length = self.texts.iter().map(|(text, _)| text.style.leading()).sum();
        ABOVE + texts + UNDER
    }

    /// The figures stand beside the first of the texts; those that find no room on the page go on
    /// on the next ones.
    fn put(self, sheets: &mut Sheets, document: &Document, carried: &mut Carried) {
        sheets.y += ABOVE;
        let base = sheets.y + CELL.rise();
        let mut figure = base;
        for part in self.quantity {
            sheets.right(QUANTITY, figure, part, INK);
            figure += CELL.leading();
        }
        if let Some(unit_price) = self.unit_price {
            sheets.right(UNIT_PRICE, base, unit_price, INK);
        }
        sheets.right(TAX, base, self.tax, INK);
        sheets.right(RIGHT, base, self.amount, INK);
        carried.0 += self.stated_minor;
        for (text, colour) in self.texts {
            let leading = text.style.leading();
            if !sheets.has_room(leading + UNDER + CARRY_HEIGHT) {
                carried.go_on(sheets, document);
                sheets.y += ABOVE;
            }
            sheets.left(LEFT, sheets.y + text.style.rise(), text, colour);
            sheets.y += leading;
        }
        sheets.y += UNDER;
        sheets.rule(sheets.y, 40, LINE);
    }
}

/// Begins another page of the document.
pub(super) fn turn(sheets: &mut Sheets, document: &Document) {
    sheets.turn();
    let base = sheets.y + CONTINUED.rise();
    let number = document.number().unwrap_or_default();
    let text = format!("{} {number}, continued", document.title());
    sheets.left(LEFT, base, CONTINUED.set(&text), SOFT);
    sheets.y = base + 2_400;
}

/// A figure in the size of the table, or in a smaller one where it would not find room.
fn fit(text: &str, width: Length) -> Text {
    let set = CELL.set(text);
    if set.width <= width {
        return set;
    }
    let size = (CELL.size * width / set.width.max(1)).max(400);
    Style::regular(size).set(text)
}

/// What stands below the description.
fn notes(line: &InvoiceLine, document: &Document) -> Vec<String> {
    let currency = document.invoice.currency;
    let mut notes = Vec::new();
    if let Some((start, end)) = line.period_start.zip(line.period_end) {
        notes.push(figures::period(start, end));
    }
    for credit in &line.credits {
        let amount = figures::amount(document.stated(credit.amount_minor), currency);
        notes.push(format!("{}: {amount}", credit.description));
    }
    if line.discount_minor != 0 {
        let gross = figures::amount(document.stated(line.gross_minor()), currency);
        let discount = figures::amount(document.stated(line.discount_minor), currency);
        notes.push(format!("{gross} less a discount of {discount}"));
    }
    notes
}

impl Carried {
    /// Goes on with the table on another page.
    fn go_on(self, sheets: &mut Sheets, document: &Document) {
        self.turn(sheets, document);
        heading(sheets, document);
        self.bring(sheets, document);
    }

    /// Ends a page with what its lines come to so far, and begins another.
    pub(super) fn turn(self, sheets: &mut Sheets, document: &Document) {
        self.row(sheets, document, "Carried forward");
        turn(sheets, document);
    }

    pub(super) fn bring(self, sheets: &mut Sheets, document: &Document) {
        self.row(sheets, document, "Brought forward");
        sheets.rule(sheets.y, 40, LINE);
    }

    fn row(self, sheets: &mut Sheets, document: &Document, label: &str) {
        let base = sheets.y + PADDING + CARRIED.rise() + 100;
        let amount = figures::amount(self.0, document.invoice.currency);
        sheets.left(LEFT, base, CARRIED.set(label), SOFT);
        sheets.right(RIGHT, base, CARRIED.set(&amount), INK);
        sheets.y += CARRY_HEIGHT;
    }
}

impl Document {
    /// What its tax is called where it is issued.
    pub(super) fn tax_word(&self) -> &'static str {
        match self.invoice.seller.country {
            Some(country) if country.code() != "US" => "VAT",
            _ => "Tax",
        }
    }
}
