//! What the server sends by itself: an event, posted to whoever hears its type.

use utoipa::openapi::path::{HttpMethod, Operation, OperationBuilder, PathItem};
use utoipa::openapi::request_body::RequestBodyBuilder;
use utoipa::openapi::schema::{AllOfBuilder, Type};
use utoipa::openapi::{
    ContentBuilder, ObjectBuilder, Paths, PathsBuilder, Required, ResponseBuilder,
};

use super::reference;
use crate::http::State;
use crate::http::route::Route;
use crate::http::route::document::{JSON, Told};

/// `None` where no route tells of anything.
pub(super) fn of<S: State>(routes: &[&Route<S>]) -> Option<Paths> {
    let documents = routes.iter().map(|route| &route.document);
    let told =
        documents.flat_map(|document| document.tells.iter().map(|told| (document.tag, told)));
    let told: Vec<(&str, &Told)> = told.collect();
    let paths = told.iter().fold(PathsBuilder::new(), |paths, (tag, told)| {
        paths.path(told.name, PathItem::new(HttpMethod::Post, operation(tag, told)))
    });
    (!told.is_empty()).then(|| paths.build())
}

fn operation(tag: &str, told: &Told) -> Operation {
    let own = ObjectBuilder::new()
        .property(
            "eventType",
            ObjectBuilder::new().schema_type(Type::String).enum_values(Some([told.name])),
        )
        .required("eventType")
        .property("payload", reference(told.payload))
        .required("payload");
    let event = AllOfBuilder::new().item(reference(told.envelope)).item(own);
    let content = ContentBuilder::new().schema(Some(event)).build();
    let body = RequestBodyBuilder::new().required(Some(Required::True)).content(JSON, content);
    let heard = "It was heard. Any other status is an attempt that failed.";
    OperationBuilder::new()
        .summary(Some(told.name))
        .description(Some(told.about.as_str()))
        .tag(tag)
        .request_body(Some(body.build()))
        .response("200", ResponseBuilder::new().description(heard).build())
        .build()
}
