//! `/`: what there is to try, on a server that gives accounts out.

use std::sync::Arc;

use actors::domain::platform::person::PersonRole;
use actors::tables::LOGINS;
use askama::Template;
use hyper::StatusCode;
use hyper::header::SET_COOKIE;
use secrecy::ExposeSecret;

use super::fill::{self, FillStatus};
use super::login::act;
use super::page::{HOME, in_words, page};
use crate::api::billing::sandbox::mint_account;
use crate::app::App;
use crate::gate::authentication::session;
use crate::gate::cookies::SessionCookie;
use crate::gate::policy::FORM_LIMIT;
use crate::gate::{Request, Route, Surface};
use crate::http::{ApiError, ApiResult, Response};

#[derive(Template)]
#[template(path = "start.html", config = "src/dashboard/askama.toml")]
struct StartPage<'a> {
    /// What the lines for a shell begin with.
    address: &'a str,
    /// Of whoever is signed in.
    email: Option<&'a str>,
    /// An account that was made just now.
    made: Option<Made<'a>>,
    /// How filling goes, once it was asked for.
    fill: Option<String>,
    /// Whether whoever is signed in may ask for it.
    fills: bool,
    running: bool,
}

struct Made<'a> {
    email: &'a str,
    password: &'a str,
    api_key: &'a str,
}

async fn show(app: Arc<App>, request: Request) -> ApiResult {
    if !app.settings.demo {
        return Ok(Response::see_other(HOME));
    }
    let holder = session(&app, &request.headers, request.now)?;
    let progress = match &holder {
        Some(holder) => Some(fill::progress(&app, holder.seller.seller.id)?),
        None => None,
    };
    let running = progress.is_some_and(|of| of.status == FillStatus::Running);
    let fill = progress.and_then(|of| match of.status {
        FillStatus::None => None,
        FillStatus::Running => Some(format!("Filling: {} of {} steps.", of.done, of.total)),
        FillStatus::Done => Some("The account is filled.".to_owned()),
        FillStatus::Failed => Some("Filling was broken off. Make another account.".to_owned()),
    });
    let email = holder.as_ref().map(|holder| holder.person.email.as_str());
    let fills = holder.as_ref().is_some_and(|holder| holder.person.role == PersonRole::Owner);
    let shown = StartPage { address: app.public_url(), email, made: None, fill, fills, running };
    page(StatusCode::OK, &shown)
}

/// Makes an account, and signs its owner in.
async fn make(app: Arc<App>, request: Request) -> ApiResult {
    let minted = mint_account(&app, request.peer, request.now).await?;
    let email = &minted.seller.email;
    let login = app.store.get(LOGINS, &email.folded())?.ok_or_else(ApiError::missing)?;
    let opened = app.sellers.open_session(&login, act(&request, email, "login")).await?;
    let made = Made {
        email: email.as_str(),
        password: minted.password.expose_secret(),
        api_key: minted.key.reveal(),
    };
    let shown = StartPage {
        address: app.public_url(),
        email: Some(email.as_str()),
        made: Some(made),
        fill: None,
        fills: true,
        running: false,
    };
    let cookie = SessionCookie::Dashboard.set(&app, &opened.token)?;
    Ok(page(StatusCode::CREATED, &shown)?.header(SET_COOKIE, cookie))
}

/// Where a browser stands that has made an account, and that asks for the address again.
async fn lead_back(_: Arc<App>, _: Request) -> ApiResult {
    Ok(Response::see_other("/"))
}

pub fn routes() -> Vec<Route> {
    vec![
        Route::get("/", show)
            .on(Surface::Page)
            .page()
            .refuses_with(|_, error| in_words(error))
            .summary("The start page")
            .describe("With `--demo`: what there is to try. Elsewhere it leads to the dashboard.")
            .answer_as(200, "text/html", "The page.")
            .answer_empty(303, "No accounts are given out here."),
        Route::get("/start", lead_back)
            .on(Surface::Page)
            .page()
            .refuses_with(|_, error| in_words(error))
            .summary("Back to the start page")
            .answer_empty(303, "Go to `Location`."),
        Route::post("/start", make)
            .page()
            .open()
            .body_limit(FORM_LIMIT)
            .refuses_with(|_, error| in_words(error))
            .summary("Make a sandbox account and sign in to it")
            .answer_as(201, "text/html", "The page, with what is shown once.")
            .refuses_as(429, "text/html", "Too many accounts for this client address.")
            .refuses_as(503, "text/html", "No sandbox accounts are given out here."),
    ]
}
