//! Answers of operations: those that the route declares, and those that stand by default.

use std::collections::BTreeMap;

use utoipa::openapi::header::{Header, HeaderBuilder};
use utoipa::openapi::schema::{KnownFormat, SchemaFormat, Type};
use utoipa::openapi::{
    ContentBuilder, ObjectBuilder, Ref, RefOr, Response, ResponseBuilder, Responses,
    ResponsesBuilder, Schema,
};

use super::reference;
use crate::http::route::document::{Answered, Content, Document, JSON};

pub(super) const ERROR: &str = "Error";

/// `{"error": …}`.
pub(super) fn error_schema() -> RefOr<Schema> {
    let text = ObjectBuilder::new().schema_type(Type::String).description(Some("What is wrong."));
    ObjectBuilder::new().property("error", text).required("error").into()
}

pub(super) fn of(document: &Document) -> Responses {
    let mut answers: BTreeMap<u16, Vec<&Answered>> = BTreeMap::new();
    for (status, answer) in &document.answers {
        answers.entry(*status).or_default().push(answer);
    }
    let declared: Vec<u16> = answers.keys().copied().collect();
    for (status, answer) in &document.defaults {
        if !declared.contains(status) {
            answers.entry(*status).or_default().push(answer);
        }
    }
    answers
        .into_iter()
        .fold(ResponsesBuilder::new(), |all, (status, answers)| {
            all.response(status.to_string(), response(document, status, &answers))
        })
        .build()
}

pub(super) fn header(kind: Type, about: &str) -> Header {
    let schema = ObjectBuilder::new().schema_type(kind);
    HeaderBuilder::new().schema(Some(schema)).description(Some(about)).build()
}

/// A route that answers `status` in several media types names each.
fn response(document: &Document, status: u16, answers: &[&Answered]) -> Response {
    let about = answers.first().map_or("", |answer| answer.about);
    let mut builder = ResponseBuilder::new()
        .description(about)
        .header("X-Request-Id", header(Type::String, "The id of the request."));
    if matches!(status, 429 | 503) {
        let seconds = header(Type::Integer, "Whole seconds to wait.");
        builder = builder.header("Retry-After", seconds);
    }
    if status == 303 {
        builder = builder.header("Location", header(Type::String, "Where it goes on."));
    }
    if matches!(status, 200..=299 | 429) {
        for (name, _) in document.shared_headers {
            let place = Ref::new(format!("#/components/headers/{name}"));
            builder = builder.header_ref(*name, place);
        }
    }
    for (of, name, about) in &document.headers {
        if *of == status {
            builder = builder.header(*name, header(Type::String, about));
        }
    }
    answers.iter().copied().fold(builder, contents).build()
}

fn contents(builder: ResponseBuilder, answer: &Answered) -> ResponseBuilder {
    let content = |schema: RefOr<Schema>| ContentBuilder::new().schema(Some(schema)).build();
    match &answer.content {
        Content::Json(shape) => builder.content(JSON, content(reference(*shape))),
        Content::Error => builder.content(JSON, content(Ref::from_schema_name(ERROR).into())),
        Content::Other(JSON) => builder.content(JSON, ContentBuilder::new().build()),
        Content::Other(kind) => {
            let bytes = matches!(*kind, "*/*" | "application/pdf");
            let binary = SchemaFormat::KnownFormat(KnownFormat::Binary);
            let body = ObjectBuilder::new().schema_type(Type::String);
            builder.content(*kind, content(body.format(bytes.then_some(binary)).into()))
        }
        Content::Empty => builder,
    }
}
