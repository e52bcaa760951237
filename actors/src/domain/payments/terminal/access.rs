use std::fmt;
use std::net::IpAddr;

use minicbor::{Decode, Encode};

use crate::domain::platform::webhook::url::{UrlRefusal, WebhookUrl};
use crate::secrets::Sealed;

#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode)]
pub struct Access {
    #[n(0)]
    pub base_url: BaseUrl,
    /// The secret key, sealed; it is shown to nobody.
    #[n(1)]
    pub secret_key: Sealed,
}

/// The beginning of a processor's addresses: `https`, or `http` to this machine alone, without
/// a slash at its end.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode)]
#[cbor(transparent)]
pub struct BaseUrl(#[n(0)] String);

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BaseUrlRefusal {
    #[error(transparent)]
    Url(#[from] UrlRefusal),
    /// Card numbers would travel in the clear.
    #[error("must use https, or http on a loopback address")]
    NotSecret,
    #[error("must not have a query or a fragment")]
    Query,
}

impl BaseUrl {
    /// Parses the beginning of the processor's addresses. It is the operator's: no address is
    /// refused, but the way there must be secret.
    pub fn parse(text: &str) -> Result<Self, BaseUrlRefusal> {
        let url = WebhookUrl::parse(text, true)?;
        let parts = url.parts();
        let loopback = parts.host == "localhost"
            || parts.host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback());
        if !parts.https && !loopback {
            return Err(BaseUrlRefusal::NotSecret);
        }
        if text.contains(['?', '#']) {
            return Err(BaseUrlRefusal::Query);
        }
        Ok(Self(text.trim_end_matches('/').to_owned()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for BaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_way_to_a_processor_is_secret() {
        for (text, kept) in [
            ("https://api.stripe.com", "https://api.stripe.com"),
            ("https://api.stripe.com/", "https://api.stripe.com"),
            ("https://10.0.0.7:8443/stripe/", "https://10.0.0.7:8443/stripe"),
            ("http://127.0.0.1:8420", "http://127.0.0.1:8420"),
            ("http://[::1]:8420", "http://[::1]:8420"),
            ("http://localhost:8420", "http://localhost:8420"),
        ] {
            assert_eq!(BaseUrl::parse(text).expect("a base URL").as_str(), kept);
        }
        for (text, refusal) in [
            ("http://api.stripe.com", BaseUrlRefusal::NotSecret),
            ("http://localhost.example.com", BaseUrlRefusal::NotSecret),
            ("http://10.0.0.7", BaseUrlRefusal::NotSecret),
            ("https://api.stripe.com/?a=b", BaseUrlRefusal::Query),
            ("https://key@api.stripe.com", BaseUrlRefusal::Url(UrlRefusal::UserInfo)),
            ("ftp://api.stripe.com", BaseUrlRefusal::Url(UrlRefusal::NotHttps)),
            ("api.stripe.com", BaseUrlRefusal::Url(UrlRefusal::NotAbsolute)),
        ] {
            assert_eq!(BaseUrl::parse(text), Err(refusal), "{text}");
        }
    }
}
