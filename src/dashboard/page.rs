//! The plain pages, whole without JavaScript and in English, and the shell of the dashboard.

use askama::Template;
use hyper::StatusCode;
use hyper::header::{HeaderValue, REFERRER_POLICY};

use crate::http::{ApiError, ApiResult, Response};

pub(super) const HOME: &str = "/dashboard";

/// A page that sends no referrer at all has its forms come from nowhere: they would be refused.
const SAME_ORIGIN: HeaderValue = HeaderValue::from_static("same-origin");

/// Signing in; what was wrong with the attempt before, if there was one.
#[derive(Template)]
#[template(path = "login.html", config = "src/dashboard/askama.toml")]
pub(super) struct LoginPage<'a> {
    pub(super) email: &'a str,
    pub(super) problem: Option<&'a str>,
    /// The page that was asked for, to be led to.
    pub(super) to: &'a str,
}

/// What the modules of the dashboard fill.
#[derive(Template)]
#[template(path = "shell.html", config = "src/dashboard/askama.toml")]
pub(super) struct ShellPage<'a> {
    /// The folder of the modules.
    pub(super) base: &'a str,
    /// The modules that are needed at once.
    pub(super) first: &'a [&'a str],
}

/// Accepting an invitation.
#[derive(Template)]
#[template(path = "invite.html", config = "src/dashboard/askama.toml")]
pub(super) struct InvitePage<'a> {
    pub(super) action: &'a str,
    pub(super) email: &'a str,
    pub(super) seller: &'a str,
    pub(super) role: &'static str,
    pub(super) name: &'a str,
    pub(super) problem: Option<&'a str>,
}

/// A word in place of a page.
#[derive(Template)]
#[template(path = "notice.html", config = "src/dashboard/askama.toml")]
pub(super) struct NoticePage<'a> {
    pub(super) title: &'a str,
    pub(super) text: &'a str,
}

pub(super) fn page(status: StatusCode, template: &impl Template) -> ApiResult {
    match template.render() {
        Ok(html) => Ok(Response::html(status, html).header(REFERRER_POLICY, SAME_ORIGIN)),
        Err(error) => Err(ApiError::internal(&error)),
    }
}

/// A page in the place of a refusal, with its status and headers.
pub(super) fn refused(error: ApiError, template: &impl Template) -> ApiResult {
    page(error.status(), template).map(|page| error.shown_as(page))
}

/// What a browser is shown that was refused before anybody looked what it asks for.
pub(super) fn in_words(error: ApiError) -> Response {
    let notice = match error.status() {
        StatusCode::NOT_FOUND => NoticePage { title: "Not found", text: "There is no such page." },
        _ => NoticePage { title: "That did not work", text: error.text() },
    };
    match notice.render() {
        Ok(html) => {
            let page = Response::html(error.status(), html);
            error.shown_as(page)
        }
        Err(_) => error.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn after_a_refusal_the_focus_is_where_one_types_again_and_says_why() {
        let told = r#"autofocus aria-describedby="problem""#;
        let login = |problem| {
            let page = LoginPage { email: "ada@example.com", problem, to: HOME };
            page.render().expect("a page")
        };
        let invite = |problem| {
            let page = InvitePage {
                action: "/dashboard/invite/x",
                email: "ada@example.com",
                seller: "Nordlicht",
                role: "viewer",
                name: "Ada",
                problem,
            };
            page.render().expect("a page")
        };
        for page in [login(Some("wrong")), invite(Some("wrong"))] {
            assert!(page.contains(told) && page.contains(r#"id="problem""#), "{page}");
        }
        for page in [login(None), invite(None)] {
            assert!(!page.contains(told), "{page}");
        }
    }
}
