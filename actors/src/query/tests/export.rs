use super::invoices::{all, house, minute};
use super::*;
use crate::domain::billing::invoice::{InvoiceFilter, InvoiceStatus, InvoiceType, Origin};
use crate::domain::billing::numbering::NumberSeries;
use crate::domain::ids::{ContractId, TopupId};
use crate::domain::money::{Currency, Money};
use crate::domain::payments::safeguarding::SafeguardingAccount;
use crate::domain::payments::topup::TopupInvoice;
use crate::domain::platform::seller::Mode;
use crate::domain::time::Timestamp;
use crate::query::{Export, ExportFilter, ExportRow};
use crate::tables::TOPUPS;

fn topup(id: u64, issued_at: Timestamp) -> TopupInvoice {
    TopupInvoice {
        id: TopupId(id),
        seller: SELLER,
        number: NumberSeries::of(1, issued_at.date()).number(id),
        amount: Money::new(500, Currency::EUR).expect("money"),
        received_minor: 0,
        mode: Mode::Demo,
        issued_at,
        due_at: issued_at,
        overdue_at: issued_at.plus_seconds(86_400),
        expires_at: issued_at.plus_seconds(30 * 86_400),
        bank: SafeguardingAccount::of_sandbox(SELLER, issued_at).bank,
        deposits: Vec::new(),
    }
}

fn between(from: u64, to: u64) -> InvoiceFilter {
    InvoiceFilter {
        issued_from: Some(minute(from)),
        issued_to: Some(minute(to)),
        ..InvoiceFilter::default()
    }
}

fn open(house: &TempStore, filter: &InvoiceFilter, most: usize) -> Option<Export> {
    let filter = ExportFilter { invoices: filter.clone(), ..ExportFilter::default() };
    let opened = Export::open(house.store(), SELLER, filter, minute(20_000), most);
    opened.expect("readable")
}

/// The ids of a file's rows, those of top-ups above a million.
fn exported(mut export: Export) -> Vec<u64> {
    let mut ids = Vec::new();
    while let Some(rows) = export.part().expect("readable") {
        ids.extend(rows.iter().map(|row| match row {
            ExportRow::Invoice(invoice) => invoice.id.0,
            ExportRow::Topup(topup) => 1_000_000 + topup.id.0,
        }));
    }
    ids
}

#[test]
fn a_file_has_what_the_filter_lets_through_newest_first() {
    let all = all();
    let house = house(&all);
    let any = InvoiceFilter::default;
    for filter in [
        between(0, 20_000),
        between(5_000, 5_025),
        between(9_990, 20_000),
        between(30_000, 40_000),
        InvoiceFilter { status: Some(InvoiceStatus::Overdue), ..between(100, 9_000) },
        InvoiceFilter { contract: Some(ContractId(2)), ..between(0, 9_000) },
        InvoiceFilter { origin: Some(Origin::Usage), ..any() },
    ] {
        let wanted = all.iter().rev().filter(|invoice| filter.matches(invoice));
        let wanted: Vec<u64> = wanted.map(|invoice| invoice.id.0).collect();
        let found = exported(open(&house, &filter, 10_000).expect("not too many"));
        assert_eq!(found, wanted, "{filter:?}");
    }
}

#[test]
fn a_period_of_too_many_documents_is_none_whatever_is_left_of_it() {
    let house = house(&all());
    let period = between(5_000, 5_025);
    let count = exported(open(&house, &period, 10_000).expect("few")).len();
    let none = InvoiceFilter { status: Some(InvoiceStatus::Voided), ..period.clone() };
    for filter in [period, none] {
        assert!(open(&house, &filter, count).is_some());
        assert!(open(&house, &filter, count - 1).is_none());
    }
}

#[test]
fn topups_stand_among_the_others_by_their_time() {
    let all = all();
    let house = house(&all);
    let mut batch = Batch::new();
    for (id, at) in [(1, 10), (2, 5_010), (3, 5_020), (4, 9_000)] {
        batch.put(TOPUPS, &(SELLER, TopupId(id)), &topup(id, minute(at).plus_seconds(30)));
    }
    house.store().write_blocking(batch).expect("durable");
    let found = exported(open(&house, &between(5_000, 5_025), 100).expect("few"));
    let places = |id: u64| found.iter().position(|one| *one == 1_000_000 + id);
    let (later, earlier) = (places(3).expect("there"), places(2).expect("there"));
    assert!(0 < later && later < earlier && earlier + 1 < found.len(), "{found:?}");
    assert_eq!((places(1), places(4)), (None, None));
    for (filter, there) in [
        (InvoiceFilter { status: Some(InvoiceStatus::Issued), ..between(5_000, 5_025) }, false),
        (InvoiceFilter { status: Some(InvoiceStatus::Overdue), ..between(5_000, 5_025) }, true),
        (InvoiceFilter { contract: Some(ContractId(1)), ..between(5_000, 5_025) }, false),
        (InvoiceFilter { origin: Some(Origin::Adhoc), ..between(5_000, 5_025) }, false),
        (
            InvoiceFilter { invoice_type: Some(InvoiceType::Modified), ..between(5_000, 5_025) },
            false,
        ),
    ] {
        let found = exported(open(&house, &filter, 100).expect("few"));
        assert_eq!(found.contains(&1_000_002), there, "{filter:?}");
    }
}

#[test]
fn what_is_written_after_the_beginning_is_not_in_the_file() {
    let all = all();
    let house = house(&all[..2_000]);
    let mut export = open(&house, &between(0, 20_000), 10_000).expect("few");
    let first = export.part().expect("readable").expect("rows");
    let mut batch = Batch::new();
    for invoice in &all[2_000..2_100] {
        batch.put(crate::tables::INVOICES, &(SELLER, invoice.id), invoice);
    }
    house.store().write_blocking(batch).expect("durable");
    assert_eq!(first.len() + exported(export).len(), 2_000);
}
