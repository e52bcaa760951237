use super::MOST_PEOPLE;
use super::password::LENGTH;
use crate::domain::refusal::{RefusalKind, Refuse};

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PersonRefusal {
    #[error("not found")]
    Unknown,
    #[error("email must be a plain e-mail address")]
    Email,
    #[error("name must have 1 to 128 characters")]
    Name,
    #[error("password must have {} to {} characters", LENGTH.start(), LENGTH.end())]
    Password,
    #[error("email belongs to somebody who can sign in already")]
    EmailTaken,
    #[error("the last owner of an account stays its owner")]
    LastOwner,
    #[error("an account has at most {MOST_PEOPLE} people")]
    TooMany,
    /// The organization was told before.
    #[error("onboarding is complete")]
    Complete,
}

impl Refuse for PersonRefusal {
    fn kind(&self) -> RefusalKind {
        match self {
            Self::Unknown => RefusalKind::Missing,
            Self::Email | Self::Name | Self::Password => RefusalKind::Invalid,
            Self::EmailTaken | Self::Complete => RefusalKind::Conflict,
            Self::LastOwner | Self::TooMany => RefusalKind::Unprocessable,
        }
    }
}
