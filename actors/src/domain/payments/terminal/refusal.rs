use super::access::BaseUrlRefusal;
use crate::domain::refusal::{RefusalKind, Refuse};

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TerminalRefusal {
    #[error("{0} is required")]
    Required(&'static str),
    #[error("name must have 1 to 128 printable characters")]
    Name,
    #[error("rail must be card or apm")]
    Rail,
    #[error("{0} must not be empty")]
    Empty(&'static str),
    #[error("methods must be of the rail: {0}")]
    Method(String),
    #[error("currencies must be EUR, USD, GBP, DKK, NOK or SEK")]
    Currency,
    #[error("countries must be ISO 3166-1 alpha-2 codes")]
    Country,
    #[error("mode must be demo or live")]
    Mode,
    #[error("connector must be simulator or stripe")]
    Connector,
    #[error("connector must be simulator in demo mode and stripe in live mode")]
    ConnectorOfMode,
    #[error("baseUrl {0}")]
    BaseUrl(#[from] BaseUrlRefusal),
    #[error("secretKey must have 1 to 255 printable characters without spaces")]
    SecretKey,
    #[error("{0} is for stripe terminals only")]
    NotForSimulator(&'static str),
    #[error("secretKey is required with another baseUrl")]
    OtherBaseUrl,
    #[error("connector is the operator's to set where the processor is stripe")]
    OfOperator,
    #[error("status must be active or disabled")]
    Status,
    #[error(
        "payments of this terminal are open at its baseUrl: disable it, and make another for the new \
         one"
    )]
    HasOpenPayments,
    #[error("a seller has at most {0} terminals")]
    TooMany(usize),
}

impl Refuse for TerminalRefusal {
    fn kind(&self) -> RefusalKind {
        match self {
            Self::HasOpenPayments | Self::TooMany(_) => RefusalKind::Conflict,
            Self::OfOperator => RefusalKind::Unprocessable,
            Self::Required(_)
            | Self::Name
            | Self::Rail
            | Self::Empty(_)
            | Self::Method(_)
            | Self::Currency
            | Self::Country
            | Self::Mode
            | Self::Connector
            | Self::ConnectorOfMode
            | Self::BaseUrl(_)
            | Self::SecretKey
            | Self::NotForSimulator(_)
            | Self::OtherBaseUrl
            | Self::Status => RefusalKind::Invalid,
        }
    }
}
