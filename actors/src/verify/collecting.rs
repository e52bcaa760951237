//! The contracts of a customer whose invoices are collected: each of them is listed, and no others.

use storage::{ReadError, Scan};

use super::reading::Reading;
use super::run::{At, Run};
use crate::backfill::Backfill;
use crate::domain::ids::{ContractId, CustomerId, SellerId};
use crate::tables::{COLLECTING_CONTRACTS, COLLECTIONS, INVOICES};

pub(super) fn check(run: &mut Run<'_>, seller: SellerId) -> Result<(), ReadError> {
    let reading = run.reading;
    if !reading.is_complete(Backfill::CollectingContracts)? {
        return Ok(());
    }
    let mut scan = Scan::prefix(&(seller,));
    while let Some(key) = reading.scan(COLLECTIONS, scan.first()).keys().next() {
        // Where a key cannot be read it is told of where invoices are looked at.
        let Ok(key) = key else { break };
        let contract = (seller, key.1);
        run.settle(&At::new(COLLECTIONS, &key), |reading, found, _| {
            let Some(customer) = collected_from(reading, contract)? else { return Ok(()) };
            found.wants(reading, COLLECTING_CONTRACTS, &(seller, customer, contract.1), &())
        })?;
        scan = Scan::prefix(&(seller,)).after(&contract);
    }
    let all = Scan::prefix(&(seller,));
    run.no_others(COLLECTING_CONTRACTS, all, |reading, (seller, customer, contract), ()| {
        Ok(collected_from(reading, (*seller, *contract))? == Some(*customer))
    })
}

/// The customer whose invoices of a contract are collected, if some are.
fn collected_from(
    reading: &Reading,
    contract: (SellerId, ContractId),
) -> Result<Option<CustomerId>, ReadError> {
    let first = reading.scan(COLLECTIONS, Scan::prefix(&contract).first()).keys().next();
    let Some((seller, _, _, invoice)) = first.transpose()? else { return Ok(None) };
    Ok(reading.get(INVOICES, &(seller, invoice))?.map(|invoice| invoice.customer))
}
