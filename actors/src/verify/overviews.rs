//! The sums of overviews: what the objects of an account come to. No money follows from them.

use std::collections::BTreeMap;

use storage::ReadError;

use super::run::Run;
use crate::domain::ids::SellerId;
use crate::sums::{self, Sums};
use crate::tables::{CAUGHT_UP, OVERVIEW_COUNTS, caught_up};

/// A store from before they were kept has them once it is started. While rows move they are left
/// alone: to count all documents of an account takes longer than a moment of it lasts.
pub(super) fn check(run: &mut Run<'_>, seller: SellerId) -> Result<(), ReadError> {
    let counted = run.reading.get(CAUGHT_UP, &caught_up::SUMS)?;
    if counted != Some(u64::MAX) || run.reading.moves() {
        return Ok(());
    }
    let place = format!("{} {seller:?}", OVERVIEW_COUNTS.name());
    run.settle(&place, |reading, found, _| {
        let expected = sums::count(reading.rows(), seller, &Err::<(), ReadError>)?;
        let kept = sums::kept(reading.rows(), seller)?;
        found.same("sums of the objects of an account", by_name(&expected), by_name(&kept));
        Ok(())
    })
}

/// In an order in which they can be told.
fn by_name(sums: &Sums) -> BTreeMap<String, i128> {
    sums.iter().map(|(of, sum)| (format!("{of:?}"), *sum)).collect()
}
