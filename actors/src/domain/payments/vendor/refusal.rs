//! What the rules of vendors refuse.

use super::VendorStatus;
use crate::domain::payments::payee::PayeeRefusal;
use crate::domain::refusal::{RefusalKind, Refuse};

/// Why a vendor is not made, changed or paid out.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum VendorRefusal {
    /// The payee that it would be is refused.
    #[error("{0}")]
    Payee(#[from] PayeeRefusal),
    /// No country.
    #[error("country must be an ISO 3166-1 alpha-2 code")]
    Country,
    /// No such vendor.
    #[error("not found")]
    NoVendor,
    /// The payee that it is was archived.
    #[error("vendor is archived")]
    Archived,
    /// Its verification is over.
    #[error("verification of the vendor is {0}")]
    NothingToVerify(VendorStatus),
    /// No such status.
    #[error("status must be required, in_progress, pending_review, complete or blocked")]
    Status,
    /// A field that is always needed was not sent.
    #[error("{0} is required")]
    Required(&'static str),
    /// Not what an allowance does.
    #[error("enforcement must be enforced or advisory")]
    Enforcement,
    /// No amount.
    #[error("limitMinor must be between 0 and 10^15")]
    Limit,
    /// A bound is to hold, and there is none.
    #[error("limitMinor is required unless unlimited is true")]
    LimitRequired,
    /// A bound and none.
    #[error("limitMinor must not be stated when unlimited is true")]
    LimitedAndNot,
    /// A payout would go beyond the allowance.
    #[error("payout exceeds the payout allowance of the vendor")]
    BeyondAllowance,
}

impl Refuse for VendorRefusal {
    fn kind(&self) -> RefusalKind {
        match self {
            Self::Payee(refusal) => refusal.kind(),
            Self::Country
            | Self::Status
            | Self::Required(_)
            | Self::Enforcement
            | Self::Limit
            | Self::LimitRequired
            | Self::LimitedAndNot => RefusalKind::Invalid,
            Self::NoVendor => RefusalKind::Missing,
            Self::Archived | Self::NothingToVerify(_) | Self::BeyondAllowance => {
                RefusalKind::Conflict
            }
        }
    }
}
