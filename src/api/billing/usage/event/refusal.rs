//! Why an event is not taken before its contract is asked.

use crate::http::{ApiError, json};

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EventRefusal {
    /// It is not JSON, or names a field twice.
    #[error("{0}")]
    Json(String),
    /// It is JSON of another kind.
    #[error("expected an object")]
    NoObject,
    #[error("missing field `{0}`")]
    Missing(&'static str),
    #[error("{field}: expected {expected}")]
    Field {
        /// The field by its name in JSON.
        field: &'static str,
        expected: &'static str,
    },
    /// The contract's number is one that no contract has.
    #[error("contractId: unknown contract")]
    UnknownContract,
}

impl EventRefusal {
    pub(super) fn json(error: &serde_json::Error) -> Self {
        Self::Json(json::words(error))
    }
}

impl From<EventRefusal> for ApiError {
    fn from(refusal: EventRefusal) -> Self {
        match refusal {
            EventRefusal::UnknownContract => Self::missing(),
            refused => Self::invalid(format!("invalid request body: {refused}")),
        }
    }
}
