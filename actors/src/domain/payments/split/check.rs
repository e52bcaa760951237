//! What a payment may state as its own distribution (payments 2.3, decisions 13).

use super::{MAX_LINES, Plan, PlanShare};
use crate::domain::ids::PayeeId;
use crate::domain::money::{Currency, Money};
use crate::domain::payments::wallet::wallet_currency;
use crate::domain::refusal::{RefusalKind, Refuse};

/// Why a distribution is refused; each text names the field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DistributionRefusal {
    /// Nobody has a wallet of the currency.
    #[error("currency {0} cannot be split")]
    Currency(Currency),
    /// Something else than the payment is shared.
    #[error("orderData.totalAmount must be equal to amount")]
    Total,
    /// Too many lines.
    #[error("orderData.payeeDistribution must have at most {MAX_LINES} entries")]
    Lines,
    /// A line of nothing.
    #[error("orderData.payeeDistribution[{0}].amount must be greater than 0")]
    NotPositive(usize),
    /// Two lines for one payee.
    #[error("orderData.payeeDistribution[{at}].payeeId {payee} is named twice")]
    Twice {
        /// The later of the two.
        at: usize,
        /// Who.
        payee: PayeeId,
    },
    /// More is given away than there is.
    #[error("the amounts of orderData.payeeDistribution must not exceed amount")]
    TooMuch,
}

/// Whether payments of this currency can be split: those that payees have wallets of.
pub fn is_splittable(currency: Currency) -> bool {
    wallet_currency(currency.code()).is_some()
}

/// The plan of a payment of `amount` that states its own distribution, and perhaps what it takes
/// the whole to be (`totalAmount`, minor units). Whether the payees are there is asked elsewhere.
///
/// # Errors
/// [`DistributionRefusal`].
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
        RefusalKind::Invalid
    }
}
