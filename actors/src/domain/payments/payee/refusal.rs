use crate::domain::refusal::{RefusalKind, Refuse};

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PayeeRefusal {
    #[error("{0} is required")]
    Required(&'static str),
    #[error("{0} must not be null")]
    Null(&'static str),
    #[error("{field} must have at most {max} characters")]
    TooLong { field: &'static str, max: usize },
    #[error("role must be contractor or tax")]
    Role,
    #[error("kycEntityType must be Individual")]
    KycEntityType,
    #[error("email must be a plain e-mail address")]
    Email,
    #[error("businessAddress must be a text or an object")]
    BusinessAddress,
    /// A control character would spoil documents.
    #[error("{0} must be plain text")]
    NotPlain(&'static str),
    #[error("payeeContractId is already used")]
    ContractIdTaken,
    #[error("payee is archived")]
    Archived,
    #[error("payee has an open payout")]
    OpenPayout,
    #[error("payee has a balance that is not zero")]
    Balance,
    /// Authorized, or still pending with a share for it.
    #[error("payee is named by an open payment")]
    OpenPayment,
    #[error("payout method has an open payout")]
    MethodOpenPayout,
    #[error("payout method belongs to a balance that is not zero")]
    MethodBalance,
    #[error("a payee has at most {0} payout methods")]
    TooManyMethods(usize),
    #[error("decision must be approved, rejected_retry, rejected_final or manual_review")]
    Decision,
}

impl Refuse for PayeeRefusal {
    fn kind(&self) -> RefusalKind {
        match self {
            Self::ContractIdTaken
            | Self::Archived
            | Self::OpenPayout
            | Self::OpenPayment
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
