use super::MAX_USAGE_GRACE_MINUTES;
use crate::domain::refusal::{RefusalKind, Refuse};

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SellerRefusal {
    #[error("name must have 1 to 128 characters")]
    Name,
    #[error("email must be a plain e-mail address")]
    Email,
    #[error("country must be an ISO 3166-1 alpha-2 code")]
    Country,
    #[error("taxId must have at most 64 characters")]
    TaxId,
    #[error("status must be pending, active or inactive")]
    UnknownStatus,
    #[error("mode must be demo or live")]
    UnknownMode,
    #[error("usageGraceMinutes must be 0 to {MAX_USAGE_GRACE_MINUTES}")]
    UsageGrace,
    #[error("{field} must have at most {longest} characters")]
    TooLong { field: &'static str, longest: usize },
    #[error("paymentTermsDays must be 0 to {0}")]
    PaymentTerms(u32),
    #[error("reminderDays must be at most 12 different days from -60 to 365")]
    ReminderDays,
    #[error("taxMode automatic needs a country of the EU")]
    AutomaticTaxOutsideEu,
    /// An e-mail belongs to one login.
    #[error("email belongs to another account")]
    EmailTaken,
    #[error("mode cannot go back from live to demo")]
    BackToDemo,
    #[error("hosts must be at most 50 plain host names, without scheme and port")]
    ReturnHosts,
    #[error("the account is live already")]
    IsLive,
    /// Minted accounts end; they are never granted.
    #[error("mode of a minted sandbox account stays demo")]
    SandboxStaysDemo,
}

impl Refuse for SellerRefusal {
    fn kind(&self) -> RefusalKind {
        match self {
            Self::BackToDemo | Self::SandboxStaysDemo | Self::AutomaticTaxOutsideEu => {
                RefusalKind::Unprocessable
            }
            Self::EmailTaken | Self::IsLive => RefusalKind::Conflict,
            Self::Name
            | Self::Email
            | Self::Country
            | Self::TaxId
            | Self::UnknownStatus
            | Self::UsageGrace
            | Self::TooLong { .. }
            | Self::PaymentTerms(_)
            | Self::ReminderDays
            | Self::ReturnHosts
            | Self::UnknownMode => RefusalKind::Invalid,
        }
    }
}
