//! What a contract room remembers of closed usage: lines and corrections that no document
//! carries, and the seats of all time.

use std::collections::BTreeMap;

use storage::{ReadError, Scan, Store};

use crate::domain::billing::usage::{Adjustment, LateEvent, Seats, UsageLine};
use crate::domain::ids::{AdjustmentId, ContractId, SellerId, UsageEventId, UsageLineId};
use crate::domain::time::Timestamp;
use crate::room::Recent;
use crate::tables::{SEAT_CHANGES, UNBILLED_LINES, USAGE_ADJUSTMENTS, USAGE_LINES};

/// Closed usage on its way to a document.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    /// Closed lines that no document carries.
    pub(super) unbilled: BTreeMap<UsageLineId, UsageLine>,
    /// Corrections that no document carries in full.
    pub(super) adjustments: BTreeMap<AdjustmentId, Adjustment>,
    pub(super) seats: Seats,
    /// Keys of corrections that this room is just writing.
    pub(super) keys: Recent<String, ()>,
    /// Late events that this room has just corrected.
    pub(super) corrected: Recent<UsageEventId, LateEvent>,
}

impl Ledger {
    pub(super) fn load(
        store: &Store,
        seller: SellerId,
        contract: ContractId,
    ) -> Result<Self, ReadError> {
        let mut ledger = Self::default();
        for row in store.scan(UNBILLED_LINES, Scan::prefix(&(seller, contract))) {
            let (key, ()) = row?;
            if let Some(line) = store.get(USAGE_LINES, &key)? {
                ledger.unbilled.insert(line.id, line);
            }
        }
        for row in store.scan(USAGE_ADJUSTMENTS, Scan::prefix(&(seller, contract))) {
            let (_, adjustment) = row?;
            if adjustment.open_minor() != 0 {
                ledger.adjustments.insert(adjustment.id, adjustment);
            }
        }
        for row in store.scan(SEAT_CHANGES, Scan::prefix(&(seller, contract))) {
            let (_, change) = row?;
            ledger.seats.take(&change);
        }
        Ok(ledger)
    }

    /// Since when something asks for a document. What only lowers one waits for it.
    pub(super) fn asks_since(&self) -> Option<Timestamp> {
        let lines = self.unbilled.values().map(|line| line.closed_at);
        let charges = self.adjustments.values().filter(|charge| charge.open_minor() > 0);
        lines.chain(charges.map(|charge| charge.created_at)).min()
    }
}
