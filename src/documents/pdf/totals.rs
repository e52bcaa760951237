//! What the lines come to, how it is paid, and the memo.

use actors::domain::billing::invoice::CollectionMethod;
use actors::domain::billing::tax::TaxSubtotal;
use actors::domain::money::Currency;

use super::lines::{self, Carried};
use super::qr;
use super::sheet::{ACCENT, Area, INK, LEFT, Mark, RIGHT, SOFT, Sheets, TINT};
use super::type_setting::{Length, Style, Text};
use crate::documents::document::{Document, Standing};
use crate::documents::figures;

const ITEM: Style = Style::regular(950);
const TOTAL: Style = Style::bold(1_100);
const HEADING: Style = Style::bold(950);
const PROSE: Style = Style::regular(900);
const SMALL: Style = Style::regular(800);
const ADDRESS: Style = Style::regular(700);

/// Where the totals begin.
const FROM: Length = 28_000;
const STEP: Length = 1_750;
const LAST: Length = 3_000;
const GAP: Length = 1_600;
const CODE: Length = 8_600;

struct Item {
    label: String,
    amount: i64,
    style: Style,
}

/// An item as it is set.
struct Row {
    labels: Vec<Text>,
    amount: Text,
}

pub(super) fn put(sheets: &mut Sheets, document: &Document, carried: Carried) {
    let currency = document.invoice.currency;
    let rows: Vec<Row> = items(document).iter().map(|item| item.set(currency)).collect();
    let height = rows.iter().map(Row::height).sum::<Length>() + LAST + GAP;
    if !sheets.has_room(height.max(CODE + GAP)) {
        carried.turn(sheets, document);
        carried.bring(sheets, document);
    }
    sheets.y += GAP;
    let (page, top) = (sheets.pages.len(), sheets.y);
    let beside = how_to_pay(sheets, document, top);
    list(sheets, document, rows);
    if sheets.pages.len() == page {
        sheets.y = sheets.y.max(beside);
    }
    sheets.y += GAP;
    memo(sheets, document);
}

fn items(document: &Document) -> Vec<Item> {
    let invoice = &document.invoice;
    let totals = invoice.totals;
    let item = |label: &str, minor: i64| Item {
        label: label.to_owned(),
        amount: document.stated(minor),
        style: ITEM,
    };
    let mut items = vec![item("Subtotal", totals.subtotal_minor)];
    if totals.discount_minor != 0 {
        items.push(item("Discounts", -totals.discount_minor));
        items.push(item("Net", totals.subtotal_minor - totals.discount_minor));
    }
    items.extend(document.taxes().map(|tax| Item {
        label: tax_label(&tax, document),
        amount: tax.tax_minor,
        style: ITEM,
    }));
    if invoice.credit_applied_minor != 0 {
        items.push(Item { style: HEADING, ..item("Total", totals.grand_total_minor) });
        items.push(item("Credit applied", -invoice.credit_applied_minor));
    }
    let received = document.received_minor();
    if received != 0 {
        if invoice.credit_applied_minor == 0 {
            items.push(Item { style: HEADING, ..item("Total", totals.grand_total_minor) });
        }
        let label = match document.standing() {
            Standing::Settled => "Paid or credited",
            _ => "Paid or credited so far",
        };
        items.push(item(label, -received));
    }
    items
}

fn tax_label(tax: &TaxSubtotal, document: &Document) -> String {
    let word = document.tax_word();
    let taxable = figures::amount(tax.taxable_minor, document.invoice.currency);
    match tax.category.reason() {
        Some(reason) => format!("{word} {}% on {taxable} ({reason})", tax.rate),
        None => format!("{word} {}% on {taxable}", tax.rate),
    }
}

/// The items over as many pages as it takes; the last of them is on that of what they come to.
fn list(sheets: &mut Sheets, document: &Document, rows: Vec<Row>) {
    let currency = document.invoice.currency;
    let last_row = rows.len().saturating_sub(1);
    for (place, row) in rows.into_iter().enumerate() {
        let with_it = if place == last_row { LAST } else { 0 };
        if !sheets.has_room(row.height() + with_it) {
            lines::turn(sheets, document);
        }
        row.put(sheets);
    }
    let area = Area { left: FROM - 900, top: sheets.y, width: RIGHT - FROM + 1_800, height: LAST };
    sheets.mark(Mark::Filled(area, TINT));
    let (label, amount) = last(document);
    let base = sheets.y + LAST / 2 + TOTAL.rise() / 2;
    sheets.left(FROM, base, TOTAL.set(label), INK);
    sheets.right(RIGHT, base, TOTAL.set(&figures::price(amount, currency)), INK);
    sheets.y += LAST;
}

impl Item {
    fn set(&self, currency: Currency) -> Row {
        let amount = self.style.set(&figures::amount(self.amount, currency));
        let room = RIGHT - FROM - amount.width - 1_000;
        Row { labels: self.style.wrap(&self.label, room), amount }
    }
}

impl Row {
    fn height(&self) -> Length {
        let more = Length::try_from(self.labels.len().saturating_sub(1)).unwrap_or(0);
        STEP + more * ITEM.leading()
    }

    fn put(self, sheets: &mut Sheets) {
        let (base, height) = (sheets.y + ITEM.rise(), self.height());
        sheets.column(FROM, base, self.labels, SOFT);
        sheets.right(RIGHT, base, self.amount, INK);
        sheets.y += height;
    }
}

fn last(document: &Document) -> (&'static str, i64) {
    let invoice = &document.invoice;
    if document.is_credit_note() {
        return ("Total credited", document.stated(invoice.totals.grand_total_minor));
    }
    match (document.received_minor(), invoice.credit_applied_minor) {
        (0, 0) => ("Total", invoice.totals.grand_total_minor),
        _ => ("Amount due", invoice.outstanding_minor),
    }
}

/// Beside the totals; answers where it ends.
fn how_to_pay(sheets: &mut Sheets, document: &Document, top: Length) -> Length {
    if let Some(link) = document.payment_link() {
        return online(sheets, link, top);
    }
    let by_bank = document.invoice.collection_method == CollectionMethod::BankTransfer;
    let Some(number) = document.number().filter(|_| by_bank) else { return top };
    if document.standing() != Standing::ToBePaid {
        return top;
    }
    let base = top + HEADING.rise();
    sheets.left(LEFT, base, HEADING.set("Pay by bank transfer"), INK);
    let text = format!("Please state the invoice number {number} as the reference.");
    let lines = SMALL.wrap(&text, FROM - LEFT - 3_000);
    sheets.column(LEFT, base + HEADING.leading() + 200, lines, SOFT)
}

fn online(sheets: &mut Sheets, link: &str, top: Length) -> Length {
    let area = Area { left: LEFT, top, width: CODE, height: CODE };
    let code = qr::code(link, area);
    let left = if code.is_some() { LEFT + CODE + 1_200 } else { LEFT };
    let mut end = top;
    if let Some(code) = code {
        sheets.mark(code);
        sheets.mark(Mark::Link(area, link.to_owned()));
        end = top + CODE;
    }
    let width = FROM - 2_400 - left;
    let base = top + HEADING.rise();
    sheets.left(left, base, HEADING.set("Pay online"), INK);
    let prose = SMALL.wrap("Scan the code, or open", width);
    let base = sheets.column(left, base + HEADING.leading() + 100, prose, SOFT);
    let lines: Vec<Text> = ADDRESS.wrap(link, width);
    let height = Length::try_from(lines.len()).unwrap_or(0) * ADDRESS.leading();
    let area = Area { left, top: base - ADDRESS.rise(), width, height };
    sheets.mark(Mark::Link(area, link.to_owned()));
    end.max(sheets.column(left, base, lines, ACCENT))
}

fn memo(sheets: &mut Sheets, document: &Document) {
    let Some(memo) = document.invoice.memo.as_deref().filter(|memo| !memo.trim().is_empty()) else {
        return;
    };
    for line in PROSE.wrap(memo, RIGHT - LEFT) {
        if !sheets.has_room(PROSE.leading()) {
            sheets.turn();
        }
        let base = sheets.y + PROSE.rise();
        sheets.left(LEFT, base, line, INK);
        sheets.y += PROSE.leading();
    }
}
