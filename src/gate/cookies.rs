//! The cookies of sessions.

use actors::domain::platform::person::{SESSION_SECONDS, SessionToken};
use hyper::HeaderMap;
use hyper::header::{COOKIE, HeaderValue};

use crate::app::App;
use crate::http::ApiError;

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
}
