//! What a route says about itself in the API document.

use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

#[derive(Clone, Default)]
pub(crate) struct Document {
    /// What generated clients call the operation; without it, it is called after its path.
    pub(crate) name: Option<&'static str>,
    /// It is a page or a file of one, for browsers: no operation of the API.
    pub(crate) is_page: bool,
    pub(crate) summary: &'static str,
    pub(crate) description: Option<&'static str>,
    pub(crate) tag: &'static str,
    /// The security scheme by which its callers say who they are.
    pub(crate) security: Option<&'static str>,
    pub(crate) asks: Vec<Asked>,
    pub(crate) body: Option<Body>,
    pub(crate) answers: Vec<(u16, Answered)>,
    /// Answers that stand where the route says nothing of their status; the first one counts.
    pub(crate) defaults: Vec<(u16, Answered)>,
    /// Headers of answers: status, name, meaning.
    pub(crate) headers: Vec<(u16, &'static str, &'static str)>,
    /// Headers of its successes and of its `429` that those of many routes have: name, meaning.
    pub(crate) shared_headers: &'static [(&'static str, &'static str)],
    /// What the server sends by itself.
    pub(crate) tells: Vec<Told>,
}

/// Something that the server posts to whoever wants to hear of it.
#[derive(Clone)]
pub(crate) struct Told {
    pub(crate) name: &'static str,
    /// When it does.
    pub(crate) about: String,
    pub(crate) envelope: Shape,
    /// What stands in the `payload` of the envelope.
    pub(crate) payload: Shape,
}

/// A parameter, required unless it is of the query.
#[derive(Clone)]
pub(crate) struct Asked {
    pub(crate) name: &'static str,
    pub(crate) part: Part,
    pub(crate) value: Value,
    pub(crate) about: &'static str,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    Path,
    Query,
    /// Of the query, and required.
    NeededQuery,
    Header,
    OptionalHeader,
}

#[derive(Clone, Copy)]
pub(crate) enum Value {
    /// A positive integer below 2^53.
    Id,
    Text,
    OneOf(&'static [&'static str]),
    /// A date, or an RFC 3339 instant.
    Time,
    /// 1-100.
    Limit,
    /// 1 to this.
    Count(usize),
    /// A positive integer of 64 bits, such as an amount in minor units.
    Amount,
    /// A non-negative integer.
    Cursor,
    Uuid,
    /// Text of at most so many characters that fits a regular expression.
    Pattern {
        max: usize,
        pattern: &'static str,
    },
}

pub(crate) const JSON: &str = "application/json";
pub(crate) const TEXT: &str = "text/plain";
pub(super) const FORM: &str = "application/x-www-form-urlencoded";
pub(super) const MULTIPART: &str = "multipart/form-data";

#[derive(Clone)]
pub(crate) struct Body {
    pub(crate) shape: Shape,
    pub(crate) kinds: &'static [&'static str],
}

/// A Rust type as the document sees it. Its schema is made when the document is built.
#[derive(Clone, Copy)]
pub(crate) struct Shape {
    /// The name it has among the document's components.
    pub(crate) name: fn() -> String,
    pub(crate) schema: fn() -> RefOr<Schema>,
    /// The schemas it refers to, by name.
    pub(crate) others: fn(&mut Vec<(String, RefOr<Schema>)>),
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

#[derive(Clone)]
pub(crate) struct Answered {
    pub(crate) about: &'static str,
    pub(crate) content: Content,
}

#[derive(Clone)]
pub(crate) enum Content {
    Json(Shape),
    /// `{"error": …}`.
    Error,
    /// A body that is not JSON, by its media type.
    Other(&'static str),
    Empty,
}

impl Answered {
    pub(super) fn json(shape: Shape, about: &'static str) -> Self {
        Self { about, content: Content::Json(shape) }
    }

    pub(crate) fn error(about: &'static str) -> Self {
        Self { about, content: Content::Error }
    }

    pub(crate) fn other(kind: &'static str, about: &'static str) -> Self {
        Self { about, content: Content::Other(kind) }
    }

    pub(super) fn empty(about: &'static str) -> Self {
        Self { about, content: Content::Empty }
    }
}

impl Document {
    pub(crate) fn shapes(&self) -> impl Iterator<Item = Shape> {
        self.body.iter().map(|body| body.shape).chain(self.answered())
    }

    /// What the server says: answers, and what it tells by itself.
    pub(crate) fn answered(&self) -> impl Iterator<Item = Shape> {
        let answers = self.answers.iter().filter_map(|(_, answer)| match answer.content {
            Content::Json(shape) => Some(shape),
            Content::Error | Content::Other(_) | Content::Empty => None,
        });
        answers.chain(self.tells.iter().flat_map(|told| [told.envelope, told.payload]))
    }
}
