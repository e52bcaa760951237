//! Why a subscription is not created or changed. Texts name the field at fault.

use super::names::SubscriptionStatus;
use crate::domain::money::Currency;
use crate::domain::refusal::{RefusalKind, Refuse};
use crate::domain::time::Date;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    Cancel,
    Pause,
    Resume,
    EndTrial,
    ChangePlan,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SubscriptionRefusal {
    #[error("priceMinor must be from 0 to 1000000000000")]
    PriceOutOfRange,
    #[error("priceMinor times quantity must not exceed 10^15 minor units")]
    AmountTooLarge,
    #[error("description must be at most 256 characters")]
    DescriptionTooLong,
    #[error("reason must be at most 512 characters")]
    ReasonTooLong,
    #[error("trialDays must be from 1 to 730")]
    TrialDaysOutOfRange,
    #[error("trialDays and trialEnd must not be given together")]
    TrialStatedTwice,
    #[error("trialEnd must be after startDate")]
    TrialEndNotAfterStart,
    #[error("trialEnd must not be after {0}, ten years after startDate")]
    TrialEndTooLate(Date),
    #[error("endDate must not be before startDate")]
    EndBeforeStart,
    #[error("endDate must not be before the end of the trial")]
    EndBeforeTrialEnd,
    #[error("endDate must not be before {0}, the contract's current date")]
    EndInThePast(Date),
    #[error("startDate must not be before {0}, one year ago")]
    StartTooEarly(Date),
    #[error("startDate must not be after {0}, ten years ahead")]
    StartTooLate(Date),
    #[error("currency must be {0}, the contract's currency")]
    OtherCurrency(Currency),
    #[error("at is required with mode at_date")]
    AtRequired,
    #[error("at is allowed with mode at_date only")]
    AtNotAllowed,
    #[error("at must not be before {0}, the contract's current date")]
    AtInThePast(Date),
    #[error("resumesAt must be after {0}, the contract's current date")]
    ResumesTooEarly(Date),
    #[error("the contract is closed")]
    ContractClosed,
    #[error("{} does not apply to a subscription that is {}", .action.name(), .status.name())]
    DoesNotApply { action: Action, status: SubscriptionStatus },
    #[error("resume applies to a paused subscription or a scheduled cancel only")]
    NothingToResume,
    #[error("endDate {0} has passed")]
    EndDatePassed(Date),
    #[error("the cancel of {0} has passed")]
    CancelPassed(Date),
    #[error("frequency can be changed with effective period_end only")]
    FrequencyWithinTerm,
    #[error("a saved payment method is required")]
    PaymentMethodRequired,
    /// Unused days of a billed term could be given back as credit only.
    #[error("prorate needs stored credits, which are not enabled: the term is already billed")]
    CreditsOff,
}

impl Action {
    pub fn name(self) -> &'static str {
        match self {
            Self::Cancel => "cancel",
            Self::Pause => "pause",
            Self::Resume => "resume",
            Self::EndTrial => "end-trial",
            Self::ChangePlan => "change-plan",
        }
    }
}

impl Refuse for SubscriptionRefusal {
    fn kind(&self) -> RefusalKind {
        match self {
            Self::ContractClosed
            | Self::DoesNotApply { .. }
            | Self::NothingToResume
            | Self::EndDatePassed(_)
            | Self::CancelPassed(_)
            | Self::FrequencyWithinTerm
            | Self::PaymentMethodRequired
            | Self::CreditsOff => RefusalKind::Unprocessable,
            _ => RefusalKind::Invalid,
        }
    }
}
