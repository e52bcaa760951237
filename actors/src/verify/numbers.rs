//! Invoice numbers: each month's from 1 without a gap and in one chain, over invoices and top-ups
//! together.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use data_encoding::HEXLOWER;
use storage::{ReadError, Record, Scan, Table};

use super::reading::Reading;
use super::run::{At, Found, Run};
use crate::domain::billing::numbering::{NumberSequence, Numbered};
use crate::domain::chain::{self, Link};
use crate::domain::ids::{InvoiceId, SellerId, TopupId};
use crate::tables::{INVOICE_NUMBERS, INVOICES, TOPUP_NUMBERS, TOPUPS};

type Month = (SellerId, u16, u8);
type NumberKey = (SellerId, u16, u8, u64);

/// A number with what it was given to.
#[derive(Clone, Copy)]
enum Given {
    Invoice(Numbered<InvoiceId>),
    Topup(Numbered<TopupId>),
}

pub(super) fn check(run: &mut Run<'_>, seller: SellerId) -> Result<(), ReadError> {
    let mut months: BTreeMap<Month, u64> = BTreeMap::new();
    count(run, INVOICE_NUMBERS, seller, &mut months)?;
    count(run, TOPUP_NUMBERS, seller, &mut months)?;
    for month in months.into_keys() {
        let at = (month.0, month.1, month.2, 0);
        run.settle(&At::new(INVOICE_NUMBERS, &at), |reading, found, _| {
            one_month(reading, month, found)
        })?;
    }
    Ok(())
}

fn count<V: Record>(
    run: &mut Run<'_>,
    table: Table<NumberKey, V>,
    seller: SellerId,
    months: &mut BTreeMap<Month, u64>,
) -> Result<(), ReadError> {
    let mut rows = 0;
    for key in run.reading.scan(table, Scan::prefix(&(seller,))).keys() {
        match key {
            Ok((seller, year, month, _)) => *months.entry((seller, year, month)).or_default() += 1,
            Err(error) => run.unreadable(error)?,
        }
        rows += 1;
    }
    run.count(table.name(), rows);
    Ok(())
}

fn one_month(reading: &Reading, month: Month, found: &mut Found<'_>) -> Result<(), ReadError> {
    let (seller, year, of_year) = month;
    let sequence = NumberSequence { seller, year, month: of_year };
    let drawn = reading.drawn(&sequence)?;
    let mut invoices = reading.scan(INVOICE_NUMBERS, Scan::prefix(&month)).peekable();
    let mut topups = reading.scan(TOPUP_NUMBERS, Scan::prefix(&month)).peekable();
    let (mut last, mut last_link) = (0, None);
    loop {
        let next = match (order(invoices.peek()), order(topups.peek())) {
            (None, None) => break,
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some(invoice), Some(topup)) => invoice.cmp(&topup),
        };
        let number = match next {
            Ordering::Less | Ordering::Equal => {
                invoices.next().transpose()?.map(|((.., order), row)| (order, Given::Invoice(row)))
            }
            Ordering::Greater => {
                topups.next().transpose()?.map(|((.., order), row)| (order, Given::Topup(row)))
            }
        };
        let Some((order, given)) = number else { break };
        found.same("invoice numbers without a gap", last + 1, order);
        let (digest, link) = document(reading, month, order, given, found)?;
        let expected = chain::link(last_link.as_ref(), &digest);
        if link != expected {
            found.wrong_of("chain of invoice numbers", &order, &hex(expected), &hex(link));
        }
        (last, last_link) = (order, Some(link));
    }
    found.same("last invoice number", drawn, last);
    if drawn == last {
        let head = reading.last_link(&sequence)?;
        found.same("end of the chain of invoice numbers", head.map(hex), last_link.map(hex));
    }
    Ok(())
}

/// The order of a row that is next; one that cannot be read comes at once.
fn order<V>(row: Option<&Result<(NumberKey, V), ReadError>>) -> Option<u64> {
    row.map(|row| row.as_ref().map_or(0, |((.., order), _)| *order))
}

/// The document of a number has that number; its digest and its link in the chain.
fn document(
    reading: &Reading,
    (seller, year, month): Month,
    order: u64,
    given: Given,
    found: &mut Found<'_>,
) -> Result<(Link, Link), ReadError> {
    let (number, digest, link) = match given {
        Given::Invoice(Numbered { document, digest, link }) => {
            let invoice = reading.get(INVOICES, &(seller, document))?;
            (invoice.and_then(|one| one.number), digest, link)
        }
        Given::Topup(Numbered { document, digest, link }) => {
            let topup = reading.get(TOPUPS, &(seller, document))?;
            (topup.map(|one| one.number), digest, link)
        }
    };
    let places = number.map(|number| (number.series.year, number.series.month, number.order));
    found.same("document of an invoice number", Some((year, month, order)), places);
    Ok((digest, link))
}

pub(super) fn hex(link: Link) -> String {
    HEXLOWER.encode(&link)
}
