//! The words with which a resource declares its routes.

use utoipa::ToSchema;

use super::document::{Answered, Asked, Body, FORM, JSON, MULTIPART, Part, Shape, Told, Value};
use super::{Look, Route};
use crate::http::State;

impl<S: State> Route<S> {
    /// The same route below `prefix`, under the heading `tag` of the API document. Routes are
    /// declared once, so their paths may live as long as the program.
    #[must_use]
    pub fn below(mut self, prefix: &str, tag: &'static str) -> Self {
        self.path = format!("{prefix}{}", self.path).leak();
        self.document.tag = tag;
        self
    }

    #[must_use]
    pub fn body_limit(mut self, bytes: usize) -> Self {
        self.body_limit = bytes;
        self
    }

    /// `look` has to find the head good before the body is read: strangers' bodies are not kept.
    #[must_use]
    pub(crate) fn late_body(mut self, look: Look<S>) -> Self {
        self.look = Some(look);
        self
    }

    /// Its handler reads a body of `multipart/form-data` of at most `bytes` while it comes; `T`
    /// names the parts.
    #[must_use]
    pub fn multipart<T: ToSchema>(mut self, bytes: usize) -> Self {
        self.streamed = true;
        self.document.body = Some(Body { shape: Shape::of::<T>(), kinds: &[MULTIPART] });
        self.body_limit(bytes)
    }

    /// What generated clients call it. It stays when the path or the summary changes.
    #[must_use]
    pub fn named(mut self, name: &'static str) -> Self {
        self.document.name = Some(name);
        self
    }

    /// The same under a further path: clients have the name for the first one.
    #[must_use]
    pub fn again(mut self) -> Self {
        self.document.name = None;
        self
    }

    /// It is a page or a file of one, for browsers, and no operation of the API.
    #[must_use]
    pub fn page(mut self) -> Self {
        self.document.is_page = true;
        self
    }

    #[must_use]
    pub fn summary(mut self, text: &'static str) -> Self {
        self.document.summary = text;
        self
    }

    /// More on what it does, in Markdown.
    #[must_use]
    pub fn describe(mut self, text: &'static str) -> Self {
        self.document.description = Some(text);
        self
    }

    /// The path parameter `name` is an id: anything but a positive integer below 2^53 is
    /// answered `400` before the handler runs, and an unknown one `404`.
    #[must_use]
    pub fn path_id(mut self, name: &'static str) -> Self {
        self.ids.push(name);
        self.asks(Part::Path, name, Value::Id, "Id of the object.")
    }

    /// The path parameter `name` is a text of the caller's or a token.
    #[must_use]
    pub fn path_text(self, name: &'static str, about: &'static str) -> Self {
        self.asks(Part::Path, name, Value::Text, about)
    }

    #[must_use]
    pub fn query_text(self, name: &'static str, about: &'static str) -> Self {
        self.asks(Part::Query, name, Value::Text, about)
    }

    /// The same, required.
    #[must_use]
    pub fn query_needed_text(self, name: &'static str, about: &'static str) -> Self {
        self.asks(Part::NeededQuery, name, Value::Text, about)
    }

    /// A query parameter with an integer from 1 to `most`.
    #[must_use]
    pub fn query_count(self, name: &'static str, most: usize, about: &'static str) -> Self {
        self.asks(Part::Query, name, Value::Count(most), about)
    }

    /// A query parameter with an amount above 0, in minor units.
    #[must_use]
    pub fn query_amount(self, name: &'static str, about: &'static str) -> Self {
        self.asks(Part::Query, name, Value::Amount, about)
    }

    #[must_use]
    pub fn query_id(self, name: &'static str, about: &'static str) -> Self {
        self.asks(Part::Query, name, Value::Id, about)
    }

    /// The same, required.
    #[must_use]
    pub fn query_needed_id(self, name: &'static str, about: &'static str) -> Self {
        self.asks(Part::NeededQuery, name, Value::Id, about)
    }

    #[must_use]
    pub fn query_one_of(
        self,
        name: &'static str,
        values: &'static [&'static str],
        about: &'static str,
    ) -> Self {
        self.asks(Part::Query, name, Value::OneOf(values), about)
    }

    /// A query parameter with a date or an RFC 3339 instant.
    #[must_use]
    pub fn query_time(self, name: &'static str, about: &'static str) -> Self {
        self.asks(Part::Query, name, Value::Time, about)
    }

    /// The same, required.
    #[must_use]
    pub fn query_needed_time(self, name: &'static str, about: &'static str) -> Self {
        self.asks(Part::NeededQuery, name, Value::Time, about)
    }

    /// It is a list: `limit`, `cursor` and the cursor's `original` name.
    #[must_use]
    pub fn paged(self, original: &'static str) -> Self {
        let first = "Where the page begins; absent or 0 for the first.";
        let limit = "The most entries on a page. It may have fewer and `hasMore` all the same: it \
                     ends before 4 MiB, and after 1,000 rows that its filters pass over.";
        self.asks(Part::Query, "limit", Value::Limit, limit)
            .asks(Part::Query, "cursor", Value::Cursor, first)
            .asks(Part::Query, original, Value::Cursor, "The cursor by its original name.")
    }

    pub(crate) fn asks(
        mut self,
        part: Part,
        name: &'static str,
        value: Value,
        about: &'static str,
    ) -> Self {
        self.document.asks.push(Asked { name, part, value, about });
        self
    }

    #[must_use]
    pub fn body<T: ToSchema>(mut self) -> Self {
        self.document.body = Some(Body { shape: Shape::of::<T>(), kinds: &[JSON] });
        self
    }

    /// It takes a JSON body of type `T`; no body at all counts as `{}`.
    #[must_use]
    pub fn body_optional<T: ToSchema>(mut self) -> Self {
        self.empty_body = true;
        self.body::<T>()
    }

    /// It takes a form of type `T`, url-encoded or as JSON.
    #[must_use]
    pub fn form<T: ToSchema>(mut self) -> Self {
        self.document.body = Some(Body { shape: Shape::of::<T>(), kinds: &[JSON, FORM] });
        self
    }

    #[must_use]
    pub fn answer<T: ToSchema>(self, status: u16, about: &'static str) -> Self {
        self.answered(status, Answered::json(Shape::of::<T>(), about))
    }

    /// It answers `status` with a body of the media type `kind`, which is not JSON.
    #[must_use]
    pub fn answer_as(self, status: u16, kind: &'static str, about: &'static str) -> Self {
        self.answered(status, Answered::other(kind, about))
    }

    /// The same with `200` and the name of a file.
    #[must_use]
    pub fn answer_file(mut self, kind: &'static str, about: &'static str) -> Self {
        self.document.headers.push((200, "Content-Disposition", "Says what the file is called."));
        self.answer_as(200, kind, about)
    }

    #[must_use]
    pub fn answer_empty(self, status: u16, about: &'static str) -> Self {
        self.answered(status, Answered::empty(about))
    }

    /// It refuses with `status` and `{"error": …}` for the reasons in `about`. What the pipeline
    /// refuses (keys, limits, sizes, ids, faults) need not be said.
    #[must_use]
    pub fn refuses(self, status: u16, about: &'static str) -> Self {
        self.answered(status, Answered::error(about))
    }

    /// It refuses with `status`: in the media type `kind`, or in JSON, as the caller asks.
    #[must_use]
    pub fn refuses_as(self, status: u16, kind: &'static str, about: &'static str) -> Self {
        self.answer_as(status, kind, about).refuses(status, about)
    }

    /// The server posts an `E` with a payload of type `P`, under this `eventType`, by itself;
    /// `about` says when.
    #[must_use]
    pub fn tells<E: ToSchema, P: ToSchema>(mut self, name: &'static str, about: String) -> Self {
        let (envelope, payload) = (Shape::of::<E>(), Shape::of::<P>());
        self.document.tells.push(Told { name, about, envelope, payload });
        self
    }

    fn answered(mut self, status: u16, answer: Answered) -> Self {
        self.document.answers.push((status, answer));
        self
    }
}
