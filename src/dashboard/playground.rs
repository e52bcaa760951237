//! `/dashboard/playground`: a page to try operations out on, with the schema beside it.

use std::sync::Arc;

use askama::Template;
use hyper::StatusCode;

use super::page::{HOME, in_words, page};
use crate::app::App;
use crate::gate::authentication::session;
use crate::gate::{Request, Route, Surface};
use crate::http::{ApiResult, Response};

#[derive(Template)]
#[template(path = "playground.html", config = "src/dashboard/askama.toml")]
struct PlaygroundPage;

async fn show(app: Arc<App>, request: Request) -> ApiResult {
    match session(&app, &request.headers, request.now)? {
        Some(_) => page(StatusCode::OK, &PlaygroundPage),
        None => Ok(Response::see_other(HOME)),
    }
}

pub fn routes() -> Vec<Route> {
    vec![
        Route::get("/dashboard/playground", show)
            .on(Surface::Page)
            .page()
            .refuses_with(|_, error| in_words(error))
            .summary("A page to try GraphQL operations out on")
            .answer_as(200, "text/html", "The page.")
            .answer_empty(303, "There is no session: to the page to sign in."),
    ]
}
