//! Timeline entries: many in a row, each with an id of its own.

use storage::Batch;

use super::room::ContractKey;
use crate::domain::billing::timeline::{TimelineEntry, TimelineRow};
use crate::domain::ids::TimelineId;
use crate::tables::TIMELINE;

/// The most timeline entries that one row keeps.
const ENTRIES_A_ROW: usize = 100;

/// Puts entries in order; `ids` rise and are as many or more.
pub(super) fn put_timeline(
    rows: &mut Batch,
    (seller, contract): ContractKey,
    ids: Vec<u64>,
    entries: Vec<TimelineEntry>,
) {
    let entries: Vec<_> = ids.into_iter().map(TimelineId).zip(entries).collect();
    for row in entries.chunks(ENTRIES_A_ROW) {
        rows.put(TIMELINE, &(seller, contract, row[0].0), &TimelineRow(row.to_vec()));
    }
}
