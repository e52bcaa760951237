//! Top-up invoices: their deposits add up to what was received, and reached the main wallet.

use std::collections::BTreeMap;

use storage::{ReadError, Scan};

use super::reading::Reading;
use super::run::{Found, Run};
use crate::domain::ids::{SellerId, TopupId};
use crate::domain::messages::{Addressee, Message, PayeeMessage};
use crate::domain::payments::ledger::{Account, Cause};
use crate::domain::payments::topup::TopupInvoice;
use crate::domain::payments::wallet::OWN;
use crate::tables::{MAIN_WALLETS, OUTBOX, POSTINGS, TOPUP_NUMBERS, TOPUPS};

pub(super) fn check(run: &mut Run<'_>, seller: SellerId) -> Result<(), ReadError> {
    run.each(TOPUPS, Scan::prefix(&(seller,)), topup)?;
    run.settle(&format!("{} {seller:?}", TOPUPS.name()), |reading, found, _| {
        deposits(reading, seller, found)
    })
}

fn topup(
    reading: &Reading,
    key: &(SellerId, TopupId),
    topup: &TopupInvoice,
    found: &mut Found<'_>,
) -> Result<(), ReadError> {
    found.same("top-up under its own key", *key, (topup.seller, topup.id));
    let series = topup.number.series;
    let number = (key.0, series.year, series.month, topup.number.order);
    let issued = (key.1, topup.digest());
    found.says(reading, TOPUP_NUMBERS, &number, &issued, |row| {
        (row.document, row.digest) == issued
    })?;
    let sum: i128 = topup.deposits.iter().map(|one| i128::from(one.amount_minor)).sum();
    found.same("deposits of a top-up", sum, i128::from(topup.received_minor));
    Ok(())
}

/// What was deposited to each top-up is in the ledgers of the main wallets, or on its way there.
fn deposits(reading: &Reading, seller: SellerId, found: &mut Found<'_>) -> Result<(), ReadError> {
    let mut came: BTreeMap<String, i128> = BTreeMap::new();
    for wallet in reading.scan(MAIN_WALLETS, Scan::prefix(&(seller,))).keys() {
        for row in reading.scan(POSTINGS, Scan::prefix(&wallet?)) {
            let entry = row?.1;
            if entry.cause == Cause::Deposited {
                let minor = i128::from(entry.amount_to(Account::Available));
                *came.entry(entry.reference.unwrap_or_default()).or_default() += minor;
            }
        }
    }
    let own = Addressee::Payee(seller, OWN).key();
    for row in reading.scan(OUTBOX, Scan::prefix(&own)) {
        if let Message::Payee(PayeeMessage::Deposited(notice)) = row?.1 {
            *came.entry(notice.reference).or_default() += i128::from(notice.amount.minor);
        }
    }
    for row in reading.scan(TOPUPS, Scan::prefix(&(seller,))) {
        let topup = row?.1;
        let number = topup.number.to_string();
        let there = came.remove(&number).unwrap_or(0);
        if i128::from(topup.received_minor) != there {
            let rule = "deposits that reached the main wallet";
            found.wrong_of(rule, &number, &topup.received_minor, &there);
        }
    }
    for (reference, minor) in came {
        found.wrong_of("deposit of a top-up", &reference, &0, &minor);
    }
    Ok(())
}
