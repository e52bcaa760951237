//! `/dashboard`: a page to sign in, and a plain one for who has.

use std::sync::Arc;

use hyper::StatusCode;

use super::page::{HomePage, LoginPage, in_words, page};
use crate::app::App;
use crate::gate::authentication::session;
use crate::gate::{Request, Route, Surface};
use crate::http::ApiResult;

async fn show(app: Arc<App>, request: Request) -> ApiResult {
    let Some(holder) = session(&app, &request.headers, request.now)? else {
        return page(StatusCode::OK, &LoginPage { email: "", problem: None });
    };
    let seller = &holder.seller.seller;
    let name = if seller.is_incomplete { "Your account" } else { &seller.name };
    let home = HomePage {
        email: holder.person.email.as_str(),
        role: holder.person.role.name(),
        seller: name,
        mode: seller.mode.name(),
        status: seller.status.name(),
    };
    page(StatusCode::OK, &home)
}

pub fn routes() -> Vec<Route> {
    vec![
        Route::get("/dashboard", show)
            .on(Surface::Page)
            .refuses_with(|_, error| in_words(error))
            .summary("The dashboard")
            .describe("A page to sign in, or what somebody sees who has.")
            .answer_as(200, "text/html", "The page."),
    ]
}
