//! Where deliveries may go.

use std::fmt;
use std::net::{IpAddr, Ipv6Addr};

use http::Uri;
use minicbor::{Decode, Encode};

/// The longest URL, in characters.
pub const MAX_URL_CHARS: usize = 2_048;

/// An absolute URL that deliveries may go to: `https`, or `http` for demo accounts, without user
/// info, kept as it was sent.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Encode, Decode)]
#[cbor(transparent)]
pub struct WebhookUrl(#[n(0)] String);

/// What is wrong with a URL; each text follows the name of the field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UrlRefusal {
    #[error("must have at most {MAX_URL_CHARS} characters")]
    TooLong,
    #[error("must be an absolute URL")]
    NotAbsolute,
    #[error("must be written in ASCII: its host as xn--, other letters with percent signs")]
    NotAscii,
    #[error("must use https")]
    NotHttps,
    #[error("must not have user info")]
    UserInfo,
    #[error("has a host that is no valid address")]
    BadAddress,
    #[error("has a port that is not valid")]
    BadPort,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UrlParts {
    pub https: bool,
    pub host: String,
    /// The port, stated or the scheme's own.
    pub port: u16,
    /// Host and port as they were written: the value of the `Host` header.
    pub authority: String,
    /// What is asked of the host, beginning with a slash.
    pub path_and_query: String,
}

impl WebhookUrl {
    /// Parses a URL; `demo` also takes `http`.
    pub fn parse(text: &str, demo: bool) -> Result<Self, UrlRefusal> {
        if text.chars().count() > MAX_URL_CHARS {
            return Err(UrlRefusal::TooLong);
        }
        if !text.is_ascii() {
            return Err(UrlRefusal::NotAscii);
        }
        let uri: Uri = text.parse().map_err(|_| UrlRefusal::NotAbsolute)?;
        let authority = uri.authority().ok_or(UrlRefusal::NotAbsolute)?;
        match uri.scheme_str() {
            Some("https") => {}
            Some("http") if demo => {}
            Some(_) => return Err(UrlRefusal::NotHttps),
            None => return Err(UrlRefusal::NotAbsolute),
        }
        if authority.as_str().contains('@') {
            return Err(UrlRefusal::UserInfo);
        }
        if authority.host().is_empty() {
            return Err(UrlRefusal::NotAbsolute);
        }
        let written = &authority.as_str()[authority.host().len()..];
        if !written.is_empty() && authority.port_u16().is_none_or(|port| port == 0) {
            return Err(UrlRefusal::BadPort);
        }
        if looks_like_address(authority.host()) && literal(authority.host()).is_none() {
            return Err(UrlRefusal::BadAddress);
        }
        Ok(Self(text.to_owned()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The form in which URLs are compared: scheme and host in lower case, without a default port
    /// and without a fragment.
    pub fn normal(&self) -> String {
        let UrlParts { https, host, port, path_and_query, .. } = self.parts();
        let scheme = if https { "https" } else { "http" };
        format!("{scheme}://{}:{port}{path_and_query}", host.to_ascii_lowercase())
    }

    pub fn address(&self) -> Option<IpAddr> {
        literal(self.uri().host()?)
    }

    pub fn parts(&self) -> UrlParts {
        let uri = self.uri();
        let https = uri.scheme_str() == Some("https");
        let host = uri.host().unwrap_or_default();
        let asked = uri.path_and_query().map_or("/", |asked| asked.as_str());
        UrlParts {
            https,
            host: host.trim_start_matches('[').trim_end_matches(']').to_owned(),
            port: uri.port_u16().unwrap_or(if https { 443 } else { 80 }),
            authority: uri.authority().map(ToString::to_string).unwrap_or_default(),
            path_and_query: if asked.starts_with('/') {
                asked.to_owned()
            } else {
                format!("/{asked}")
            },
        }
    }

    fn uri(&self) -> Uri {
        // Only `parse` makes these, and a stored one was parsed before it was stored.
        self.0.parse().unwrap_or_default()
    }
}

/// The address a host stands for by itself, IPv6 ones in brackets.
fn literal(host: &str) -> Option<IpAddr> {
    match host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        Some(inner) => inner.parse::<Ipv6Addr>().ok().map(IpAddr::from),
        None => host.strip_suffix('.').unwrap_or(host).parse().ok().map(IpAddr::V4),
    }
}

/// Whether a resolver may read the host as an address: old ones take `127.1`, `0x7f000001` and
/// `2130706433` for one.
fn looks_like_address(host: &str) -> bool {
    if host.starts_with('[') {
        return true;
    }
    let host = host.strip_suffix('.').unwrap_or(host);
    let last = host.rsplit('.').next().unwrap_or_default();
    let hexadecimal = last.strip_prefix("0x").or_else(|| last.strip_prefix("0X"));
    let digits = hexadecimal.unwrap_or(last);
    match hexadecimal {
        Some(_) => digits.bytes().all(|byte| byte.is_ascii_hexdigit()),
        None => !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()),
    }
}

impl fmt::Display for WebhookUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_are_absolute_https_without_user_info() {
        let long = format!("https://example.com/{}", "a".repeat(MAX_URL_CHARS));
        let table = [
            ("https://example.com/hook", false, Ok(())),
            ("https://example.com", false, Ok(())),
            ("https://example.com:8443/a?b=c", false, Ok(())),
            ("https://[2606:4700::1111]:8443/a", false, Ok(())),
            ("http://example.com/hook", true, Ok(())),
            ("http://127.0.0.1:9000/hook", true, Ok(())),
            ("http://example.com/hook", false, Err(UrlRefusal::NotHttps)),
            ("ftp://example.com/hook", true, Err(UrlRefusal::NotHttps)),
            ("/hook", true, Err(UrlRefusal::NotAbsolute)),
            ("example.com/hook", true, Err(UrlRefusal::NotAbsolute)),
            ("", true, Err(UrlRefusal::NotAbsolute)),
            ("https://", true, Err(UrlRefusal::NotAbsolute)),
            ("https://xn--bcher-kva.example/hook", false, Ok(())),
            ("https://bücher.example/hook", false, Err(UrlRefusal::NotAscii)),
            ("https://example.com/bücher", false, Err(UrlRefusal::NotAscii)),
            ("https://exa mple.com/", true, Err(UrlRefusal::NotAbsolute)),
            ("https://user@example.com/", true, Err(UrlRefusal::UserInfo)),
            ("https://user:word@example.com/", true, Err(UrlRefusal::UserInfo)),
            ("https://example.com:0/", true, Err(UrlRefusal::BadPort)),
            ("https://example.com:70000/", true, Err(UrlRefusal::BadPort)),
            ("https://127.1/", true, Err(UrlRefusal::BadAddress)),
            ("https://2130706433/", true, Err(UrlRefusal::BadAddress)),
            ("https://0x7f000001/", true, Err(UrlRefusal::BadAddress)),
            ("https://0x7f.0x1/", true, Err(UrlRefusal::BadAddress)),
            ("https://0177.0.0.01/", true, Err(UrlRefusal::BadAddress)),
            (&long, true, Err(UrlRefusal::TooLong)),
        ];
        for (text, demo, expected) in table {
            assert_eq!(WebhookUrl::parse(text, demo).map(|_| ()), expected, "{text}");
        }
    }

    #[test]
    fn urls_that_lead_to_the_same_place_have_one_normal_form() {
        let normal = |text: &str| WebhookUrl::parse(text, true).unwrap().normal();
        for (one, other) in [
            ("https://Example.COM/Hook", "https://example.com/Hook"),
            ("HTTPS://example.com/hook", "https://example.com/hook"),
            ("https://example.com:443/hook", "https://example.com/hook"),
            ("http://example.com:80", "http://example.com/"),
            ("https://example.com/hook?a=b#part", "https://example.com/hook?a=b"),
            ("https://example.com?a=b", "https://example.com/?a=b"),
            ("https://[2606:4700::ABCD]/", "https://[2606:4700::abcd]:443/"),
        ] {
            assert_eq!(normal(one), normal(other), "{one}");
        }
        for (one, other) in [
            ("https://example.com/Hook", "https://example.com/hook"),
            ("https://example.com:80/", "https://example.com/"),
            ("http://example.com/", "https://example.com/"),
            ("https://example.com/a/", "https://example.com/a"),
        ] {
            assert_ne!(normal(one), normal(other), "{one}");
        }
    }

    #[test]
    fn a_host_that_is_an_address_is_known_as_one() {
        let address = |text: &str| WebhookUrl::parse(text, true).unwrap().address();
        assert_eq!(address("http://127.0.0.1:80/"), Some("127.0.0.1".parse().unwrap()));
        assert_eq!(address("http://127.0.0.1./"), Some("127.0.0.1".parse().unwrap()));
        assert_eq!(address("http://[::1]/"), Some("::1".parse().unwrap()));
        assert_eq!(address("http://localhost/"), None);
        assert_eq!(address("http://abc.0xyz/"), None);
    }

    #[test]
    fn the_parts_are_what_a_connection_needs() {
        let parts = WebhookUrl::parse("https://[::1]?x=1", true).unwrap().parts();
        assert_eq!((parts.host.as_str(), parts.port, parts.https), ("::1", 443, true));
        assert_eq!((parts.authority.as_str(), parts.path_and_query.as_str()), ("[::1]", "/?x=1"));
        let parts = WebhookUrl::parse("http://a.example:81/b", true).unwrap().parts();
        assert_eq!((parts.host.as_str(), parts.port, parts.https), ("a.example", 81, false));
        assert_eq!(
            (parts.authority.as_str(), parts.path_and_query.as_str()),
            ("a.example:81", "/b")
        );
    }
}
