//! What a contract room remembers of closed usage: lines and corrections that no document
//! carries, and the seats of all time.

use std::collections::BTreeMap;

use storage::Batch;

use crate::contract::room::ContractKey;
use crate::domain::billing::invoice::ConsumedUsage;
use crate::domain::billing::usage::{Adjustment, SeatChange, Seats, UsageLine};
use crate::domain::ids::{AdjustmentId, InvoiceId, UsageLineId};
use crate::domain::time::Timestamp;
use crate::tables::{
    OPEN_ADJUSTMENTS, SEAT_CHANGES, UNBILLED_LINES, USAGE_ADJUSTMENTS, USAGE_CLAIMS, USAGE_LINES,
};

#[derive(Clone, Debug, Default)]
pub(in crate::contract) struct Ledger {
    pub(in crate::contract) unbilled: BTreeMap<UsageLineId, UsageLine>,
    /// Corrections that no document carries in full.
    pub(in crate::contract) adjustments: BTreeMap<AdjustmentId, Adjustment>,
    pub(super) seats: Seats,
}

impl Ledger {
    /// Since when something asks for a document. What only lowers one waits for it.
    pub(in crate::contract) fn asks_since(&self) -> Option<Timestamp> {
        let lines = self.unbilled.values().map(|line| line.closed_at);
        let charges = self.adjustments.values().filter(|charge| charge.open_minor() > 0);
        lines.chain(charges.map(|charge| charge.created_at)).min()
    }

    pub(super) fn close(
        &mut self,
        (seller, contract): ContractKey,
        line: UsageLine,
        rows: &mut Batch,
    ) {
        let key = (seller, contract, line.id);
        let claim = (seller, contract, line.metric.clone(), line.span.start);
        rows.claim(USAGE_CLAIMS, &claim, &line.id);
        rows.put(USAGE_LINES, &key, &line);
        rows.put_new(UNBILLED_LINES, &key, &());
        self.unbilled.insert(line.id, line);
    }

    pub(super) fn bill(
        &mut self,
        (seller, contract): ContractKey,
        invoice: InvoiceId,
        usage: &ConsumedUsage,
        rows: &mut Batch,
    ) {
        for id in &usage.lines {
            let Some(line) = self.unbilled.remove(id) else { continue };
            let line = UsageLine { billed_by: Some(invoice), ..line };
            rows.put(USAGE_LINES, &(seller, contract, *id), &line);
            rows.delete(UNBILLED_LINES, &(seller, contract, *id));
        }
        for (id, minor) in &usage.adjustments {
            let Some(adjustment) = self.adjustments.get_mut(id) else { continue };
            adjustment.carry(invoice, *minor);
            rows.put(USAGE_ADJUSTMENTS, &(seller, contract, *id), adjustment);
            if adjustment.open_minor() == 0 {
                rows.delete(OPEN_ADJUSTMENTS, &(seller, contract, *id));
                self.adjustments.remove(id);
            }
        }
    }

    pub(super) fn release(
        &mut self,
        (seller, contract): ContractKey,
        invoice: InvoiceId,
        (lines, adjustments): (Vec<UsageLine>, Vec<Adjustment>),
        rows: &mut Batch,
    ) {
        for line in lines.into_iter().filter(|line| line.billed_by == Some(invoice)) {
            let key = (seller, contract, line.id);
            let line = UsageLine { billed_by: None, ..line };
            rows.put(USAGE_LINES, &key, &line);
            rows.put(UNBILLED_LINES, &key, &());
            self.unbilled.insert(line.id, line);
        }
        for mut adjustment in adjustments {
            adjustment.let_go(invoice);
            self.correct((seller, contract), adjustment, rows);
        }
    }

    pub(super) fn correct(
        &mut self,
        (seller, contract): ContractKey,
        adjustment: Adjustment,
        rows: &mut Batch,
    ) {
        let key = (seller, contract, adjustment.id);
        rows.put(USAGE_ADJUSTMENTS, &key, &adjustment);
        if adjustment.open_minor() != 0 {
            rows.put(OPEN_ADJUSTMENTS, &key, &());
            self.adjustments.insert(adjustment.id, adjustment);
        }
    }

    pub(super) fn credit(
        &mut self,
        (seller, contract): ContractKey,
        ids: &[AdjustmentId],
        rows: &mut Batch,
    ) {
        for id in ids {
            let Some(mut adjustment) = self.adjustments.remove(id) else { continue };
            adjustment.credit();
            rows.put(USAGE_ADJUSTMENTS, &(seller, contract, *id), &adjustment);
            rows.delete(OPEN_ADJUSTMENTS, &(seller, contract, *id));
        }
    }

    pub(super) fn seats(
        &mut self,
        (seller, contract): ContractKey,
        change: &SeatChange,
        rows: &mut Batch,
    ) {
        rows.put(SEAT_CHANGES, &(seller, contract, change.id), change);
        self.seats.take(change);
    }
}
