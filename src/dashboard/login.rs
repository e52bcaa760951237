//! Signing in and out.

use std::sync::Arc;

use actors::domain::email::Email;
use actors::domain::platform::audit::{Act, Actor};
use actors::domain::platform::person::{Login, Password};
use actors::domain::time::Timestamp;
use actors::passwords::Crowded;
use actors::seller::Opened;
use actors::tables::LOGINS;
use hyper::StatusCode;
use hyper::header::SET_COOKIE;
use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::credentials::{Credentials, form, is_form};
use super::page::{self, HOME, LoginPage};
use crate::app::App;
use crate::gate::authentication::check_operator_token;
use crate::gate::cookies::SessionCookie;
use crate::gate::policy::FORM_LIMIT;
use crate::gate::{Request, Route};
use crate::http::{ApiError, ApiResult, Response};

/// A session that has begun; its token is in the cookie.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionView {
    seller_account_id: u64,
    /// 24 hours after the login, however the session is used.
    expires_at: Timestamp,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OperatorSessionView {
    expires_at: Timestamp,
}

#[derive(Deserialize, ToSchema)]
pub struct OperatorBody {
    /// The operator's token.
    #[schema(value_type = String)]
    token: SecretString,
}

impl SessionView {
    /// `status` with the session in its cookie.
    pub(super) fn answer(app: &App, status: StatusCode, opened: &Opened) -> ApiResult {
        let seller_account_id = opened.token.seller.0;
        let view = Self { seller_account_id, expires_at: opened.expires_at };
        let cookie = SessionCookie::Dashboard.set(app, &opened.token)?;
        Ok(Response::json(status, &view).header(SET_COOKIE, cookie).unstored())
    }
}

/// The way on to the dashboard, with the session in its cookie.
pub(super) fn lead_on(app: &App, opened: &Opened) -> ApiResult {
    lead_to(app, opened, HOME)
}

fn lead_to(app: &App, opened: &Opened, page: &str) -> ApiResult {
    let cookie = SessionCookie::Dashboard.set(app, &opened.token)?;
    Ok(Response::see_other(page).header(SET_COOKIE, cookie).unstored())
}

/// The page of the dashboard that was asked for before signing in; nobody is led elsewhere.
fn asked_for(path: &str) -> &str {
    let inside = path.strip_prefix(HOME).is_some_and(|rest| rest.starts_with(['/', '?']));
    if inside && path.bytes().all(|byte| byte.is_ascii_graphic()) { path } else { HOME }
}

/// What the audit log says of somebody who does `action` by this request.
pub(super) fn act(request: &Request, email: &Email, action: &str) -> Act {
    Act {
        actor: Actor::Person(email.clone()),
        action: action.to_owned(),
        object: None,
        address: Some(request.peer.to_string()),
        changes: None,
    }
}

async fn login(app: Arc<App>, request: Request) -> ApiResult {
    let credentials = Credentials::of(&request)?;
    let to = match is_form(&request) {
        true => asked_for(form(&request)?.text("to")).to_owned(),
        false => String::new(),
    };
    match sign_in(&app, &request, &credentials).await {
        Ok(opened) if is_form(&request) => lead_to(&app, &opened, &to),
        Ok(opened) => SessionView::answer(&app, StatusCode::OK, &opened),
        Err(error) if is_form(&request) => {
            let (email, text) = (&credentials.email, error.text().to_owned());
            page::refused(error, &LoginPage { email, problem: Some(&text), to: &to })
        }
        Err(error) => Err(error),
    }
}

async fn sign_in(app: &App, request: &Request, sent: &Credentials) -> Result<Opened, ApiError> {
    // What is no address is nobody's; it counts as such.
    let email = Email::parse(&sent.email).map(|email| email.folded()).unwrap_or_default();
    let (client, begun) = (request.peer, request.now);
    app.limiter.begin_login(&email, client, begun).map_err(|refused| {
        let seconds = u32::try_from(refused.retry_after_seconds).unwrap_or(u32::MAX);
        let text = format!("too many attempts, try again after {seconds} seconds (Retry-After)");
        ApiError::new(StatusCode::TOO_MANY_REQUESTS, text).retry_after(seconds)
    })?;
    let found = {
        let email = email.clone();
        app.blocking(move |store| store.get(LOGINS, &email)).await?
    };
    let found = opened_with(app, found, sent.password.expose_secret()).await?;
    let Some(login) = found.filter(|login| is_open(app, login, begun)) else {
        let text = "invalid email or password";
        return Err(ApiError::new(StatusCode::UNAUTHORIZED, text));
    };
    app.limiter.login_succeeded(&email, client, begun);
    Ok(app.sellers.open_session(&login, act(request, &login.email, "login")).await?)
}

/// The login whose password it is. That takes as long for nobody as for somebody.
async fn opened_with(
    app: &App,
    found: Option<Login>,
    password: &str,
) -> Result<Option<Login>, ApiError> {
    let presented = Password::presented(password);
    // Nobody has a password that is too long.
    let known = found.as_ref().filter(|_| presented.is_some()).map(|login| login.password.clone());
    let presented = presented.unwrap_or_else(Password::nobodys);
    let opens = app.passwords.opens(known, presented).await.map_err(|Crowded| ApiError::busy())?;
    Ok(found.filter(|_| opens))
}

/// A sandbox account that has come to its end lets nobody in, as its key does not.
fn is_open(app: &App, login: &Login, now: Timestamp) -> bool {
    let seller = app.directory.seller(login.seller).ok().flatten();
    seller.is_some_and(|seller| seller.seller.expires_at.is_none_or(|end| now < end))
}

/// Ends the sessions that the browser presents, and has it forget them.
async fn logout(app: Arc<App>, request: Request) -> ApiResult {
    let mut answer = match is_form(&request) {
        true => Response::see_other(HOME),
        false => Response::empty(StatusCode::NO_CONTENT),
    };
    for cookie in [SessionCookie::Dashboard, SessionCookie::Backoffice] {
        if let Some(token) = cookie.presented(&request.headers) {
            app.sellers.close_session(&token).await?;
        }
        answer = answer.also(SET_COOKIE, cookie.clear(&app)?);
    }
    Ok(answer.unstored())
}

async fn operator(app: Arc<App>, request: Request) -> ApiResult {
    let token = app.settings.operator_token.as_ref().ok_or_else(ApiError::missing)?;
    let OperatorBody { token: sent } = request.json()?;
    check_operator_token(&app, token, sent.expose_secret(), request.peer, request.now)?;
    let act = Act {
        actor: Actor::Operator,
        action: "login".to_owned(),
        object: None,
        address: Some(request.peer.to_string()),
        changes: None,
    };
    let opened = app.sellers.open_operator_session(token, act).await?;
    let cookie = SessionCookie::Backoffice.set(&app, &opened.token)?;
    let view = OperatorSessionView { expires_at: opened.expires_at };
    Ok(Response::ok(&view).header(SET_COOKIE, cookie).unstored())
}

pub fn routes() -> Vec<Route> {
    vec![
        Route::post("/api/v1/login/dashboard", login)
            .open()
            .body_limit(FORM_LIMIT)
            .summary("Sign in to the dashboard")
            .describe(
                "Begins a session of 24 hours in the cookie `dashboard_session` (HttpOnly, \
                 SameSite=Lax, Secure unless the server runs with `--demo`). Takes JSON or a form; \
                 a form is led on with `303`. Ten failed attempts for an e-mail and address in 15 \
                 minutes, or for an address in a minute, are let through; then a right password \
                 waits too.",
            )
            .form::<Credentials>()
            .answer::<SessionView>(200, "The session has begun.")
            .answer_empty(303, "The same, of a form.")
            .refuses_as(400, "text/html", "A field is missing or malformed.")
            .refuses_as(
                401,
                "text/html",
                "`invalid email or password`, also for an unknown e-mail.",
            )
            .refuses_as(429, "text/html", "Too many attempts; see `Retry-After`.")
            .refuses_as(503, "text/html", "Not now; try again after `Retry-After`."),
        Route::post("/api/v1/login/backoffice", operator)
            .open()
            .body_limit(FORM_LIMIT)
            .summary("Begin a session of the operator")
            .describe(
                "The cookie `backoffice_session` opens `/backoffice/v1` to pages of this server \
                 for 24 hours, or until the server runs with another token.",
            )
            .body::<OperatorBody>()
            .answer::<OperatorSessionView>(200, "The session has begun.")
            .answer_as(401, "text/plain", "The token is wrong.")
            .refuses(404, "There is no operator's token."),
        Route::post("/api/v1/logout", logout)
            .open()
            .from_any_origin()
            .body_limit(FORM_LIMIT)
            .summary("Sign out")
            .describe("Ends the session, if there is one, and has the browser forget its cookies.")
            .answer_empty(204, "There is no session any more.")
            .answer_empty(303, "The same, of a form."),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_signs_in_is_led_to_the_page_that_was_asked_for_and_nowhere_else() {
        for path in ["/dashboard/invoices/7?tab=settlement", "/dashboard?months=6"] {
            assert_eq!(asked_for(path), path);
        }
        for path in ["", "/", "//evil.example", "/dashboards", "https://evil.example/dashboard/"] {
            assert_eq!(asked_for(path), HOME, "{path}");
        }
        assert_eq!(asked_for("/dashboard/a\r\nSet-Cookie: b"), HOME);
    }
}
