//! The words with which the page of routes declares a route.

use actors::domain::platform::limits::QuotaKind;
use utoipa::ToSchema;

use super::document::{Answered, Asked, Body, FORM, JSON, MULTIPART, Shape, Value};
use super::{Access, Demand, Route, Surface};

impl Route {
    /// Only the holder of a seller's key may call it (the default of billing and payments).
    #[must_use]
    pub fn key(mut self) -> Self {
        self.access = Some(Access::SellerKey);
        self
    }

    /// Only the operator may call it (the default of the back office).
    #[must_use]
    pub fn operator(mut self) -> Self {
        self.access = Some(Access::Operator);
        self
    }

    /// Anybody may call it.
    #[must_use]
    pub fn open(mut self) -> Self {
        self.access = Some(Access::Open);
        self
    }

    /// It belongs to `surface`, whatever its path begins with.
    #[must_use]
    pub fn on(mut self, surface: Surface) -> Self {
        self.surface = Some(surface);
        self
    }

    /// It demands an `Idempotency-Key` by the rule of its surface.
    #[must_use]
    pub fn idempotent(mut self) -> Self {
        self.demands = Demand::Key;
        self
    }

    /// It demands an `Idempotency-Key` before it asks who is calling (payments 4).
    #[must_use]
    pub fn idempotent_first(mut self) -> Self {
        self.demands = Demand::KeyFirst;
        self
    }

    /// It counts in a daily write quota (billing 8).
    #[must_use]
    pub fn quota(mut self, quota: QuotaKind) -> Self {
        self.quota = Some(quota);
        self
    }

    /// It takes bodies up to `bytes`.
    #[must_use]
    pub fn body_limit(mut self, bytes: usize) -> Self {
        self.body_limit = bytes;
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

    /// One line on what it does.
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

    /// The same route below `prefix`, under the heading `tag`, and on `surface` unless it says
    /// otherwise. Routes are declared once, so their paths may live as long as the program.
    #[must_use]
    pub fn below(mut self, tag: &'static str, surface: Surface, prefix: &str) -> Self {
        self.path = format!("{prefix}{}", self.path).leak();
        self.surface = self.surface.or(Some(surface));
        self.document.tag = tag;
        self
    }

    /// The path parameter `name` is an id: anything but a positive integer below 2^53 is
    /// answered `400` before the handler runs, and an unknown one `404`.
    #[must_use]
    pub fn path_id(mut self, name: &'static str) -> Self {
        self.ids.push(name);
        self.document.asks.push(Asked::path(name, Value::Id, "Id of the object."));
        self
    }

    /// The path parameter `name` is a text of the caller's or a token.
    #[must_use]
    pub fn path_text(mut self, name: &'static str, about: &'static str) -> Self {
        self.document.asks.push(Asked::path(name, Value::Text, about));
        self
    }

    /// A query parameter with any text.
    #[must_use]
    pub fn query_text(self, name: &'static str, about: &'static str) -> Self {
        self.query(name, Value::Text, about)
    }

    /// A query parameter with an id.
    #[must_use]
    pub fn query_id(self, name: &'static str, about: &'static str) -> Self {
        self.query(name, Value::Id, about)
    }

    /// A query parameter with one of `values`.
    #[must_use]
    pub fn query_one_of(
        self,
        name: &'static str,
        values: &'static [&'static str],
        about: &'static str,
    ) -> Self {
        self.query(name, Value::OneOf(values), about)
    }

    /// A query parameter with a date or an RFC 3339 instant.
    #[must_use]
    pub fn query_time(self, name: &'static str, about: &'static str) -> Self {
        self.query(name, Value::Time, about)
    }

    /// It is a list: `limit`, `cursor` and the cursor's `original` name (billing 4).
    #[must_use]
    pub fn paged(self, original: &'static str) -> Self {
        self.query("limit", Value::Limit, "Entries on a page.")
            .query("cursor", Value::Cursor, "Where the page begins; absent or 0 for the first.")
            .query(original, Value::Cursor, "The cursor by its original name.")
    }

    fn query(mut self, name: &'static str, value: Value, about: &'static str) -> Self {
        self.document.asks.push(Asked::query(name, value, about));
        self
    }

    /// It takes a JSON body of type `T`.
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

    /// It answers `status` with a JSON body of type `T`.
    #[must_use]
    pub fn answer<T: ToSchema>(self, status: u16, about: &'static str) -> Self {
        self.answered(status, Answered::json(Shape::of::<T>(), about))
    }

    /// It answers `status` with a body of the media type `kind`, which is not JSON.
    #[must_use]
    pub fn answer_as(self, status: u16, kind: &'static str, about: &'static str) -> Self {
        self.answered(status, Answered::other(kind, about))
    }

    /// It answers `status` without a body.
    #[must_use]
    pub fn answer_empty(self, status: u16, about: &'static str) -> Self {
        self.answered(status, Answered::empty(about))
    }

    /// It refuses with `status` and `{"error": …}` for the reasons in `about`. What the door
    /// itself refuses (keys, limits, sizes, ids, faults) need not be said.
    #[must_use]
    pub fn refuses(self, status: u16, about: &'static str) -> Self {
        self.answered(status, Answered::error(about))
    }

    /// It refuses with `status`: in the media type `kind`, or in JSON, as the caller asks.
    #[must_use]
    pub fn refuses_as(self, status: u16, kind: &'static str, about: &'static str) -> Self {
        self.answer_as(status, kind, about).refuses(status, about)
    }

    fn answered(mut self, status: u16, answer: Answered) -> Self {
        self.document.answers.push((status, answer));
        self
    }
}
