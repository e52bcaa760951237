//! Credit that the engine makes: what an invoice had drawn, money that was paid, what is left of a
//! plan change. And what it takes: lots that have expired.

use super::{CreditEntry, CreditKind, CreditType, DrawnCredit, Lot};
use crate::domain::ids::{CreditEntryId, CustomerId};
use crate::domain::money::Currency;
use crate::domain::time::Timestamp;

/// When credit moves, by the wall clock, and in which currency.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CreditMoment {
    pub now: Timestamp,
    pub currency: Currency,
}

/// A lot that the engine makes of `amount_minor`, above 0. It never expires.
pub fn mint(
    id: CreditEntryId,
    customer: CustomerId,
    credit_type: CreditType,
    amount_minor: i64,
    reason: String,
    moment: CreditMoment,
) -> CreditEntry {
    CreditEntry {
        id,
        customer,
        kind: CreditKind::Topup,
        credit_type,
        signed_delta_minor: amount_minor,
        currency: moment.currency,
        lot: None,
        invoice: None,
        expires_at: None,
        reason,
        occurred_at: moment.now,
        link: None,
    }
}

/// Gives up to `amount_minor` of what an invoice has drawn back, what was drawn last first: each
/// part as a new lot of the type and the expiry that it had. `drawn` comes in the order in which
/// it was drawn, and takes note of what comes back.
pub fn give_back(
    drawn: &mut [(CreditEntryId, DrawnCredit)],
    amount_minor: i64,
    number: &str,
    moment: CreditMoment,
    mut id: impl FnMut() -> CreditEntryId,
) -> Vec<CreditEntry> {
    let mut open_minor = amount_minor;
    let mut entries = Vec::new();
    for (_, part) in drawn.iter_mut().rev() {
        let minor = (part.amount_minor - part.returned_minor).min(open_minor);
        if minor <= 0 {
            continue;
        }
        open_minor -= minor;
        part.returned_minor += minor;
        let reason = format!("returned from {number}");
        let lot = mint(id(), part.customer, part.credit_type, minor, reason, moment);
        entries.push(CreditEntry { expires_at: part.expires_at, ..lot });
    }
    entries
}

/// Why credit goes that was made of a payment.
pub fn failed_at_settlement(reference: &str) -> String {
    format!("payment {reference} failed at settlement")
}

/// Takes `amount_minor` of a lot back, above 0 and at most what is left of it.
pub fn reverse(
    lot: &Lot,
    id: CreditEntryId,
    amount_minor: i64,
    reason: String,
    moment: CreditMoment,
) -> CreditEntry {
    CreditEntry {
        kind: CreditKind::Reversal,
        signed_delta_minor: -amount_minor,
        reason,
        ..expired(lot, id, moment)
    }
}

/// Forfeits what is left of a lot that has expired.
pub fn expired(lot: &Lot, id: CreditEntryId, moment: CreditMoment) -> CreditEntry {
    CreditEntry {
        id,
        customer: lot.customer,
        kind: CreditKind::Expiry,
        credit_type: lot.credit_type,
        signed_delta_minor: -lot.left_minor,
        currency: moment.currency,
        lot: Some(lot.id),
        invoice: None,
        expires_at: lot.expires_at,
        reason: "expired".to_owned(),
        occurred_at: moment.now,
        link: None,
    }
}
