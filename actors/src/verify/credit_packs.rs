//! Credit that tops itself up: what is being bought has an invoice that waits for its money, and
//! what was bought is a lot.

use storage::{ReadError, Scan};

use super::run::Run;
use crate::domain::billing::credit::{CreditKind, CreditType, pack_end};
use crate::domain::ids::SellerId;
use crate::tables::{AUTO_TOPUPS, CONTRACTS, CREDIT_ENTRIES, CREDIT_PACKS, INVOICES};

pub(super) fn check(run: &mut Run<'_>, seller: SellerId) -> Result<(), ReadError> {
    let all = || Scan::prefix(&(seller,));
    run.each(AUTO_TOPUPS, all(), |reading, key, auto, found| {
        found.names(reading, CONTRACTS, key)?;
        found.holds("terms of an auto top-up", auto.terms.check().is_ok(), &auto.terms);
        let Some(buying) = auto.buying else { return Ok(()) };
        let known = reading.get(INVOICES, &(key.0, buying.invoice))?;
        let waits =
            known.is_some_and(|known| known.contract == key.1 && pack_end(&known).is_none());
        found.holds("invoice of the pack that is being bought", waits, &buying);
        Ok(())
    })?;
    run.each(CREDIT_PACKS, all(), |reading, (seller, contract, invoice), lot, found| {
        found.names(reading, INVOICES, &(*seller, *invoice))?;
        found.says(reading, CREDIT_ENTRIES, &(*seller, *contract, *lot), &"a lot", |entry| {
            entry.kind == CreditKind::Topup && entry.credit_type == CreditType::Purchased
        })?;
        Ok(())
    })
}
