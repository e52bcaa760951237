use super::VendorStatus;
use crate::domain::payments::payee::PayeeRefusal;
use crate::domain::refusal::{RefusalKind, Refuse};

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum VendorRefusal {
    #[error("{0}")]
    Payee(#[from] PayeeRefusal),
    #[error("country must be an ISO 3166-1 alpha-2 code")]
    Country,
    #[error("not found")]
    NoVendor,
    #[error("vendor is archived")]
    Archived,
    #[error("verification of the vendor is {0}")]
    NothingToVerify(VendorStatus),
    #[error("status must be required, in_progress, pending_review, complete or blocked")]
    Status,
    #[error("{0} is required")]
    Required(&'static str),
    #[error("enforcement must be enforced or advisory")]
    Enforcement,
    #[error("limitMinor must be between 0 and 10^15")]
    Limit,
    #[error("limitMinor is required unless unlimited is true")]
    LimitRequired,
    #[error("limitMinor must not be stated when unlimited is true")]
    LimitedAndNot,
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
