//! The answer where no route is: whoever has come for a page is led on, or told so in words.

use hyper::Method;
use hyper::header::ACCEPT;
use hyper::http::request::Parts;

use super::Route;
use super::policy::{Wants, prefers_json};
use crate::app::App;
use crate::http::router::Found;
use crate::http::{ApiError, Response, Router};

/// A slash at the end of a page's address is taken off; another address that begins as those of
/// pages do is refused as they refuse.
pub(super) fn answer(router: &Router<App>, parts: &Parts) -> Response {
    let (path, accept) = (parts.uri.path(), parts.headers.get(ACCEPT));
    let looks = parts.method == Method::GET || parts.method == Method::HEAD;
    if looks
        && !prefers_json(accept)
        && let Some(page) = page_without_slash(router, path)
    {
        let query = parts.uri.query().map(|query| format!("?{query}")).unwrap_or_default();
        return Response::see_other(&format!("{page}{query}")).unstored();
    }
    match page_beside(router, path) {
        Some(page) => page.refused(&Wants::of(&parts.headers), ApiError::missing()).unstored(),
        None => ApiError::missing().into(),
    }
}

/// The address of the page that `path` would lead to if it did not end with a slash.
fn page_without_slash<'p>(router: &Router<App>, path: &'p str) -> Option<&'p str> {
    let shorter = path.strip_suffix('/').filter(|shorter| shorter.len() > 1)?;
    match router.find(&Method::GET, shorter) {
        Found::Route(place) => router.route(&place).is_page().then_some(shorter),
        Found::WrongMethod(..) | Found::Nothing => None,
    }
}

/// A page whose address begins with the same segment.
fn page_beside<'r>(router: &'r Router<App>, path: &str) -> Option<&'r Route> {
    let segment = first_segment(path)?;
    router.routes().iter().find(|route| {
        let of_people = route.is_page() && route.refuses_in_words();
        of_people && first_segment(route.path()) == Some(segment)
    })
}

fn first_segment(path: &str) -> Option<&str> {
    path.split('/').nth(1).filter(|segment| !segment.is_empty())
}
