//! `/dashboard` and the addresses of its pages: the page to sign in, or for who has the shell that
//! the modules of the dashboard fill.

use std::sync::Arc;

use hyper::StatusCode;

use super::modules;
use super::page::{HOME, LoginPage, NoticePage, ShellPage, in_words, page, refused};
use crate::app::App;
use crate::gate::authentication::session;
use crate::gate::{Request, Route, Surface};
use crate::http::{ApiError, ApiResult, Response};

async fn show(app: Arc<App>, request: Request) -> ApiResult {
    if session(&app, &request.headers, request.now)?.is_none() {
        let to = request.uri.path_and_query().map_or(HOME, |asked| asked.as_str());
        return page(StatusCode::OK, &LoginPage { email: "", problem: None, to });
    }
    page(StatusCode::OK, &ShellPage { base: &modules::base(), first: modules::first() })
}

/// As people write it who have come here by hand.
async fn lead_home(_: Arc<App>, _: Request) -> ApiResult {
    Ok(Response::see_other(HOME))
}

/// A page of the dashboard that somebody has kept the address of.
async fn show_page(app: Arc<App>, request: Request) -> ApiResult {
    match modules::is_page(&request.text_param("page")?) {
        true => show(app, request).await,
        false => {
            let text = "There is no such page.";
            refused(ApiError::missing(), &NoticePage { title: "Not found", text })
        }
    }
}

pub fn routes() -> Vec<Route> {
    let shown = |route: Route| {
        route
            .on(Surface::Page)
            .page()
            .refuses_with(|_, error| in_words(error))
            .describe("A page to sign in, or the dashboard for who has.")
            .answer_as(200, "text/html", "The page.")
    };
    let deep = |route: Route| {
        shown(route).path_text("page", "Name of the page.").answer_as(
            404,
            "text/html",
            "No such page.",
        )
    };
    vec![
        shown(Route::get("/dashboard", show).summary("The dashboard")),
        Route::get("/dashboard/", lead_home)
            .on(Surface::Page)
            .page()
            .named("leadToDashboard")
            .summary("To the dashboard")
            .answer_empty(303, "Go to `Location`."),
        deep(Route::get("/dashboard/{page}", show_page).summary("A page of the dashboard")),
        deep(
            Route::get("/dashboard/{page}/{object}", show_page)
                .summary("A page of the dashboard on one object")
                .path_text("object", "Id of the object."),
        ),
    ]
}
