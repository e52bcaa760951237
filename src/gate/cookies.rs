//! The cookies of sessions, and whether a browser's request comes from a page of this server:
//! cookies come with whatever a browser sends, so that what they open asks.

use actors::domain::platform::person::{SESSION_SECONDS, SessionToken};
use hyper::header::{COOKIE, HOST, HeaderName, HeaderValue, ORIGIN};
use hyper::{HeaderMap, StatusCode, Uri};

use crate::app::App;
use crate::http::ApiError;

const FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionCookie {
    /// Of a person who signed in to a seller's dashboard.
    Dashboard,
    /// Of the operator.
    Backoffice,
}

impl SessionCookie {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Dashboard => "dashboard_session",
            Self::Backoffice => "backoffice_session",
        }
    }

    /// The token that a browser presents, if it has the form of one.
    pub fn presented(self, headers: &HeaderMap) -> Option<SessionToken> {
        let all = headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
        let mut pairs = all.flat_map(|text| text.split(';')).filter_map(|one| one.split_once('='));
        let (_, token) = pairs.find(|(name, _)| name.trim() == self.name())?;
        SessionToken::parse(token.trim())
    }

    /// Has a browser keep a token for as long as the session lasts.
    pub fn set(self, app: &App, token: &SessionToken) -> Result<HeaderValue, ApiError> {
        self.header(app, token.reveal(), SESSION_SECONDS)
    }

    /// Has a browser forget it.
    pub fn clear(self, app: &App) -> Result<HeaderValue, ApiError> {
        self.header(app, "", 0)
    }

    /// Browsers send it to this origin alone, with nothing that another site's page causes but a
    /// plain link; scripts never see it.
    fn header(self, app: &App, value: &str, seconds: i64) -> Result<HeaderValue, ApiError> {
        let secure = if app.settings.demo { "" } else { "; Secure" };
        let name = self.name();
        let text =
            format!("{name}={value}; Path=/; HttpOnly; SameSite=Lax; Max-Age={seconds}{secure}");
        let mut header =
            HeaderValue::from_str(&text).map_err(|error| ApiError::internal(&error))?;
        header.set_sensitive(true);
        Ok(header)
    }
}

/// Refuses what a page of another origin causes. Programs, which send neither header, pass.
pub(super) fn check_origin(
    headers: &HeaderMap,
    target: &Uri,
    public_url: &str,
) -> Result<(), ApiError> {
    let site = headers.get(FETCH_SITE).map(|value| value.as_bytes());
    let foreign_site = site.is_some_and(|site| site != b"same-origin" && site != b"none");
    if foreign_site || !is_own(headers, target, public_url) {
        let text = "requests of other origins are not taken";
        return Err(ApiError::new(StatusCode::FORBIDDEN, text));
    }
    Ok(())
}

/// Without an origin it is nobody's page. The host that a browser named is its own word for this
/// server; behind a proxy that names another one, the public address counts.
fn is_own(headers: &HeaderMap, target: &Uri, public_url: &str) -> bool {
    let mut origins = headers.get_all(ORIGIN).iter();
    let Some(origin) = origins.next() else { return true };
    let Some(origin) = origin.to_str().ok().filter(|_| origins.next().is_none()) else {
        return false;
    };
    if origin.eq_ignore_ascii_case(public_url) {
        return true;
    }
    let named = headers.get(HOST).and_then(|host| host.to_str().ok());
    let host = named.or_else(|| target.authority().map(hyper::http::uri::Authority::as_str));
    let of_origin = origin.split_once("://").map(|(_, host)| host);
    matches!((of_origin, host), (Some(one), Some(other)) if one.eq_ignore_ascii_case(other))
}

#[cfg(test)]
mod tests {
    use actors::domain::ids::SellerId;

    use super::*;

    #[test]
    fn a_token_is_found_among_other_cookies() {
        let token = SessionToken::from_random(SellerId(7), &[1; 32]);
        let text = token.reveal();
        let found = |cookies: &[String]| {
            let mut headers = HeaderMap::new();
            for cookie in cookies {
                headers.append(COOKIE, cookie.parse().expect("a header"));
            }
            SessionCookie::Dashboard.presented(&headers).map(|token| token.hash())
        };
        assert_eq!(found(&[format!("dashboard_session={text}")]), Some(token.hash()));
        assert_eq!(found(&[format!("a=b; dashboard_session={text} ;c=d")]), Some(token.hash()));
        let two = ["a=b".to_owned(), format!("dashboard_session={text}")];
        assert_eq!(found(&two), Some(token.hash()));
        for none in ["", "dashboard_session=", "dashboard_session=nothing"] {
            assert_eq!(found(&[none.to_owned()]), None, "{none}");
        }
        assert_eq!(found(&[format!("backoffice_session={text}")]), None);
    }

    #[test]
    fn only_pages_of_this_server_and_programs_pass() {
        let public = "https://billing.example.com";
        let passes = |sent: &[(&'static str, &str)]| {
            let mut headers = HeaderMap::new();
            headers.insert(HOST, "127.0.0.1:8080".parse().expect("a host"));
            for (name, value) in sent {
                headers.append(*name, value.parse().expect("a value"));
            }
            check_origin(&headers, &Uri::from_static("/dashboard/graphql"), public).is_ok()
        };
        assert!(passes(&[]));
        assert!(passes(&[("origin", public)]));
        assert!(passes(&[("origin", "http://127.0.0.1:8080"), ("sec-fetch-site", "same-origin")]));
        assert!(passes(&[("sec-fetch-site", "none")]));
        for origin in [
            "null",
            "https://evil.example",
            "http://127.0.0.1:80",
            "https://billing.example.com.evil.example",
        ] {
            assert!(!passes(&[("origin", origin)]), "{origin}");
        }
        for site in ["cross-site", "same-site", ""] {
            assert!(!passes(&[("sec-fetch-site", site)]), "{site}");
            assert!(!passes(&[("origin", public), ("sec-fetch-site", site)]), "{site}");
        }
        assert!(!passes(&[("origin", public), ("origin", "https://evil.example")]));
    }
}
