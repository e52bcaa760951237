//! The headings under which operations stand, in the order in which they are read.

use utoipa::openapi::Tag;
use utoipa::openapi::extensions::Extensions;
use utoipa::openapi::tag::TagBuilder;

use super::About;
use crate::http::State;
use crate::http::route::Route;

/// A heading, and what is said about it.
type Part = (&'static str, &'static str);

/// The groups of headings under which some of `routes` stand.
pub(super) fn used<S: State>(
    routes: &[&Route<S>],
    about: &About,
) -> Vec<(&'static str, Vec<Part>)> {
    let is_used = |name: &str| routes.iter().any(|route| route.document.tag == name);
    let groups = about.parts.iter().map(|(group, parts)| {
        let some = parts.iter().copied().filter(|(name, _)| is_used(name));
        (*group, some.collect::<Vec<Part>>())
    });
    groups.filter(|(_, parts)| !parts.is_empty()).collect()
}

pub(super) fn tags(groups: &[(&'static str, Vec<Part>)]) -> Vec<Tag> {
    let all = groups.iter().flat_map(|(_, parts)| parts);
    all.map(|(name, about)| TagBuilder::new().name(*name).description(Some(*about)).build())
        .collect()
}

/// The groups, in the form that viewers of the document read.
pub(super) fn shown_together(groups: &[(&'static str, Vec<Part>)]) -> Extensions {
    let groups = groups.iter().map(|(group, parts)| {
        let names: Vec<&str> = parts.iter().map(|(name, _)| *name).collect();
        serde_json::json!({"name": group, "tags": names})
    });
    Extensions::from_iter([("x-tagGroups", groups.collect::<Vec<_>>())])
}
