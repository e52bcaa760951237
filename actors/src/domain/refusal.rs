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

/// What a caller acts upon, whatever the words are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// To be told, and no more.
    Other,
    /// The payment is being processed: it comes to an end, and then the command can be judged.
    InFlight,
    /// The buyer of the payment has not approved yet.
    NotApproved,
    /// Another request has done it or is at it, or has taken what this one was to act upon.
    Overtaken,
    /// The seller's own name for the payment is that of another one.
    ReferenceUsed,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    pub kind: RefusalKind,
    pub cause: Cause,
    /// The message for the caller; it names the field at fault where there is one.
    pub text: String,
}

/// A noun's own list of refusals: each has a kind and, by `Display`, a text.
pub trait Refuse: fmt::Display {
    fn kind(&self) -> RefusalKind;

    fn cause(&self) -> Cause {
        Cause::Other
    }
}

impl Refusal {
    fn other(kind: RefusalKind, text: impl Into<String>) -> Self {
        Self { kind, cause: Cause::Other, text: text.into() }
    }

    pub fn invalid(text: impl Into<String>) -> Self {
        Self::other(RefusalKind::Invalid, text)
    }

    pub fn missing() -> Self {
        Self::other(RefusalKind::Missing, "not found")
    }

    pub fn unprocessable(text: impl Into<String>) -> Self {
        Self::other(RefusalKind::Unprocessable, text)
    }

    pub fn too_many(text: impl Into<String>) -> Self {
        Self::other(RefusalKind::TooMany, text)
    }

    /// The service could not do it. What went wrong is for the log, not for the caller.
    pub fn fault() -> Self {
        Self::other(RefusalKind::Fault, "internal error")
    }

    pub fn conflict(text: impl Into<String>) -> Self {
        Self::other(RefusalKind::Conflict, text)
    }
}

impl<R: Refuse> From<R> for Refusal {
    fn from(refusal: R) -> Self {
        Self { kind: refusal.kind(), cause: refusal.cause(), text: refusal.to_string() }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}
