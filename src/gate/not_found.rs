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
    if let Some(page) = page_without_slash(router, parts) {
        return Response::see_other(&page).unstored();
    }
    match page_beside(router, parts.uri.path()) {
        Some(page) => page.refused(&Wants::of(&parts.headers), ApiError::missing()).unstored(),
        None => ApiError::missing().into(),
    }
}

/// The address of the page that a browser would come to if the one it asks for did not end with a
/// slash.
fn page_without_slash(router: &Router<App>, parts: &Parts) -> Option<String> {
    let looks = parts.method == Method::GET || parts.method == Method::HEAD;
    if !looks || prefers_json(parts.headers.get(ACCEPT)) {
        return None;
    }
    let path = parts.uri.path().strip_suffix('/').filter(|path| path.len() > 1)?;
    let Found::Route(place) = router.find(&Method::GET, path) else { return None };
    let query = parts.uri.query().map(|query| format!("?{query}")).unwrap_or_default();
    let page = format!("{path}{query}");
    // What is no text of a header cannot be led to, and is no fault of the server either.
    let can_be_told = page.bytes().all(|byte| byte.is_ascii_graphic());
    (can_be_told && router.route(&place).is_page()).then_some(page)
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
