//! What a route says about itself in the API document.

use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

/// The declarations of one route.
#[derive(Clone, Default)]
pub(in crate::http) struct Document {
    pub(in crate::http) summary: &'static str,
    pub(in crate::http) description: Option<&'static str>,
    pub(in crate::http) tag: &'static str,
    pub(in crate::http) asks: Vec<Asked>,
    pub(in crate::http) body: Option<Body>,
    pub(in crate::http) answers: Vec<(u16, Answered)>,
}

/// A parameter of the path or the query.
#[derive(Clone)]
pub(in crate::http) struct Asked {
    pub(in crate::http) name: &'static str,
    pub(in crate::http) in_path: bool,
    pub(in crate::http) value: Value,
    pub(in crate::http) about: &'static str,
}

impl Asked {
    pub(super) fn path(name: &'static str, value: Value, about: &'static str) -> Self {
        Self { name, in_path: true, value, about }
    }

    pub(super) fn query(name: &'static str, value: Value, about: &'static str) -> Self {
        Self { name, in_path: false, value, about }
    }
}

/// What a parameter may be.
#[derive(Clone, Copy)]
pub(in crate::http) enum Value {
    /// A positive integer below 2^53.
    Id,
    /// Any text.
    Text,
    /// One of a few words.
    OneOf(&'static [&'static str]),
    /// A date, or an RFC 3339 instant.
    Time,
    /// 1-100.
    Limit,
    /// A non-negative integer.
    Cursor,
}

pub(in crate::http) const JSON: &str = "application/json";
pub(in crate::http) const FORM: &str = "application/x-www-form-urlencoded";
pub(in crate::http) const MULTIPART: &str = "multipart/form-data";

/// The request body.
#[derive(Clone)]
pub(in crate::http) struct Body {
    pub(in crate::http) shape: Shape,
    /// The media types it may have.
    pub(in crate::http) kinds: &'static [&'static str],
}

/// A Rust type as the document sees it. Its schema is made when the document is built.
#[derive(Clone, Copy)]
pub(in crate::http) struct Shape {
    /// The name it has among the document's components.
    pub(in crate::http) name: fn() -> String,
    /// Its own schema.
    pub(in crate::http) schema: fn() -> RefOr<Schema>,
    /// The schemas it refers to, by name.
    pub(in crate::http) others: fn(&mut Vec<(String, RefOr<Schema>)>),
}

impl Shape {
    pub(super) fn of<T: ToSchema>() -> Self {
        Self {
            name: || T::name().into_owned(),
            schema: <T as PartialSchema>::schema,
            others: T::schemas,
        }
    }
}

/// One answer.
#[derive(Clone)]
pub(in crate::http) struct Answered {
    pub(in crate::http) about: &'static str,
    pub(in crate::http) content: Content,
}

/// What the body of an answer is.
#[derive(Clone)]
pub(in crate::http) enum Content {
    /// JSON of a type.
    Json(Shape),
    /// `{"error": …}`.
    Error,
    /// A body that is not JSON, by its media type.
    Other(&'static str),
    /// No body.
    Empty,
}

impl Answered {
    pub(super) fn json(shape: Shape, about: &'static str) -> Self {
        Self { about, content: Content::Json(shape) }
    }

    pub(in crate::http) fn error(about: &'static str) -> Self {
        Self { about, content: Content::Error }
    }

    pub(in crate::http) fn other(kind: &'static str, about: &'static str) -> Self {
        Self { about, content: Content::Other(kind) }
    }

    pub(super) fn empty(about: &'static str) -> Self {
        Self { about, content: Content::Empty }
    }
}

impl Document {
    /// Every type that the route takes or answers.
    pub(in crate::http) fn shapes(&self) -> impl Iterator<Item = Shape> {
        let answered = self.answers.iter().filter_map(|(_, answer)| match answer.content {
            Content::Json(shape) => Some(shape),
            Content::Error | Content::Other(_) | Content::Empty => None,
        });
        self.body.iter().map(|body| body.shape).chain(answered)
    }
}
