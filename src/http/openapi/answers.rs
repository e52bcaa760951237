//! Answers of operations: those the route declares, and those that the door gives by itself.

use std::collections::BTreeMap;

use utoipa::openapi::header::HeaderBuilder;
use utoipa::openapi::schema::Type;
use utoipa::openapi::{
    ContentBuilder, ObjectBuilder, Ref, RefOr, Response, ResponseBuilder, Responses,
    ResponsesBuilder, Schema,
};

use super::{JSON, reference};
use crate::http::route::document::{Answered, Content};
use crate::http::route::{Access, Idempotency, Route, Surface};

/// The name of the error's schema.
pub(super) const ERROR: &str = "Error";

const TEXT: &str = "text/plain";

/// `{"error": …}`.
pub(super) fn error_schema() -> RefOr<Schema> {
    let text = ObjectBuilder::new().schema_type(Type::String).description(Some("What is wrong."));
    ObjectBuilder::new().property("error", text).required("error").into()
}

/// Every answer of a route, by status.
pub(super) fn of(route: &Route) -> Responses {
    let mut answers: BTreeMap<u16, Vec<Answered>> = BTreeMap::new();
    for (status, answer) in &route.document.answers {
        answers.entry(*status).or_default().push(answer.clone());
    }
    for (status, answer) in by_the_door(route) {
        answers.entry(status).or_insert_with(|| vec![answer]);
    }
    answers
        .into_iter()
        .fold(ResponsesBuilder::new(), |all, (status, answers)| {
            all.response(status.to_string(), response(route, status, &answers))
        })
        .build()
}

/// What the door refuses before a handler is asked, and what any request can meet.
fn by_the_door(route: &Route) -> Vec<(u16, Answered)> {
    let mut answers = vec![(500, Answered::error("A fault of the server; safe to retry."))];
    if route.surface() == Surface::Operations {
        return answers;
    }
    answers.push((503, Answered::error("Not now; try again after `Retry-After`.")));
    let checked = route.idempotency() != Idempotency::None
        || route.document.body.is_some()
        || !route.document.asks.is_empty();
    if checked {
        answers.push((400, Answered::error("A value of the request is wrong.")));
    }
    if !route.ids.is_empty() {
        answers.push((404, Answered::error("Unknown, or another seller's.")));
    }
    if route.document.body.is_some() {
        answers.push((408, Answered::error("The body did not come in time.")));
        answers.push((413, Answered::error("The body is too large.")));
    }
    if route.access() == Access::SellerKey {
        answers.push((401, Answered::other(TEXT, "Missing or invalid key.")));
        answers.push((403, Answered::other(TEXT, "The seller account is not active.")));
    }
    if route.access() == Access::Operator {
        answers.push((401, Answered::other(TEXT, "Missing or wrong token.")));
        answers.push((404, Answered::error("Unknown, or there is no operator's token.")));
    }
    if route.access() == Access::SellerKey || route.surface() == Surface::Page {
        answers.push((429, Answered::error("Too many requests; see `Retry-After`.")));
    }
    answers
}

/// The response of one status; a route that answers it in several media types names each.
fn response(route: &Route, status: u16, answers: &[Answered]) -> Response {
    let header = |kind: Type, about: &str| {
        let schema = ObjectBuilder::new().schema_type(kind);
        HeaderBuilder::new().schema(Some(schema)).description(Some(about)).build()
    };
    let about = answers.first().map_or("", |answer| answer.about);
    let mut builder = ResponseBuilder::new()
        .description(about)
        .header("X-Request-Id", header(Type::String, "The id of the request."));
    if matches!(status, 429 | 503) {
        let seconds = header(Type::Integer, "Whole seconds to wait.");
        builder = builder.header("Retry-After", seconds);
    }
    if route.idempotency() != Idempotency::None && status == 200 {
        let replayed = header(Type::String, "`true`: this write had been made before.");
        builder = builder.header("Idempotent-Replayed", replayed);
    }
    // The door tells of the account's state in plain text, handlers refuse in JSON.
    let shut = Answered::other(TEXT, "");
    let also = (status == 403 && route.access() == Access::SellerKey).then_some(&shut);
    answers.iter().chain(also).fold(builder, contents).build()
}

fn contents(builder: ResponseBuilder, answer: &Answered) -> ResponseBuilder {
    let content = |schema: RefOr<Schema>| ContentBuilder::new().schema(Some(schema)).build();
    match &answer.content {
        Content::Json(shape) => builder.content(JSON, content(reference(*shape))),
        Content::Error => builder.content(JSON, content(Ref::from_schema_name(ERROR).into())),
        Content::Other(JSON) => builder.content(JSON, ContentBuilder::new().build()),
        Content::Other(kind) => {
            let text = ObjectBuilder::new().schema_type(Type::String);
            builder.content(*kind, content(text.into()))
        }
        Content::Empty => builder,
    }
}
