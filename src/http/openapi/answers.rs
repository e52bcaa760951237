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
    let mut answers: BTreeMap<u16, Answered> = by_the_door(route).into_iter().collect();
    for (status, answer) in &route.document.answers {
        answers.insert(*status, answer.clone());
    }
    answers
        .into_iter()
        .fold(ResponsesBuilder::new(), |all, (status, answer)| {
            all.response(status.to_string(), response(status, &answer))
        })
        .build()
}

/// What the door refuses before a handler is asked, and what any request can meet.
fn by_the_door(route: &Route) -> Vec<(u16, Answered)> {
    let mut answers = vec![(500, Answered::error("A fault of the server; safe to retry."))];
    if route.surface == Surface::Operations {
        return answers;
    }
    answers.push((503, Answered::error("Not now; try again after `Retry-After`.")));
    let checked = route.idempotency != Idempotency::None
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
    if route.access == Access::SellerKey {
        answers.push((401, Answered::other(TEXT, "Missing or invalid key.")));
        answers.push((403, Answered::other(TEXT, "The seller account is not active.")));
    }
    if route.access == Access::Operator {
        answers.push((401, Answered::other(TEXT, "Missing or wrong token.")));
        answers.push((404, Answered::error("Unknown, or there is no operator's token.")));
    }
    if route.access == Access::SellerKey || route.surface == Surface::Page {
        answers.push((429, Answered::error("Too many requests; see `Retry-After`.")));
    }
    answers
}

fn response(status: u16, answer: &Answered) -> Response {
    let text = || HeaderBuilder::new().schema(Some(ObjectBuilder::new().schema_type(Type::String)));
    let mut builder = ResponseBuilder::new()
        .description(answer.about)
        .header("X-Request-Id", text().description(Some("The id of the request.")).build());
    if matches!(status, 429 | 503) {
        let seconds = HeaderBuilder::new()
            .schema(Some(ObjectBuilder::new().schema_type(Type::Integer)))
            .description(Some("Whole seconds to wait."));
        builder = builder.header("Retry-After", seconds.build());
    }
    let error = || RefOr::<Schema>::Ref(Ref::from_schema_name(ERROR));
    let content = |schema: RefOr<Schema>| ContentBuilder::new().schema(Some(schema)).build();
    let plain = || RefOr::from(ObjectBuilder::new().schema_type(Type::String));
    match &answer.content {
        Content::Json(shape) => builder.content(JSON, content(reference(*shape))),
        Content::Error => builder.content(JSON, content(error())),
        // The account's state is told in plain text, a live account's limits in JSON.
        Content::Other(TEXT) if status == 403 => {
            builder.content(TEXT, content(plain())).content(JSON, content(error()))
        }
        Content::Other(JSON) => builder.content(JSON, ContentBuilder::new().build()),
        Content::Other(kind) => builder.content(*kind, content(plain())),
        Content::Empty => builder,
    }
    .build()
}
