mod margins;

use actors::domain::billing::invoice::{InvoiceStatus, PaidVia};
use serde_json::{Value, json};

use super::sheet::{Mark, Page};
use super::{lay_out, pdf};
use crate::documents::Document;
use crate::documents::tests::{PAGE, document, line};

/// The texts of a page, in the order in which they are drawn.
fn texts(page: &Page) -> Vec<&str> {
    let mut texts = Vec::new();
    for mark in &page.marks {
        if let Mark::Text { text, .. } = mark {
            texts.push(text.text.as_str());
        }
    }
    texts
}

fn many(count: usize) -> Document {
    let lines: Vec<Value> =
        (1..=count).map(|n| line(&format!("Service {n}"), "2", 1_050)).collect();
    document(&lines, &json!({}))
}

#[test]
fn all_that_an_invoice_says_is_printed() {
    let lines = [line("Development", "1.5", 333), line("Ἔργον Київ", "1", 100)];
    let invoice = document(&lines, &json!({"memo": "Thank you.\nSee you soon."}));
    let sheets = lay_out(&invoice);
    assert_eq!(sheets.pages.len(), 1);
    let page = texts(&sheets.pages[0]);
    for expected in [
        "Invoice",
        "1000001-2611AAA",
        "22 November 2026",
        "6 December 2026",
        "1 – 30 November 2026",
        "C-2026-0042",
        "Bücher & Söhne GmbH",
        "VAT ID DE123456788",
        "Zażółć Gęślą Jaźń Sp. z o.o.",
        "Σοφία Παπαδοπούλου",
        "90-001 Łódź",
        "VAT ID PL5260001246",
        "EUR 7.14",
        "Due by 6 December 2026",
        "Development",
        "1.5",
        "3.33",
        "19%",
        "5.00",
        "Ἔργον Київ",
        "VAT 19% on 6.00",
        "1.14",
        "Pay online",
        "Thank you.",
        "See you soon.",
        "Page 1 of 1",
    ] {
        assert!(page.contains(&expected), "{expected:?} is missing of {page:#?}");
    }
}

#[test]
fn what_is_carried_forward_is_what_is_brought_and_all_of_it_is_the_subtotal() {
    let invoice = many(120);
    let sheets = lay_out(&invoice);
    assert!(sheets.pages.len() > 2);
    let behind = |page: &Page, label: &str| -> Option<String> {
        let texts = texts(page);
        let at = texts.iter().position(|text| *text == label)?;
        texts.get(at + 1).map(|text| (*text).to_owned())
    };
    let mut lines = 0;
    for (page, next) in sheets.pages.iter().zip(&sheets.pages[1..]) {
        lines += texts(page).iter().filter(|text| text.starts_with("Service ")).count();
        let forward = behind(page, "Carried forward").expect("it is carried");
        assert_eq!(forward, crate::documents::figures::amount(lines as i64 * 2_100, EUR));
        assert_eq!(behind(next, "Brought forward"), Some(forward));
    }
    let last = sheets.pages.last().expect("a page");
    assert_eq!(behind(last, "Subtotal").as_deref(), Some("2,520.00"));
    for (place, page) in sheets.pages.iter().enumerate() {
        let count = format!("Page {} of {}", place + 1, sheets.pages.len());
        assert!(texts(page).contains(&count.as_str()));
    }
}

const EUR: actors::domain::money::Currency = actors::domain::money::Currency::EUR;

#[test]
fn what_cannot_be_paid_shows_no_way_to_pay() {
    let links = |document: &Document| {
        let pages = lay_out(document).pages;
        let marks = pages.into_iter().flat_map(|page| page.marks);
        marks.filter(|mark| matches!(mark, Mark::Link(_, to) if to == PAGE)).count()
    };
    let mut invoice = document(&[line("Work", "1", 100)], &json!({}));
    assert_eq!(links(&invoice), 3);
    for status in [InvoiceStatus::Paid, InvoiceStatus::Voided, InvoiceStatus::WrittenOff] {
        invoice.invoice.status = status;
        assert_eq!(links(&invoice), 0, "{status:?}");
    }
}

#[test]
fn what_is_asked_for_is_what_is_still_owed() {
    let printed = |document: &Document| {
        let page = &lay_out(document).pages[0];
        let all = texts(page).join("|");
        ["EUR 1.19", "EUR 0.70", "Amount due", "Paid or credited so far"].map(|it| all.contains(it))
    };
    let mut invoice = document(&[line("Work", "1", 100)], &json!({}));
    assert_eq!(printed(&invoice), [true, false, true, false]);
    invoice.invoice.outstanding_minor = 70;
    assert_eq!(printed(&invoice), [false, true, true, true]);
    invoice.invoice.status = InvoiceStatus::WrittenOff;
    assert_eq!(printed(&invoice), [true, false, false, false]);
    assert!(texts(&lay_out(&invoice).pages[0]).contains(&"Closed: nothing to pay"));
    invoice.invoice.status = InvoiceStatus::Paid;
    invoice.invoice.paid_via = Some(PaidVia::CreditNote);
    assert!(texts(&lay_out(&invoice).pages[0]).contains(&"Settled by credit note"));
}

#[test]
fn a_document_that_asks_for_nothing_any_more_says_so_where_credit_paid_a_part() {
    let mut invoice = document(&[line("Work", "1", 100)], &json!({}));
    let of = &mut invoice.invoice;
    (of.credit_applied_minor, of.collectible_minor, of.outstanding_minor) = (49, 70, 0);
    let behind = |document: &Document, label: &str| {
        let page = &lay_out(document).pages[0];
        let at = texts(page).iter().rposition(|text| *text == label)?;
        texts(page).get(at + 1).map(|text| (*text).to_owned())
    };
    for status in [InvoiceStatus::Paid, InvoiceStatus::Voided, InvoiceStatus::WrittenOff] {
        invoice.invoice.status = status;
        assert_eq!(behind(&invoice, "Credit applied").as_deref(), Some("-0.49"), "{status:?}");
        assert_eq!(behind(&invoice, "Amount due").as_deref(), Some("EUR 0.00"), "{status:?}");
        let paid = (status == InvoiceStatus::Paid).then_some("-0.70");
        assert_eq!(behind(&invoice, "Paid or credited").as_deref(), paid, "{status:?}");
    }
    invoice.invoice.status = InvoiceStatus::Sent;
    invoice.invoice.outstanding_minor = 70;
    assert_eq!(behind(&invoice, "Amount due").as_deref(), Some("EUR 0.70"));
}

#[test]
fn characters_that_the_fonts_lack_make_a_file_all_the_same() {
    let others = ["ש\u{301}", "ก\u{301}", "愛\u{301}", "ა\u{336}", "म\u{301}\u{336}ा"];
    for text in ["ᏣᎳ", "a\u{200b}b\u{2060}", "🧾 e\u{301}", "\u{e000}"].into_iter().chain(others)
    {
        let invoice = document(&[line(text, "1", 100)], &json!({}));
        pdf(&invoice).unwrap_or_else(|error| panic!("{text}: {error}"));
    }
}

#[test]
fn the_same_document_is_the_same_file() {
    let invoice = many(40);
    let file = pdf(&invoice).expect("a file");
    assert!(file.starts_with(b"%PDF-1.7"));
    assert!(pdf(&invoice).expect("a file") == file);
}

#[test]
fn each_font_that_a_document_needs_is_in_its_file_and_no_other() {
    let fonts = |text: &str| {
        let file = pdf(&document(&[line(text, "1", 100)], &json!({}))).expect("a file");
        let has = |name: &str| file.windows(name.len()).any(|part| part == name.as_bytes());
        ["NotoSans-Regular", "NotoSansHebrew-Regular", "DroidSansFallback"].map(has)
    };
    assert_eq!(fonts("Ada"), [true, false, false]);
    assert_eq!(fonts("שלום"), [true, true, false]);
    assert_eq!(fonts("愛達"), [true, false, true]);
}
