//! What the rules of sellers refuse.

use crate::domain::refusal::{RefusalKind, Refuse};

/// Why an account is not made or not changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SellerRefusal {
    /// The name is missing or too long.
    #[error("name must have 1 to 128 characters")]
    Name,
    /// The address is not a plain one.
    #[error("email must be a plain e-mail address")]
    Email,
    /// No such country.
    #[error("country must be an ISO 3166-1 alpha-2 code")]
    Country,
    /// The tax number is too long.
    #[error("taxId must have at most 64 characters")]
    TaxId,
    /// No such status.
    #[error("status must be pending, active or inactive")]
    UnknownStatus,
    /// No such mode.
    #[error("mode must be demo or live")]
    UnknownMode,
    /// A live account stays live.
    #[error("mode cannot go back from live to demo")]
    BackToDemo,
    /// Minted accounts end; they are never granted.
    #[error("mode of a minted sandbox account stays demo")]
    SandboxStaysDemo,
}

impl Refuse for SellerRefusal {
    fn kind(&self) -> RefusalKind {
        match self {
            Self::BackToDemo | Self::SandboxStaysDemo => RefusalKind::Unprocessable,
            Self::Name
            | Self::Email
            | Self::Country
            | Self::TaxId
            | Self::UnknownStatus
            | Self::UnknownMode => RefusalKind::Invalid,
        }
    }
}
