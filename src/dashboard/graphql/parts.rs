//! What was done in part: the field is what was done, and what was not is told as errors beside it.

use async_graphql::dynamic::ResolverContext;
use async_graphql::{Error, ErrorExtensions};
use hyper::StatusCode;
use serde_json::Value;

use super::call::refused;

/// The schema of a part of an answer.
pub(super) fn part_of(document: &Value, whole: &Value, part: &str) -> Value {
    let named = whole["$ref"].as_str().and_then(|reference| reference.rsplit('/').next());
    let whole = named.map_or(whole, |name| &document["components"]["schemas"][name]);
    whole["properties"][part].clone()
}

/// The part of an answer. Its `failures` and `hasMore` become errors of the field.
pub(super) fn field_of(context: &ResolverContext<'_>, mut whole: Value, part: &str) -> Value {
    for failure in whole["failures"].as_array().into_iter().flatten() {
        add_error(context, failed(failure));
    }
    if whole["hasMore"] == true {
        let more = Error::new("more is due than is done at once: repeat it for the rest");
        add_error(
            context,
            more.extend_with(|_, more| {
                more.set("code", "HAS_MORE");
                more.set("status", 200);
            }),
        );
    }
    whole[part].take()
}

/// A failure with the text, the status and the origin that it has in the answer.
fn failed(failure: &Value) -> Error {
    let status = failure["status"].as_u64().and_then(|status| u16::try_from(status).ok());
    let status = status.and_then(|status| StatusCode::from_u16(status).ok());
    let text = failure["error"].as_str().unwrap_or_default();
    let error = refused(status.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR), text);
    error.extend_with(|_, more| more.set("origin", failure["origin"].as_str().unwrap_or_default()))
}

fn add_error(context: &ResolverContext<'_>, error: Error) {
    context.add_error(context.set_error_path(error.into_server_error(context.item.pos)));
}
