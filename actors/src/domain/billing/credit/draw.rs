//! Invoices draw on lots.

use super::{CreditBalances, CreditKind, CreditMoment, CreditType, Lot};
use crate::domain::billing::credit::{CreditEntry, DrawnCredit};
use crate::domain::ids::{CreditEntryId, InvoiceId};
use crate::domain::time::Timestamp;

/// The most lots that one document draws on, so that it is one batch of bounded size.
pub const MAX_LOTS_DRAWN: usize = 1_000;

/// How much a document takes from a lot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DrawnLot {
    /// As it was before.
    pub lot: Lot,
    /// Minor units, above 0.
    pub amount_minor: i64,
}

/// What a document has drawn, and what is left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CreditDrawn {
    pub lots: Vec<DrawnLot>,
    /// What all types have left, minor units.
    pub balance_minor: i64,
    /// The types that had something and have nothing left.
    pub depleted: Vec<CreditType>,
}

/// Pays up to `amount_minor` from `lots`, which come in the order in which they are drawn.
/// An expired one is passed over.
pub fn draw<'a>(
    lots: impl Iterator<Item = &'a Lot>,
    amount_minor: i64,
    now: Timestamp,
) -> Vec<DrawnLot> {
    let mut open_minor = amount_minor;
    let mut drawn = Vec::new();
    for lot in lots.filter(|lot| !lot.is_expired(now)).take(MAX_LOTS_DRAWN) {
        if open_minor <= 0 {
            break;
        }
        let amount_minor = lot.left_minor.min(open_minor);
        open_minor -= amount_minor;
        drawn.push(DrawnLot { lot: *lot, amount_minor });
    }
    drawn
}

impl CreditDrawn {
    /// `before`: what there was, without what has expired. Nothing where nothing is drawn.
    pub fn of(lots: Vec<DrawnLot>, before: &CreditBalances) -> Option<Self> {
        if lots.is_empty() {
            return None;
        }
        let mut after = before.clone();
        for one in &lots {
            after.add(one.lot.credit_type, -one.amount_minor);
        }
        let had = before.by_type.iter().filter(|(_, minor)| **minor > 0).map(|(kind, _)| *kind);
        let depleted = had.filter(|kind| after.of(*kind) == 0).collect();
        Some(Self { lots, balance_minor: after.total(), depleted })
    }

    pub fn amount_minor(&self) -> i64 {
        self.lots.iter().map(|one| one.amount_minor).sum()
    }
}

impl DrawnLot {
    /// The entry for the ledger; its reason names the invoice once that has its number.
    pub fn entry(
        &self,
        id: CreditEntryId,
        invoice: InvoiceId,
        moment: CreditMoment,
    ) -> CreditEntry {
        CreditEntry {
            id,
            customer: self.lot.customer,
            kind: CreditKind::Deduction,
            credit_type: self.lot.credit_type,
            signed_delta_minor: -self.amount_minor,
            currency: moment.currency,
            lot: Some(self.lot.id),
            invoice: Some(invoice),
            expires_at: self.lot.expires_at,
            reason: String::new(),
            occurred_at: moment.now,
            link: None,
        }
    }
}

impl From<&DrawnLot> for DrawnCredit {
    fn from(drawn: &DrawnLot) -> Self {
        Self {
            customer: drawn.lot.customer,
            credit_type: drawn.lot.credit_type,
            expires_at: drawn.lot.expires_at,
            amount_minor: drawn.amount_minor,
            returned_minor: 0,
        }
    }
}
