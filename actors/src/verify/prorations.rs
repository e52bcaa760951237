//! Records of plan changes within a term: their sums, and what documents carry of them.

use std::collections::BTreeMap;

use storage::{ReadError, Scan, Table};

use super::documents::{Documents, part_number};
use super::reading::Reading;
use super::run::{Found, Run};
use crate::domain::billing::invoice::{InvoiceLine, ProrationBreakdown, RatingBreakdown};
use crate::domain::billing::subscription::{Proration, ProrationKind, ProrationPart};
use crate::domain::ids::{ContractId, ProrationId, SellerId};
use crate::tables::{CARRIED_PRORATIONS, PRORATIONS, SUBSCRIPTION_HOMES};

type Key = (SellerId, ContractId, ProrationId);

pub(super) fn check(run: &mut Run<'_>, seller: SellerId) -> Result<(), ReadError> {
    let documents = Documents::default();
    for (table, other) in [(PRORATIONS, CARRIED_PRORATIONS), (CARRIED_PRORATIONS, PRORATIONS)] {
        let is_open = table.tag() == PRORATIONS.tag();
        run.each(table, Scan::prefix(&(seller,)), |reading, key, row, found| {
            found.same("proration among its like", is_open, row.is_open());
            proration(reading, key, row, other, &documents, found)
        })?;
    }
    Ok(())
}

fn proration(
    reading: &Reading,
    key: &Key,
    record: &Proration,
    other: Table<Key, Proration>,
    documents: &Documents,
    found: &mut Found<'_>,
) -> Result<(), ReadError> {
    let (seller, contract, id) = *key;
    found.same("proration in one table", false, reading.contains(other, key)?);
    found.agrees(reading, SUBSCRIPTION_HOMES, &(seller, record.subscription), &contract)?;
    let net = i128::from(record.charge_minor) - i128::from(record.credit_minor);
    let kind = if net < 0 { ProrationKind::Credit } else { ProrationKind::Charge };
    found.same("kind of a proration", kind, record.kind);
    found.same("amount of a proration", net.abs(), i128::from(record.amount_minor));
    let mut carried: BTreeMap<_, i128> = BTreeMap::new();
    for claim in &record.claims {
        let part = part_number(claim.part);
        *carried.entry((claim.invoice, part)).or_default() += i128::from(claim.amount_minor);
    }
    for part in [ProrationPart::Net, ProrationPart::Charge, ProrationPart::Credit] {
        let whole = match part {
            ProrationPart::Net => record.amount_minor,
            ProrationPart::Charge => record.charge_minor,
            ProrationPart::Credit => record.credit_minor,
        };
        let of_part = record.claims.iter().filter(|claim| claim.part == part);
        let claimed: i128 = of_part.map(|claim| i128::from(claim.amount_minor)).sum::<i128>()
            + record.rests_of(part).map(i128::from).sum::<i128>();
        let within = claimed <= i128::from(whole);
        found.holds("claims within their proration", within, &(claimed, whole));
    }
    for ((invoice, part), minor) in carried {
        let document = documents.carried(reading, seller, invoice)?;
        let there = document.prorations.get(&(id, part)).copied().unwrap_or(0);
        found.same("proration on the document that claims it", minor, i128::from(there));
    }
    Ok(())
}

/// The record of a plan change, whether all of it is carried or not.
pub(super) fn proration_of(reading: &Reading, key: &Key) -> Result<Option<Proration>, ReadError> {
    match reading.get(PRORATIONS, key)? {
        Some(record) => Ok(Some(record)),
        None => reading.get(CARRIED_PRORATIONS, key),
    }
}

/// What lines carry of plan changes, as lines of their own and as discounts, is what the figures
/// beside it come to.
pub(super) fn amounts_carried(
    reading: &Reading,
    (seller, contract): (SellerId, ContractId),
    lines: &[InvoiceLine],
    found: &mut Found<'_>,
) -> Result<(), ReadError> {
    for line in lines {
        let own = match &line.breakdown {
            Some(RatingBreakdown::Proration(of)) => Some((of, line.amount_minor)),
            _ => None,
        };
        let discounts = line.credits.iter().map(|one| (&one.breakdown, -one.amount_minor));
        for (of, minor) in own.into_iter().chain(discounts) {
            if of.carried_minor() == minor {
                continue;
            }
            let record = proration_of(reading, &(seller, contract, of.proration))?;
            if !record.is_some_and(|record| leaves_out_rests(of, minor, &record)) {
                found.same("amount of a line of a plan change", of.carried_minor(), minor);
            }
        }
    }
    Ok(())
}

/// Whether what is missing in the figures is what had become stored credit by then: there was a
/// time when `earlier_minor` did not count that, and documents never change.
fn leaves_out_rests(of: &ProrationBreakdown, minor: i64, record: &Proration) -> bool {
    let missing = i128::from(minor) - i128::from(of.carried_minor());
    let mut rests = 0_i128;
    record.rests_of(of.part).any(|rest| {
        rests += i128::from(rest);
        rests == missing
    })
}
