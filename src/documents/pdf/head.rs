//! The head of the first page: what it is, of when, between whom, and what is to be paid.

use actors::domain::billing::invoice::{BillTo, InvoiceType, PaidVia};

use super::sheet::{ACCENT, Area, BAD, Colour, GOOD, INK, LEFT, Mark, RIGHT, SOFT, Sheets, TINT};
use super::type_setting::{Length, Style, Text};
use crate::documents::countries;
use crate::documents::document::{Document, Standing};
use crate::documents::figures;

const TITLE: Style = Style::bold(2_400);
const NUMBER: Style = Style::regular(1_200);
const LABEL: Style = Style::regular(780);
const FACT: Style = Style::regular(950);
const NAME: Style = Style::bold(1_050);
const PARTICULAR: Style = Style::regular(900);
const AMOUNT: Style = Style::bold(2_000);
const CALL: Style = Style::bold(1_000);

const WHOLE: Length = RIGHT - LEFT;
const GAP: Length = 1_200;
const BANNER: Length = 5_600;

pub(super) fn put(sheets: &mut Sheets, document: &Document) {
    title(sheets, document);
    facts(sheets, document);
    parties(sheets, document);
    banner(sheets, document);
}

fn title(sheets: &mut Sheets, document: &Document) {
    let base = sheets.y + TITLE.rise();
    sheets.left(LEFT, base, TITLE.set(document.title()), INK);
    let number = document.number().unwrap_or_else(|| "Draft".to_owned());
    sheets.right(RIGHT, base, NUMBER.set(&number), SOFT);
    sheets.rule(base + 1_400, 160, ACCENT);
    sheets.y = base + 1_400 + 160 + GAP;
}

/// Short facts side by side, each under its label.
fn facts(sheets: &mut Sheets, document: &Document) {
    let facts = named_facts(document);
    let across = WHOLE / Length::try_from(facts.len().max(4)).unwrap_or(4);
    let (top, mut lowest) = (sheets.y, sheets.y);
    for (place, (label, value)) in (0..).zip(facts) {
        let left = LEFT + place * across;
        sheets.left(left, top + LABEL.rise(), LABEL.set(label), SOFT);
        let values = FACT.wrap(&value, across - 800);
        let base = top + LABEL.leading() + FACT.rise() + 200;
        lowest = lowest.max(sheets.column(left, base, values, INK));
    }
    sheets.y = lowest + GAP;
}

fn named_facts(document: &Document) -> Vec<(&'static str, String)> {
    let invoice = &document.invoice;
    let due = invoice.due_date.filter(|_| !document.is_credit_note());
    let period = invoice.period_start.zip(invoice.period_end);
    let facts = [
        ("Issue date", Some(figures::day(invoice.issue_date))),
        ("Due date", due.map(figures::day)),
        ("Corrects invoice", document.corrects()),
        ("Period", period.map(|(start, end)| figures::period(start, end))),
        ("Contract", invoice.contract_number.clone()),
    ];
    facts.into_iter().filter_map(|(label, fact)| fact.map(|fact| (label, fact))).collect()
}

fn parties(sheets: &mut Sheets, document: &Document) {
    let half = WHOLE / 2;
    let top = sheets.y;
    let from = party(sheets, LEFT, "From", &document.invoice.seller.name, &issuer(document));
    let to = &document.invoice.bill_to;
    sheets.y = top;
    let (name, particulars) = recipient(to, document.tax_word());
    let to = party(sheets, LEFT + half, "Bill to", name, &particulars);
    sheets.y = from.max(to) + GAP / 2;
}

/// A name and what is below it; answers where it ends.
fn party(
    sheets: &mut Sheets,
    left: Length,
    label: &str,
    name: &str,
    particulars: &[String],
) -> Length {
    let width = WHOLE / 2 - 1_000;
    let base = sheets.y + LABEL.rise();
    sheets.left(left, base, LABEL.set(label), SOFT);
    let base = base + LABEL.leading() + 500;
    let base = sheets.column(left, base, NAME.wrap(name, width), INK);
    let lines = |text: &String| -> Vec<Text> { PARTICULAR.wrap(text, width) };
    sheets.column(left, base, particulars.iter().flat_map(lines), SOFT)
}

/// What is below the seller's name.
fn issuer(document: &Document) -> Vec<String> {
    let of = &document.invoice.seller;
    let lines = [
        of.address.line1.clone(),
        of.address.line2.clone(),
        joined([&of.address.postal_code, &of.address.city], " "),
        of.country.map(countries::name),
        of.tax_id.as_ref().map(|id| format!("{} ID {id}", document.tax_word())),
        Some(of.email.as_str().to_owned()),
        of.phone.clone(),
    ];
    lines.into_iter().flatten().collect()
}

/// The recipient's company or name, and the rest.
fn recipient<'a>(of: &'a BillTo, tax: &str) -> (&'a str, Vec<String>) {
    let (company, person) = (of.company_name.as_ref(), of.name.as_ref());
    let email = of.email.as_str();
    let name = company.or(person).map_or(email, String::as_str);
    let city = joined([&of.postal_code, &of.city], " ");
    let country = of.country.as_ref().or(of.company_country.as_ref());
    let named =
        |text: &String| countries::stated(text).map_or_else(|| text.clone(), countries::name);
    let country = country.map(named);
    let lines = [
        person.filter(|_| company.is_some()).cloned(),
        of.address_line1.clone(),
        of.address_line2.clone(),
        city,
        country,
        of.tax_id.as_ref().map(|id| format!("{tax} ID {id}")),
        Some(email.to_owned()).filter(|email| email != name),
        of.phone.clone(),
    ];
    (name, lines.into_iter().flatten().collect())
}

fn joined<const N: usize>(parts: [&Option<String>; N], between: &str) -> Option<String> {
    let parts: Vec<&str> = parts.into_iter().flatten().map(String::as_str).collect();
    (!parts.is_empty()).then(|| parts.join(between))
}

impl Document {
    pub(super) fn title(&self) -> &'static str {
        match self.invoice.invoice_type {
            InvoiceType::Standard => "Invoice",
            InvoiceType::Simplified => "Simplified invoice",
            InvoiceType::Modified => "Corrected invoice",
            InvoiceType::CreditNote => "Credit note",
        }
    }
}

/// What there is to do, on a ground of its own.
fn banner(sheets: &mut Sheets, document: &Document) {
    let (top, invoice) = (sheets.y, &document.invoice);
    let area = Area { left: LEFT, top, width: WHOLE, height: BANNER };
    sheets.mark(Mark::Filled(area, TINT));
    let (label, amount) = sum(document);
    let inside = LEFT + 1_400;
    let base = top + 1_300 + LABEL.rise();
    sheets.left(inside, base, LABEL.set(label), SOFT);
    let amount = figures::price(amount, invoice.currency);
    sheets.left(inside, base + 2_300, AMOUNT.set(&amount), INK);
    let (call, colour) = call(document);
    let linked = document.payment_link();
    let base = if linked.is_some() { base + 500 } else { base + 1_500 };
    sheets.right(RIGHT - 1_400, base, CALL.set(&call), colour);
    if let Some(link) = linked {
        let text = FACT.set("Pay online");
        let (width, base) = (text.width, base + 1_900);
        sheets.right(RIGHT - 1_400, base, text, ACCENT);
        let left = RIGHT - 1_400 - width;
        let area = Area { left, top: base - 1_000, width, height: 1_400 };
        sheets.mark(Mark::Link(area, link.to_owned()));
    }
    sheets.y = top + BANNER + GAP;
}

fn sum(document: &Document) -> (&'static str, i64) {
    let invoice = &document.invoice;
    if document.is_credit_note() {
        return ("Total credited", document.stated(invoice.totals.grand_total_minor));
    }
    match document.standing() {
        Standing::Settled | Standing::Void | Standing::WrittenOff => {
            ("Total", invoice.totals.grand_total_minor)
        }
        Standing::ToBePaid => ("Amount due", invoice.outstanding_minor),
        Standing::Draft => ("Amount due", invoice.collectible_minor),
    }
}

fn call(document: &Document) -> (String, Colour) {
    let invoice = &document.invoice;
    match document.standing() {
        Standing::Draft => ("Draft: not issued yet".to_owned(), BAD),
        Standing::Void => ("Void".to_owned(), BAD),
        Standing::Settled if document.is_credit_note() => (String::new(), GOOD),
        Standing::WrittenOff => ("Closed: nothing to pay".to_owned(), SOFT),
        Standing::Settled if invoice.paid_via == Some(PaidVia::CreditNote) => {
            ("Settled by credit note".to_owned(), GOOD)
        }
        Standing::Settled => {
            let on = invoice.paid_at.map(|at| format!(" on {}", figures::day(at.date())));
            (format!("Paid{}", on.unwrap_or_default()), GOOD)
        }
        Standing::ToBePaid => {
            let by = invoice.due_date.map(|date| format!("Due by {}", figures::day(date)));
            (by.unwrap_or_default(), INK)
        }
    }
}
