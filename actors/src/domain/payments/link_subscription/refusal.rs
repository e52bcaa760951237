use super::LinkSubscriptionStatus;
use crate::domain::payments::payment_link::PaymentLinkRefusal;
use crate::domain::refusal::{RefusalKind, Refuse};

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LinkSubscriptionRefusal {
    /// A field that payment links have too.
    #[error(transparent)]
    Link(#[from] PaymentLinkRefusal),
    #[error("trialDays must be from 1 to 730")]
    TrialDays,
    #[error("installments must be from 1 to 1200")]
    Installments,
    #[error("commitmentTerms must be from 1 to 1200, and no more than installments")]
    Commitment,
    #[error("recurring charging by payment links is switched off")]
    SwitchedOff,
    #[error("the subscription is {0}")]
    Ended(LinkSubscriptionStatus),
    /// Its buyer wants to cancel before the terms are paid that were agreed upon.
    #[error("the subscription cannot be cancelled yet")]
    Committed,
    /// It asks for something else by now.
    #[error("the amount has changed, look at it again")]
    Changed,
    #[error("nothing is due")]
    NotDue,
    /// Money for a term that is paid.
    #[error("the term is paid already")]
    TermPaid,
}

impl Refuse for LinkSubscriptionRefusal {
    fn kind(&self) -> RefusalKind {
        match self {
            Self::Link(refusal) => refusal.kind(),
            Self::TrialDays | Self::Installments | Self::Commitment => RefusalKind::Invalid,
            Self::SwitchedOff => RefusalKind::Unprocessable,
            Self::Ended(_) | Self::Committed | Self::Changed | Self::NotDue | Self::TermPaid => {
                RefusalKind::Conflict
            }
        }
    }
}
