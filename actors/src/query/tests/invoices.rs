use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use super::*;
use crate::domain::billing::invoice::{
    BillTo, ContractFacts, Invoice, InvoiceFilter, InvoiceHead, InvoiceStatus, InvoiceType,
    NewInvoice, NewLine, Origin, SellerFacts, StatedBillTo, compose_manual, issue,
};
use crate::domain::billing::tax::StatedTax;
use crate::domain::billing::test_clock::Moment;
use crate::domain::email::Email;
use crate::domain::ids::{ContractId, CustomerId, InvoiceId};
use crate::domain::money::Currency;
use crate::domain::platform::seller::NewSeller;
use crate::domain::quantity::Quantity;
use crate::domain::testing::day;
use crate::domain::time::Timestamp;
use crate::listing::relist;
use crate::query;
use crate::tables::{CONTRACT_INVOICES, INVOICES};

const COUNT: u64 = 10_000;

/// The first instant; an invoice a minute is issued from then on.
fn start() -> Timestamp {
    day("2027-01-01").start()
}

pub(super) fn minute(number: u64) -> Timestamp {
    start().plus_seconds(i64::try_from(number).expect("few") * 60)
}

fn plain() -> Invoice {
    let email = Email::parse("ada@example.com").expect("an address");
    let contract = ContractFacts {
        id: ContractId(1),
        number: None,
        customer: CustomerId(1),
        currency: Currency::EUR,
        bill_to: BillTo::from(email),
        customer_country: None,
    };
    let account = NewSeller::parse("Byron Ltd", "office@example.com", None, None);
    let account = account.expect("a seller").live(SellerId(1), uuid::Uuid::nil(), 1, start());
    let seller = SellerFacts::from(&account);
    let line = NewLine {
        description: "Work".to_owned(),
        quantity: Quantity::ONE,
        unit_price_minor: 100,
        discount_minor: None,
        tax: StatedTax::default(),
        period_start: None,
        period_end: None,
    };
    let request = NewInvoice {
        contract: Some(contract.id),
        origin: Origin::OneTime,
        invoice_type: None,
        corrects: None,
        currency: None,
        bill_to: StatedBillTo::default(),
        lines: Some(vec![line]),
        due_date: None,
        collection_method: None,
        send: Some(false),
        memo: None,
    };
    let moment = Moment::of(None, start());
    let composed = compose_manual(InvoiceId(1), &contract, &seller, &request, moment);
    issue(composed.expect("an invoice"), 1, None).invoice
}

/// Ten thousand invoices of one customer that are nearly all paid, each with the next odd id.
pub(super) fn all() -> Vec<Invoice> {
    let plain = plain();
    let corrected = plain.number;
    let one = |number: u64| {
        let rare = number % 997 == 3;
        let contract = ContractId(if number % 1_501 == 7 { 2 } else { 1 });
        Invoice {
            id: InvoiceId(2 * number + 1),
            contract,
            customer: CustomerId(contract.0 + 10),
            status: if rare { InvoiceStatus::Overdue } else { InvoiceStatus::Paid },
            origin: if number % 1_201 == 5 { Origin::Usage } else { Origin::Recurring },
            invoice_type: match number % 2_003 {
                9 => InvoiceType::CreditNote,
                _ => InvoiceType::Standard,
            },
            corrects: corrected.filter(|_| number % 2_003 == 9),
            // Drawn in this order, and issued a little out of it.
            issued_at: minute(number).plus_seconds(if number.is_multiple_of(2) { 90 } else { 0 }),
            ..plain.clone()
        }
    };
    (0..COUNT).map(one).collect()
}

pub(super) fn house(all: &[Invoice]) -> TempStore {
    stored(all, |batch, invoice| {
        let key = (SELLER, invoice.contract, invoice.id);
        batch.put(INVOICES, &(SELLER, invoice.id), invoice);
        batch.put(CONTRACT_INVOICES, &key, &InvoiceHead::of(invoice));
        relist(batch, SELLER, None, invoice);
    })
}

fn filters() -> Vec<(&'static str, InvoiceFilter)> {
    let any = InvoiceFilter::default;
    let corrects = plain().number.map(|number| number.to_string());
    let overdue = Some(InvoiceStatus::Overdue);
    vec![
        ("status", InvoiceFilter { status: overdue, ..any() }),
        ("a status of none", InvoiceFilter { status: Some(InvoiceStatus::Voided), ..any() }),
        ("origin", InvoiceFilter { origin: Some(Origin::Usage), ..any() }),
        ("type", InvoiceFilter { invoice_type: Some(InvoiceType::CreditNote), ..any() }),
        ("contract", InvoiceFilter { contract: Some(ContractId(2)), ..any() }),
        ("customer", InvoiceFilter { customer: Some(CustomerId(12)), ..any() }),
        ("an unknown customer", InvoiceFilter { customer: Some(CustomerId(99)), ..any() }),
        ("corrects", InvoiceFilter { corrects, ..any() }),
        ("from", InvoiceFilter { issued_from: Some(minute(COUNT - 30)), ..any() }),
        ("to", InvoiceFilter { issued_to: Some(minute(30)), ..any() }),
        (
            "between",
            InvoiceFilter {
                issued_from: Some(minute(5_000)),
                issued_to: Some(minute(5_025)),
                ..any()
            },
        ),
        (
            "all of the most",
            InvoiceFilter {
                status: Some(InvoiceStatus::Paid),
                customer: Some(CustomerId(11)),
                contract: Some(ContractId(1)),
                issued_from: Some(minute(4_000)),
                issued_to: Some(minute(4_100)),
                ..any()
            },
        ),
        (
            "a customer's overdue ones",
            InvoiceFilter { customer: Some(CustomerId(11)), status: overdue, ..any() },
        ),
        (
            "what never meets",
            InvoiceFilter { status: overdue, origin: Some(Origin::Usage), ..any() },
        ),
    ]
}

#[test]
fn no_filter_reads_what_it_leaves_out() {
    let all = all();
    let house = house(&all);
    for (name, filter) in filters() {
        let list = |paging| query::invoices(house.store(), SELLER, &filter, paging);
        let (found, short, most) = paged(&house, list);
        let wanted = all.iter().rev().filter(|invoice| filter.matches(invoice));
        assert!(found.iter().eq(wanted), "{name}: {} found", found.len());
        assert_eq!(short, 0, "{name}");
        assert!(most <= MOST_READ, "{name}: {most} rows read");
    }
}

#[test]
fn a_page_over_all_statuses_has_each_invoice_once_while_they_are_paid() {
    let open = all().into_iter().take(60);
    let open: Vec<_> = open
        .map(|one| Invoice { status: InvoiceStatus::Sent, origin: Origin::Usage, ..one })
        .collect();
    let house = house(&open);
    let newest: Vec<_> = open.iter().rev().map(|invoice| invoice.id).collect();
    let filter = InvoiceFilter { origin: Some(Origin::Usage), ..InvoiceFilter::default() };
    let read_all = AtomicBool::new(false);
    let pay = || {
        let turns = [InvoiceStatus::Sent, InvoiceStatus::Paid].into_iter().cycle();
        for (was, is) in turns.clone().zip(turns.skip(1)) {
            for invoice in open.iter().rev() {
                let [was, is] = [was, is].map(|status| Invoice { status, ..invoice.clone() });
                let mut batch = Batch::new();
                batch.put(INVOICES, &(SELLER, is.id), &is);
                relist(&mut batch, SELLER, Some(&was), &is);
                house.store().write_blocking(batch).expect("durable");
                if read_all.load(Ordering::Relaxed) {
                    return;
                }
            }
        }
    };
    thread::scope(|scope| {
        let paying = scope.spawn(pay);
        for _ in 0..500 {
            let paging = Paging { limit: 100, cursor: None };
            let page = query::invoices(house.store(), SELLER, &filter, paging).expect("read");
            let found: Vec<_> = page.items.iter().map(|invoice| invoice.id).collect();
            // The other thread is let go before anything fails.
            read_all.store(found != newest, Ordering::Relaxed);
            assert_eq!(found, newest);
        }
        read_all.store(true, Ordering::Relaxed);
        paying.join().expect("it paid");
    });
}

#[test]
fn a_deep_page_reads_as_much_as_the_first() {
    let all = all();
    let house = house(&all);
    for filter in [
        InvoiceFilter::default(),
        InvoiceFilter { status: Some(InvoiceStatus::Paid), ..InvoiceFilter::default() },
    ] {
        let reads = [None, Some(2 * COUNT / 2), Some(50)].map(|cursor| {
            let before = house.store().stats().rows_read;
            let paging = Paging { limit: LIMIT, cursor };
            let page = query::invoices(house.store(), SELLER, &filter, paging).expect("read");
            assert_eq!(page.items.len(), LIMIT);
            house.store().stats().rows_read - before
        });
        assert!(reads.iter().all(|read| *read <= MOST_READ), "{reads:?}");
    }
}
