//! Timelines: entries in the order of their ids, each of a contract that is there.

use std::cell::Cell;

use storage::{ReadError, Scan};

use super::run::Run;
use crate::domain::ids::{ContractId, SellerId};
use crate::tables::{CONTRACTS, TIMELINE};

pub(super) fn check(run: &mut Run<'_>, seller: SellerId) -> Result<(), ReadError> {
    // The rows of a contract lie together.
    let there: Cell<Option<ContractId>> = Cell::new(None);
    run.each(TIMELINE, Scan::prefix(&(seller,)), |reading, (seller, contract, id), row, found| {
        if there.get() != Some(*contract)
            && found.names(reading, CONTRACTS, &(*seller, *contract))?
        {
            there.set(Some(*contract));
        }
        let ids: Vec<_> = row.0.iter().map(|(id, _)| *id).collect();
        found.same("timeline row under its first entry", Some(id), ids.first());
        let rise = ids.windows(2).all(|pair| pair[0] < pair[1]);
        found.holds("timeline entries in order", rise, &ids);
        Ok(())
    })
}
