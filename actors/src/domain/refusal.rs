//! What a rule says when it does not do a thing. A refusal is an answer: it writes nothing.

use std::fmt;

/// The kind of a refusal; the door turns it into a status in one place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefusalKind {
    Invalid,
    /// The object is not there for this seller.
    Missing,
    /// The present state forbids the action, or a key was used for something else.
    Conflict,
    /// The object exists but the action does not apply to it.
    Unprocessable,
    /// The request rests on a version that is not the current one: another was first. Where many
    /// compete, they are told so a few at a time, and nobody waits long.
    Stale,
    /// Accounts of this mode may not do it.
    Forbidden,
    Disabled,
    /// There is more of it than may be, until some is done with.
    TooMany,
    /// The service itself could not do it; nothing of the request is at fault.
    Fault,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    pub kind: RefusalKind,
    /// The message for the caller; it names the field at fault where there is one.
    pub text: String,
}

/// A noun's own list of refusals: each has a kind and, by `Display`, a text.
pub trait Refuse: fmt::Display {
    fn kind(&self) -> RefusalKind;
}

impl Refusal {
    pub fn invalid(text: impl Into<String>) -> Self {
        Self { kind: RefusalKind::Invalid, text: text.into() }
    }

    pub fn missing() -> Self {
        Self { kind: RefusalKind::Missing, text: "not found".to_owned() }
    }

    pub fn unprocessable(text: impl Into<String>) -> Self {
        Self { kind: RefusalKind::Unprocessable, text: text.into() }
    }

    pub fn too_many(text: impl Into<String>) -> Self {
        Self { kind: RefusalKind::TooMany, text: text.into() }
    }

    /// The service could not do it. What went wrong is for the log, not for the caller.
    pub fn fault() -> Self {
        Self { kind: RefusalKind::Fault, text: "internal error".to_owned() }
    }

    pub fn conflict(text: impl Into<String>) -> Self {
        Self { kind: RefusalKind::Conflict, text: text.into() }
    }
}

impl<R: Refuse> From<R> for Refusal {
    fn from(refusal: R) -> Self {
        Self { kind: refusal.kind(), text: refusal.to_string() }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}
