//! Why a call to a server failed, in one plain line.

use hyper::{Method, StatusCode};

/// A call that gave no 2xx.
#[derive(Debug, thiserror::Error)]
pub enum CallError {
    /// No answer came.
    #[error("{method} {path}: {cause}")]
    Unreachable {
        /// The method of the call.
        method: Method,
        /// The path of the call.
        path: String,
        /// What the connection said.
        cause: String,
    },
    /// The server answered with another status.
    #[error("{method} {path} answered {status}: {body}")]
    Refused {
        /// The method of the call.
        method: Method,
        /// The path of the call.
        path: String,
        /// The answered status.
        status: StatusCode,
        /// The first 600 characters of the answered body.
        body: String,
    },
    /// The server went on asking to come back later.
    #[error("{method} {path}: the server stayed busy")]
    Busy {
        /// The method of the call.
        method: Method,
        /// The path of the call.
        path: String,
    },
}

impl CallError {
    /// The status that was answered, if there was an answer.
    pub fn status(&self) -> Option<StatusCode> {
        match self {
            Self::Refused { status, .. } => Some(*status),
            Self::Unreachable { .. } | Self::Busy { .. } => None,
        }
    }
}
