//! Why a call to a server failed, in one plain line.

use hyper::{Method, StatusCode};

#[derive(Debug, thiserror::Error)]
pub enum CallError {
    #[error("{method} {path}: {cause}")]
    Unreachable { method: Method, path: String, cause: String },
    #[error("{method} {path} answered {status}: {body}")]
    Refused {
        method: Method,
        path: String,
        status: StatusCode,
        /// The first 600 characters of the answered body.
        body: String,
    },
    #[error("{method} {path}: the server stayed busy: {reason}")]
    Busy {
        method: Method,
        path: String,
        /// What it said at last.
        reason: String,
    },
}

impl CallError {
    pub fn status(&self) -> Option<StatusCode> {
        match self {
            Self::Refused { status, .. } => Some(*status),
            Self::Unreachable { .. } | Self::Busy { .. } => None,
        }
    }
}
