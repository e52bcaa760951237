//! Which split applies to a payment, and what it may state as its own distribution.

use super::{Inputs, MAX_LINES, Plan, PlanShare, SplitRule};
use crate::domain::ids::PayeeId;
use crate::domain::money::{Currency, Money};
use crate::domain::payments::payee::Payee;
use crate::domain::payments::wallet::wallet_currency;
use crate::domain::refusal::{RefusalKind, Refuse};

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DistributionRefusal {
    #[error("currency {0} cannot be split")]
    Currency(Currency),
    #[error("orderData.totalAmount must be equal to amount")]
    Total,
    #[error("orderData.payeeDistribution must have at most {MAX_LINES} entries")]
    Lines,
    #[error("orderData.payeeDistribution[{0}].amount must be greater than 0")]
    NotPositive(usize),
    #[error("orderData.payeeDistribution[{at}].payeeId {payee} is named twice")]
    Twice { at: usize, payee: PayeeId },
    #[error("the amounts of orderData.payeeDistribution must not exceed amount")]
    TooMuch,
    #[error("payeeId not found")]
    PayeeMissing,
    #[error("payee is archived")]
    PayeeArchived,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AppliedSplit {
    /// What the evaluation goes by; absent when all of it stays with the seller.
    pub inputs: Option<Inputs>,
    pub stated: Vec<PlanShare>,
}

impl AppliedSplit {
    /// The split of a payment of `amount`: the distribution that it states, of which an empty one
    /// leaves all with the seller; else the active `rule`, where the currency can be split.
    pub fn of(amount: Money, stated: Option<Vec<PlanShare>>, rule: Option<&SplitRule>) -> Self {
        let Some(stated) = stated else {
            let rule = rule.filter(|_| is_splittable(amount.currency));
            let inputs = rule.map(|rule| Inputs::of_rule(rule, amount.minor));
            return Self { inputs, stated: Vec::new() };
        };
        let shared = !stated.is_empty();
        let inputs = shared.then(|| Inputs::of_distribution(&stated, amount.minor));
        Self { inputs, stated }
    }
}

pub fn check_payee(payee: Option<&Payee>) -> Result<(), DistributionRefusal> {
    match payee {
        None => Err(DistributionRefusal::PayeeMissing),
        Some(payee) if payee.is_archived() => Err(DistributionRefusal::PayeeArchived),
        Some(_) => Ok(()),
    }
}

/// Whether payments of this currency can be split: those that payees have wallets of.
pub fn is_splittable(currency: Currency) -> bool {
    wallet_currency(currency.code()).is_some()
}

/// The plan of a payment of `amount` that states its own distribution, and perhaps what it takes
/// the whole to be (`totalAmount`, minor units). Whether the payees are there is asked elsewhere.
pub fn check_distribution(
    amount: Money,
    total_minor: Option<i64>,
    lines: &[PlanShare],
) -> Result<Plan, DistributionRefusal> {
    if total_minor.is_some_and(|total| total != amount.minor) {
        return Err(DistributionRefusal::Total);
    }
    if lines.is_empty() {
        return Ok(Plan::default());
    }
    if !is_splittable(amount.currency) {
        return Err(DistributionRefusal::Currency(amount.currency));
    }
    if lines.len() > MAX_LINES {
        return Err(DistributionRefusal::Lines);
    }
    let mut sum = 0_i64;
    for (at, line) in lines.iter().enumerate() {
        if line.minor <= 0 {
            return Err(DistributionRefusal::NotPositive(at));
        }
        if lines[..at].iter().any(|earlier| earlier.payee == line.payee) {
            return Err(DistributionRefusal::Twice { at, payee: line.payee });
        }
        sum = sum.saturating_add(line.minor);
    }
    if sum > amount.minor {
        return Err(DistributionRefusal::TooMuch);
    }
    Ok(Plan::of(lines.iter().copied()))
}

impl Refuse for DistributionRefusal {
    fn kind(&self) -> RefusalKind {
        match self {
            Self::PayeeMissing => RefusalKind::Missing,
            Self::PayeeArchived => RefusalKind::Conflict,
            _ => RefusalKind::Invalid,
        }
    }
}
