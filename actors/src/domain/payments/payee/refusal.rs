//! What the rules of payees refuse.

use crate::domain::refusal::{RefusalKind, Refuse};

/// Why a payee is not made or changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PayeeRefusal {
    /// A field that every payee has was not sent.
    #[error("{0} is required")]
    Required(&'static str),
    /// A field that every payee has cannot be taken away.
    #[error("{0} must not be null")]
    Null(&'static str),
    /// A text is too long.
    #[error("{field} must have at most {max} characters")]
    TooLong {
        /// The JSON name of the field.
        field: &'static str,
        /// How many characters it may have.
        max: usize,
    },
    /// No such role.
    #[error("role must be contractor or tax")]
    Role,
    /// Another entity.
    #[error("kycEntityType must be Individual")]
    KycEntityType,
    /// No address.
    #[error("email must be a plain e-mail address")]
    Email,
    /// Neither a text nor an object.
    #[error("businessAddress must be a text or an object")]
    BusinessAddress,
    /// A control character would spoil documents.
    #[error("{0} must be plain text")]
    NotPlain(&'static str),
    /// Another payee of the seller has it.
    #[error("payeeContractId is already used")]
    ContractIdTaken,
    /// Nothing is changed on an archived payee.
    #[error("payee is archived")]
    Archived,
    /// Money is on its way.
    #[error("payee has an open payout")]
    OpenPayout,
    /// Money is held for it.
    #[error("payee has a balance that is not zero")]
    Balance,
    /// Money is on its way to the method.
    #[error("payout method has an open payout")]
    MethodOpenPayout,
    /// Money is held that goes to the method.
    #[error("payout method belongs to a balance that is not zero")]
    MethodBalance,
    /// There are as many methods as a payee may have.
    #[error("a payee has at most {0} payout methods")]
    TooManyMethods(usize),
    /// No such decision.
    #[error("decision must be approved, rejected_retry, rejected_final or manual_review")]
    Decision,
}

impl Refuse for PayeeRefusal {
    fn kind(&self) -> RefusalKind {
        match self {
            Self::ContractIdTaken
            | Self::Archived
            | Self::OpenPayout
            | Self::Balance
            | Self::MethodOpenPayout
            | Self::MethodBalance
            | Self::TooManyMethods(_) => RefusalKind::Conflict,
            Self::Required(_)
            | Self::Null(_)
            | Self::TooLong { .. }
            | Self::Role
            | Self::KycEntityType
            | Self::Email
            | Self::BusinessAddress
            | Self::NotPlain(_)
            | Self::Decision => RefusalKind::Invalid,
        }
    }
}
