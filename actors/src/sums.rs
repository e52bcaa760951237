//! Sums of what an account's objects come to. An object says its contributions; whoever writes it
//! adds the difference to those that it had, in the same batch. An overview then reads the sums,
//! which are as many as there are months and days, and none of the objects.

use std::collections::HashMap;

use storage::{Batch, Key, ReadError, Scan, Store, Sum, Table, View};

use crate::backfill::{Rows, readable};
use crate::chunked;
use crate::domain::billing::overview::Month;
use crate::domain::billing::overview::contributions::{
    ACTIVE_CONTRACT, CUSTOMER, Contribution, Counted, Monthly, SumOf, of_invoice, of_subscription,
};
use crate::domain::ids::SellerId;
use crate::domain::time::Timestamp;
use crate::system::StartError;
use crate::tables::{
    ACTIVE_CONTRACTS, CUSTOMER_EMAILS, INVOICES, OVERVIEW_COUNTS, OVERVIEW_MONTHS,
    OVERVIEW_OUTSTANDING, OVERVIEW_RECURRING, SUBSCRIPTION_PARTS, SUBSCRIPTIONS,
};

/// The sums of an account that are not 0.
pub type Sums = HashMap<SumOf, i128>;

/// Makes the contributions of an object those that it has now.
pub fn resum(rows: &mut Batch, seller: SellerId, before: &[Contribution], after: &[Contribution]) {
    let mut changed: Vec<Contribution> = Vec::new();
    let taken = before.iter().map(|(of, minor)| (*of, -minor));
    for (of, minor) in taken.chain(after.iter().copied()) {
        match changed.iter_mut().find(|(known, _)| *known == of) {
            Some((_, sum)) => *sum += minor,
            None => changed.push((of, minor)),
        }
    }
    for (of, minor) in changed.into_iter().filter(|(_, minor)| *minor != 0) {
        change(rows, seller, of, Change::Add(minor));
    }
}

/// The sums that are kept of a seller.
pub fn kept(rows: &View, seller: SellerId) -> Result<Sums, ReadError> {
    let all = || Scan::prefix(&(seller,));
    let mut kept: Sums = HashMap::new();
    for row in rows.scan(OVERVIEW_COUNTS, all()) {
        let ((_, number), sum) = row?;
        let counted = Counted::ALL.into_iter().find(|one| *one as u8 == number);
        kept.extend(counted.map(|counted| (SumOf::Count(counted), sum.value())));
    }
    for row in rows.scan(OVERVIEW_RECURRING, all()) {
        let ((_, currency), sum) = row?;
        kept.insert(SumOf::Recurring(currency), sum.value());
    }
    for row in rows.scan(OVERVIEW_MONTHS, all()) {
        let ((_, currency, day, number), sum) = row?;
        let monthly = Monthly::ALL.into_iter().find(|one| *one as u8 == number);
        let of = |monthly| SumOf::Month(currency, Month::of(day), monthly);
        kept.extend(monthly.map(|monthly| (of(monthly), sum.value())));
    }
    for row in rows.scan(OVERVIEW_OUTSTANDING, all()) {
        let ((_, currency, is_due, day), sum) = row?;
        kept.insert(SumOf::Outstanding(currency, is_due.then_some(day)), sum.value());
    }
    kept.retain(|_, sum| *sum != 0);
    Ok(kept)
}

/// The sums of a seller, counted from all of its objects. `unread` says of a row that cannot be
/// read whether the others are counted without it.
pub fn count(
    rows: &View,
    seller: SellerId,
    unread: &dyn Fn(ReadError) -> Result<(), ReadError>,
) -> Result<Sums, ReadError> {
    let all = || Scan::prefix(&(seller,));
    let mut counted: Sums = HashMap::new();
    let mut take = |contributions: Result<Vec<Contribution>, ReadError>| match contributions {
        Ok(contributions) => {
            for (of, minor) in contributions {
                *counted.entry(of).or_default() += i128::from(minor);
            }
            Ok(())
        }
        Err(error) => unread(error),
    };
    for row in rows.scan(SUBSCRIPTIONS, all()) {
        take(row.and_then(|(key, row)| {
            let (row, parts) = ((&key, row), SUBSCRIPTION_PARTS);
            let subscription = chunked::join(rows, row, SUBSCRIPTIONS, parts, &key)?;
            Ok(of_subscription(&subscription))
        }))?;
    }
    for row in rows.scan(INVOICES, all()) {
        take(row.map(|(_, invoice)| of_invoice(&invoice, invoice.status)))?;
    }
    for key in rows.scan(ACTIVE_CONTRACTS, all()).keys() {
        take(key.map(|_| vec![ACTIVE_CONTRACT]))?;
    }
    for key in rows.scan(CUSTOMER_EMAILS, all()).keys() {
        take(key.map(|_| vec![CUSTOMER]))?;
    }
    counted.retain(|_, sum| *sum != 0);
    Ok(counted)
}

/// Writes the sums of an account from before they were kept.
pub(crate) fn count_all(
    store: &Store,
    seller: SellerId,
    rows: &mut Rows<'_>,
) -> Result<(), StartError> {
    // It keeps nobody from being served: a chart lacks it.
    let unread = |error| readable(Err::<(), _>(error)).map(|_| ());
    for (of, sum) in count(store, seller, &unread)? {
        change(rows.batch(), seller, of, Change::Put(sum));
    }
    Ok(())
}

/// What is done with the row of a sum.
#[derive(Clone, Copy)]
enum Change {
    Add(i64),
    Put(i128),
}

impl Change {
    fn apply<K: Key>(self, rows: &mut Batch, table: Table<K, Sum>, key: &K) {
        match self {
            Self::Add(minor) => rows.add(table, key, minor),
            Self::Put(sum) => rows.put(table, key, &Sum::new(sum)),
        }
    }
}

fn change(rows: &mut Batch, seller: SellerId, of: SumOf, by: Change) {
    match of {
        SumOf::Count(counted) => by.apply(rows, OVERVIEW_COUNTS, &(seller, counted as u8)),
        SumOf::Recurring(currency) => by.apply(rows, OVERVIEW_RECURRING, &(seller, currency)),
        SumOf::Month(currency, month, of) => {
            by.apply(rows, OVERVIEW_MONTHS, &(seller, currency, month.start(), of as u8));
        }
        SumOf::Outstanding(currency, due) => {
            let day = due.unwrap_or_else(|| Timestamp::from_micros(0).date());
            by.apply(rows, OVERVIEW_OUTSTANDING, &(seller, currency, due.is_some(), day));
        }
    }
}
