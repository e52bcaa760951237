//! What the rules of terminals refuse.

use super::access::BaseUrlRefusal;
use crate::domain::refusal::{RefusalKind, Refuse};

/// Why a terminal is not saved. Each text names the field.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TerminalRefusal {
    /// A field that every such terminal has was not sent.
    #[error("{0} is required")]
    Required(&'static str),
    /// The name is empty, too long or not plain.
    #[error("name must have 1 to 128 printable characters")]
    Name,
    /// No such rail.
    #[error("rail must be card or apm")]
    Rail,
    /// The list is empty.
    #[error("{0} must not be empty")]
    Empty(&'static str),
    /// A method that is not on the rail.
    #[error("methods must be of the rail: {0}")]
    Method(String),
    /// A currency that is not accepted.
    #[error("currencies must be EUR, USD, GBP, DKK, NOK or SEK")]
    Currency,
    /// No country.
    #[error("countries must be ISO 3166-1 alpha-2 codes")]
    Country,
    /// No such mode.
    #[error("mode must be demo or live")]
    Mode,
    /// No such connector.
    #[error("connector must be simulator or stripe")]
    Connector,
    /// The simulator moves no money, and a real processor moves real money.
    #[error("connector must be simulator in demo mode and stripe in live mode")]
    ConnectorOfMode,
    /// Processors are not asked there.
    #[error("baseUrl {0}")]
    BaseUrl(#[from] BaseUrlRefusal),
    /// It cannot be a key.
    #[error("secretKey must have 1 to 255 printable characters without spaces")]
    SecretKey,
    /// The simulator is asked nowhere.
    #[error("{0} is for stripe terminals only")]
    NotForSimulator(&'static str),
    /// A key that is kept may only be sent to where it was given for.
    #[error("secretKey is required with another baseUrl")]
    OtherBaseUrl,
    /// No such status.
    #[error("status must be active or disabled")]
    Status,
    /// There are as many as a seller may have.
    #[error("a seller has at most {0} terminals")]
    TooMany(usize),
}

impl Refuse for TerminalRefusal {
    fn kind(&self) -> RefusalKind {
        match self {
            Self::TooMany(_) => RefusalKind::Conflict,
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
