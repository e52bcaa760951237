use storage::Record;

use super::fixtures::*;
use crate::domain::billing::invoice::*;
use crate::domain::billing::numbering::NumberSeries;
use crate::domain::billing::tax::TaxRules;
use crate::domain::ids::{ID_LIMIT, SellerId};
use crate::domain::money::Currency;

/// A row of the store takes 64 KiB with its envelope.
const ROW: usize = 64 * 1024 - 5;

fn kept<R: Record>(record: &R) -> R {
    let bytes = record.encode();
    assert!(bytes.len() <= ROW, "{} bytes", bytes.len());
    R::decode(R::VERSION, &bytes).expect("a record")
}

/// The largest request that is taken: 200 lines, every text as long as it may be.
fn largest() -> NewInvoice {
    let text = |longest| Some("\u{1F9FE}".repeat(longest));
    let wordy = NewLine {
        description: "\u{1F9FE}".repeat(512),
        tax: taxed("21.1234"),
        discount_minor: Some(1),
        period_start: Some(day("2026-11-01")),
        period_end: Some(day("2026-12-01")),
        ..line("1234567.123456789", 1_000_000)
    };
    let bill_to = StatedBillTo {
        email: None,
        name: text(128),
        phone: text(32),
        company_name: text(255),
        company_country: text(56),
        tax_id: text(64),
        address_line1: text(255),
        address_line2: text(255),
        city: text(128),
        postal_code: text(32),
        country: text(56),
    };
    NewInvoice { bill_to, memo: text(1024), ..request(vec![wordy; MAX_LINES]) }
}

#[test]
fn records_are_read_back_as_they_were_written() {
    let mut paid = sent();
    for id in 1..=50 {
        let change = pay(&paid, payment(id, 1), on("2026-11-25")).expect("taken");
        paid = change.expect("a change").change.invoice;
    }
    for invoice in [sent(), issued(CollectionMethod::BankTransfer), paid] {
        assert_eq!(kept(&invoice), invoice);
    }
}

#[test]
fn the_largest_document_fits_its_rows() {
    let request = largest();
    let composed = compose(&request).expect("an invoice");
    assert_eq!(kept(&composed.invoice), composed.invoice);
    assert_eq!(composed.invoice.line_count, 200);
    let chunks = LineChunk::of(&composed.lines);
    assert!(chunks.len() > 1);
    let read: Vec<_> = chunks.iter().flat_map(|chunk| kept(chunk).0).collect();
    assert_eq!(read, composed.lines);
    let intent =
        Intent::of(&request, Currency::EUR, &contract().bill_to, &TaxRules::manual(rate("21")));
    assert_eq!(kept(&intent), intent);
}

#[test]
fn a_small_document_is_one_row_of_lines() {
    let composed = compose(&request(vec![line("1", 1); 3])).expect("an invoice");
    assert_eq!(LineChunk::of(&composed.lines).len(), 1);
    assert!(LineChunk::of(&[]).is_empty());
}

#[test]
fn ids_of_lines_rise_with_their_invoices_and_stay_below_the_limit() {
    let invoices = [1, 2, 1_025, (1 << 36) - 1_024, 1 << 36, (1 << 36) + 1_024, (1 << 46) - 1_024];
    let ids = invoices.map(|id| InvoiceLineId::new(InvoiceId(id), MAX_DOCUMENT_LINES - 1).0);
    assert_eq!(ids[2], (1_025 << 16) + 65_535);
    assert!(ids.is_sorted_by(|one, other| one < other) && ids[6] < ID_LIMIT, "{ids:?}");
}

#[test]
fn months_and_sellers_draw_from_sequences_of_their_own() {
    let november = NumberSeries::of(7, day("2026-11-30"));
    let december = NumberSeries::of(7, day("2026-12-01"));
    let all = [
        november.sequence(SellerId(1)),
        december.sequence(SellerId(1)),
        november.sequence(SellerId(2)),
    ];
    for (index, one) in all.iter().enumerate() {
        for other in &all[index + 1..] {
            assert_ne!(one, other);
        }
    }
}

#[test]
fn every_name_leads_back_to_its_entry() {
    macro_rules! all_names {
        ($($list:ident),*) => {$(
            for entry in $list::ALL {
                assert_eq!($list::parse(entry.name()), Some(*entry));
                let json = serde_json::to_string(entry).expect("json");
                assert_eq!(serde_json::from_str::<$list>(&json).ok(), Some(*entry));
            }
            assert_eq!($list::parse(""), None);
        )*};
    }
    all_names!(Origin, InvoiceType, InvoiceStatus, CollectionMethod, PaidVia, LineSource);
    assert_eq!(Origin::parse("Recurring"), None);
}
