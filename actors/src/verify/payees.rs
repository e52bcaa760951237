//! Payees: where they are found, their wallets and methods.

use storage::{ReadError, Scan};

use super::reading::Reading;
use super::run::{Found, Run};
use crate::domain::ids::{PayeeId, SellerId};
use crate::domain::payments::payee::Payee;
use crate::domain::payments::wallet::OWN;
use crate::tables::{
    CLOSED_PAYEES, PAYEE_CONTRACTS, PAYEE_HOMES, PAYEES, PAYOUT_METHODS, VENDOR_HOMES, VENDORS,
    WALLETS,
};

pub(super) fn check(run: &mut Run<'_>, seller: SellerId) -> Result<(), ReadError> {
    let all = || Scan::prefix(&(seller,));
    run.each(PAYEES, all(), payee)?;
    run.no_others(PAYEE_CONTRACTS, all(), |reading, (seller, name), id| {
        let known = reading.get(PAYEES, &(*seller, *id))?;
        Ok(known.is_some_and(|known| known.payee_contract_id.as_ref() == Some(name)))
    })?;
    run.no_others(CLOSED_PAYEES, all(), |reading, key, ()| {
        Ok(reading.get(PAYEES, key)?.is_some_and(|known| is_closed(&known)))
    })?;
    run.no_others(VENDORS, all(), |reading, (seller, vendor), id| {
        let known = reading.get(PAYEES, &(*seller, *id))?;
        let of = known.and_then(|known| known.vendor).map(|of| of.id);
        Ok(of == Some(*vendor))
    })?;
    run.each(PAYOUT_METHODS, all(), |reading, (seller, payee, id), method, found| {
        let stated = (method.seller, method.payee, method.id);
        found.same("payout method under its own key", (*seller, *payee, *id), stated);
        if *payee != OWN {
            found.names(reading, PAYEES, &(*seller, *payee))?;
        }
        Ok(())
    })
}

fn payee(
    reading: &Reading,
    key: &(SellerId, PayeeId),
    payee: &Payee,
    found: &mut Found<'_>,
) -> Result<(), ReadError> {
    let (seller, id) = *key;
    found.same("payee under its own key", *key, (payee.seller, payee.id));
    found.agrees(reading, PAYEE_HOMES, &id, &seller)?;
    if let Some(name) = &payee.payee_contract_id {
        found.wants(reading, PAYEE_CONTRACTS, &(seller, name.clone()), &id)?;
    }
    if is_closed(payee) {
        found.wants(reading, CLOSED_PAYEES, key, &())?;
    }
    if let Some(vendor) = &payee.vendor {
        found.wants(reading, VENDORS, &(seller, vendor.id), &id)?;
        found.agrees(reading, VENDOR_HOMES, &vendor.id, &seller)?;
    }
    for wallet in payee.wallets.iter().flatten() {
        let known = reading.get(WALLETS, &(seller, *wallet))?;
        found.same("wallet of a payee", Some(Some(id)), known.map(|known| known.payee));
    }
    Ok(())
}

fn is_closed(payee: &Payee) -> bool {
    payee.is_archived() || payee.closed_at.is_some()
}
