//! Granting credit by hand.

use super::{CreditEntry, CreditKind, CreditRefusal, CreditType};
use crate::domain::billing::contract::{Contract, ContractStatus};
use crate::domain::ids::{ContractId, CreditEntryId, CustomerId};
use crate::domain::money::{AMOUNT_LIMIT, Currency, PRICE_LIMIT};
use crate::domain::time::Timestamp;

/// The most lots of a contract that are not used up; what the engine makes may go beyond it.
pub const MAX_OPEN_LOTS: usize = 10_000;
const LONGEST_REASON: usize = 512;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewTopup {
    pub credit_type: CreditType,
    pub amount_minor: i64,
    pub currency: Currency,
    pub expires_at: Option<Timestamp>,
    /// Without blanks around it.
    pub reason: String,
    /// The contract's where none was stated.
    pub customer: CustomerId,
}

impl NewTopup {
    /// Checks what needs no look at contract or time.
    pub fn check(&self) -> Result<(), CreditRefusal> {
        if self.credit_type == CreditType::Proration {
            return Err(CreditRefusal::TypeNotGranted);
        }
        if !(1..=PRICE_LIMIT).contains(&self.amount_minor) {
            return Err(CreditRefusal::AmountRange);
        }
        if self.expires_at.is_some() && self.credit_type.is_liability() {
            return Err(CreditRefusal::ExpiryNotAccepted(self.credit_type));
        }
        if self.reason.is_empty() {
            return Err(CreditRefusal::Required("reason"));
        }
        if self.reason.chars().count() > LONGEST_REASON {
            return Err(CreditRefusal::ReasonTooLong(LONGEST_REASON));
        }
        Ok(())
    }
}

/// The entry of a grant, which is the lot. `open`: the lots of the contract that are not used up,
/// and what they add up to.
pub fn top_up(
    id: CreditEntryId,
    contract: &Contract,
    new: &NewTopup,
    (open, balance_minor): (usize, i64),
    now: Timestamp,
) -> Result<CreditEntry, CreditRefusal> {
    new.check()?;
    if new.currency != contract.currency {
        return Err(CreditRefusal::CurrencyMismatch(contract.currency));
    }
    if new.expires_at.is_some_and(|at| at <= now) {
        return Err(CreditRefusal::ExpiryPast);
    }
    if contract.current.status == ContractStatus::Closed {
        return Err(CreditRefusal::ContractClosed);
    }
    if open >= MAX_OPEN_LOTS {
        return Err(CreditRefusal::TooManyLots(MAX_OPEN_LOTS));
    }
    if balance_minor > AMOUNT_LIMIT - new.amount_minor {
        return Err(CreditRefusal::TooLarge);
    }
    Ok(CreditEntry {
        id,
        customer: new.customer,
        kind: CreditKind::Topup,
        credit_type: new.credit_type,
        signed_delta_minor: new.amount_minor,
        currency: new.currency,
        lot: None,
        invoice: None,
        expires_at: new.expires_at,
        reason: new.reason.clone(),
        occurred_at: now,
        link: None,
    })
}

/// The first field, by its name on the wire, in which a repeated request differs from the grant
/// that its key made.
pub fn first_difference(
    (contract, first): (ContractId, &CreditEntry),
    (again_of, again): (ContractId, &NewTopup),
) -> Option<&'static str> {
    [
        (contract != again_of, "contractId"),
        (first.signed_delta_minor != again.amount_minor, "amountMinor"),
        (first.currency != again.currency, "currency"),
        (first.credit_type != again.credit_type, "creditType"),
        (first.expires_at != again.expires_at, "expiresAt"),
        (first.customer != again.customer, "sellerCustomerId"),
        (first.reason != again.reason, "reason"),
    ]
    .into_iter()
    .find_map(|(differs, name)| differs.then_some(name))
}
