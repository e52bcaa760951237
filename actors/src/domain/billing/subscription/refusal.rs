//! Why a subscription is not created or changed. Texts name the field at fault.

use super::names::SubscriptionStatus;
use crate::domain::money::Currency;
use crate::domain::refusal::{RefusalKind, Refuse};
use crate::domain::time::Date;

/// Something that is done to a subscription.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// `cancel`.
    Cancel,
    /// `pause`.
    Pause,
    /// `resume`.
    Resume,
    /// `end-trial`.
    EndTrial,
    /// `change-plan`.
    ChangePlan,
    /// The collection loop's verdict that money did not come.
    MarkPastDue,
    /// The collection loop's verdict that it came after all.
    MarkRecovered,
}

/// What a subscription's rules answer when they do not do a thing (decisions 4, 11, 12, 14).
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SubscriptionRefusal {
    /// The price is negative or too high.
    #[error("priceMinor must be from 0 to 1000000000000")]
    PriceOutOfRange,
    /// A term would cost more than Accrue computes with.
    #[error("priceMinor times quantity must not exceed 10^15 minor units")]
    AmountTooLarge,
    /// The description has too many characters.
    #[error("description must be at most 256 characters")]
    DescriptionTooLong,
    /// The cancel's reason has too many characters.
    #[error("reason must be at most 512 characters")]
    ReasonTooLong,
    /// The trial is shorter than a day or longer than two years.
    #[error("trialDays must be from 1 to 730")]
    TrialDaysOutOfRange,
    /// The trial is stated in two ways.
    #[error("trialDays and trialEnd must not be given together")]
    TrialStatedTwice,
    /// The trial has no day.
    #[error("trialEnd must be after startDate")]
    TrialEndNotAfterStart,
    /// The last day is before the first.
    #[error("endDate must not be before startDate")]
    EndBeforeStart,
    /// The last day is before the first paid one.
    #[error("endDate must not be before the end of the trial")]
    EndBeforeTrialEnd,
    /// The last day is over already.
    #[error("endDate must not be before {0}, the contract's current date")]
    EndInThePast(Date),
    /// The first day is too long ago.
    #[error("startDate must not be before {0}, one year ago")]
    StartTooEarly(Date),
    /// The first day is too far ahead.
    #[error("startDate must not be after {0}, ten years ahead")]
    StartTooLate(Date),
    /// Another currency than the contract's.
    #[error("currency must be {0}, the contract's currency")]
    OtherCurrency(Currency),
    /// A cancel on a date without the date.
    #[error("at is required with mode at_date")]
    AtRequired,
    /// A date where none has a meaning.
    #[error("at is allowed with mode at_date only")]
    AtNotAllowed,
    /// A cancel in the past.
    #[error("at must not be before {0}, the contract's current date")]
    AtInThePast(Date),
    /// A resumption in the past.
    #[error("resumesAt must not be before {0}, the contract's current date")]
    ResumesInThePast(Date),
    /// The contract is closed.
    #[error("the contract is closed")]
    ContractClosed,
    /// The status forbids the action.
    #[error("{} does not apply to a subscription that is {}", .action.name(), .status.name())]
    DoesNotApply {
        /// What was asked for.
        action: Action,
        /// Where the subscription stands.
        status: SubscriptionStatus,
    },
    /// There is nothing to resume or take back.
    #[error("resume applies to a paused subscription or a scheduled cancel only")]
    NothingToResume,
    /// The last day is over.
    #[error("endDate {0} has passed")]
    EndDatePassed(Date),
    /// The frequency cannot change within a term.
    #[error("frequency can be changed with effective period_end only")]
    FrequencyWithinTerm,
    /// The subscription may not become active without a saved card.
    #[error("a saved payment method is required")]
    PaymentMethodRequired,
    /// Unused days of a billed term could be given back as credit only.
    #[error("prorate needs stored credits, which are not enabled: the term is already billed")]
    CreditsOff,
}

impl Action {
    /// The name as in the path.
    pub fn name(self) -> &'static str {
        match self {
            Self::Cancel => "cancel",
            Self::Pause => "pause",
            Self::Resume => "resume",
            Self::EndTrial => "end-trial",
            Self::ChangePlan => "change-plan",
            Self::MarkPastDue => "past due",
            Self::MarkRecovered => "recovery",
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
            | Self::FrequencyWithinTerm
            | Self::PaymentMethodRequired
            | Self::CreditsOff => RefusalKind::Unprocessable,
            _ => RefusalKind::Invalid,
        }
    }
}
