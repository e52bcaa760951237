//! Whether a browser's request comes from a page of this server. Cookies come with whatever a
//! browser sends, so that what they open asks.

use hyper::header::{HOST, HeaderName, ORIGIN};
use hyper::{HeaderMap, StatusCode, Uri};

use crate::http::ApiError;

const FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// Refuses what a page of another origin causes. Programs, which send neither header, pass.
pub(super) fn check(headers: &HeaderMap, target: &Uri, public_url: &str) -> Result<(), ApiError> {
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
    use super::*;

    #[test]
    fn only_pages_of_this_server_and_programs_pass() {
        let public = "https://billing.example.com";
        let passes = |sent: &[(&'static str, &str)]| {
            let mut headers = HeaderMap::new();
            headers.insert(HOST, "127.0.0.1:8080".parse().expect("a host"));
            for (name, value) in sent {
                headers.append(*name, value.parse().expect("a value"));
            }
            check(&headers, &Uri::from_static("/dashboard/graphql"), public).is_ok()
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
