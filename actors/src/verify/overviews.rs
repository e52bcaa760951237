//! The sums of overviews: what the objects of an account come to. No money follows from them.

use storage::ReadError;

use super::run::Run;
use crate::backfill::Backfill;
use crate::domain::ids::SellerId;
use crate::sums;
use crate::tables::OVERVIEW_COUNTS;

/// While rows move they are left alone: to count all documents of an account takes longer than a
/// moment of it lasts.
pub(super) fn check(run: &mut Run<'_>, seller: SellerId) -> Result<(), ReadError> {
    let counted = run.reading.is_complete(Backfill::OverviewSums)?;
    if !counted || run.reading.moves() {
        return Ok(());
    }
    let place = format!("{} {seller:?}", OVERVIEW_COUNTS.name());
    run.settle(&place, |reading, found, _| {
        let expected = sums::count(reading.rows(), seller, &Err::<(), ReadError>)?;
        let kept = sums::kept(reading.rows(), seller)?;
        let others = kept.keys().filter(|of| !expected.contains_key(*of));
        for of in expected.keys().chain(others) {
            let [expected, kept] = [&expected, &kept].map(|sums| sums.get(of).copied());
            if expected != kept {
                let rule = "sums of the objects of an account";
                found.wrong_of(rule, of, &expected.unwrap_or(0), &kept.unwrap_or(0));
            }
        }
        Ok(())
    })
}
