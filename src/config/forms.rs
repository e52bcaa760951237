//! What settings take: how the text of one is read, and how that is said.

use std::borrow::Cow;
use std::net::SocketAddr;
use std::path::PathBuf;

use actors::domain::platform::seller::MAX_USAGE_GRACE_MINUTES;
use hyper::Uri;
use hyper::http::uri::Authority;
use ipnet::IpNet;
use lettre::Address;
use secrecy::SecretString;

use super::{SecretKey, log_filter};

/// Characters of an operator's token that cannot be found by trying.
const SAFE_TOKEN_CHARS: usize = 16;

type Read<T> = Box<dyn Fn(&str) -> Option<T>>;

pub(super) struct Form<T> {
    /// What follows "must be".
    pub(super) takes: Cow<'static, str>,
    read: Read<T>,
}

impl<T> Form<T> {
    fn new(
        takes: impl Into<Cow<'static, str>>,
        read: impl Fn(&str) -> Option<T> + 'static,
    ) -> Self {
        Self { takes: takes.into(), read: Box::new(read) }
    }

    /// `text` as a value. A refusal does not repeat the text: it may be a secret.
    pub(super) fn read(&self, text: &str) -> Result<T, String> {
        (self.read)(text).ok_or_else(|| format!("must be {}", self.takes))
    }
}

/// A count or a number of seconds.
pub(super) fn at_least(least: u32) -> Form<u32> {
    let takes = format!("a whole number from {least} to {}", u32::MAX);
    Form::new(takes, move |text| text.parse().ok().filter(|&number| number >= least))
}

/// A limit that 0 turns off.
pub(super) fn or_off() -> Form<u32> {
    let takes = format!("a whole number from 0 to {}, where 0 turns it off", u32::MAX);
    Form::new(takes, |text| text.parse().ok())
}

pub(super) fn minutes() -> Form<u32> {
    let takes = format!("a whole number of minutes from 0 to {MAX_USAGE_GRACE_MINUTES}");
    Form::new(takes, |text| text.parse().ok().filter(|&number| number <= MAX_USAGE_GRACE_MINUTES))
}

pub(super) fn truth() -> Form<bool> {
    Form::new("true or false", |text| match text {
        "true" | "1" => Some(true),
        "false" | "0" => Some(false),
        _ => None,
    })
}

pub(super) fn path() -> Form<PathBuf> {
    Form::new("a path", |text| (!text.is_empty()).then(|| text.into()))
}

pub(super) fn address() -> Form<SocketAddr> {
    Form::new("an IP address and a port, such as 127.0.0.1:8080", |text| text.parse().ok())
}

/// A short token is good enough where anybody may mint an account anyway.
pub(super) fn token(demo: bool) -> Form<SecretString> {
    let least = if demo { 1 } else { SAFE_TOKEN_CHARS };
    let takes =
        format!("a text of at least {SAFE_TOKEN_CHARS} ASCII characters (any length with demo)");
    Form::new(takes, move |text| {
        (can_be_sent(text) && text.len() >= least).then(|| SecretString::from(text))
    })
}

/// Whether a request can carry a token in its head.
pub(crate) fn can_be_sent(token: &str) -> bool {
    token.bytes().all(|byte| byte == b'\t' || (b' '..=b'~').contains(&byte))
}

pub(super) fn secret_key() -> Form<SecretKey> {
    Form::new("32 bytes in base64", SecretKey::from_base64)
}

pub(super) fn fingerprint() -> Form<String> {
    Form::new("a fingerprint of 32 hexadecimal digits, as a refused start names it", |text| {
        let whole = text.len() == 32 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        whole.then(|| text.to_ascii_lowercase())
    })
}

pub(super) fn log_filter() -> Form<String> {
    Form::new(log_filter::TAKES, |text| log_filter::read(text).map(|_| text.to_owned()))
}

/// An address without a slash at its end.
pub(super) fn url() -> Form<String> {
    Form::new("an absolute http or https address without a query or a fragment", |text| {
        let plain = text.trim_end_matches('/');
        let uri: Uri = plain.parse().ok()?;
        let named =
            uri.authority().filter(|host| !host.as_str().contains('@') && has_good_port(host));
        let absolute = matches!(uri.scheme_str(), Some("http" | "https")) && named.is_some();
        (absolute && !plain.contains(['?', '#'])).then(|| plain.to_owned())
    })
}

/// Whether an address names no port, or one that there is.
pub(crate) fn has_good_port(of: &Authority) -> bool {
    let (_, named) = of.as_str().rsplit_once('@').unwrap_or(("", of.as_str()));
    named == of.host() || of.port_u16().is_some_and(|port| port > 0)
}

/// Two pauses in seconds; one stands for both.
pub(super) fn pauses() -> Form<[u32; 2]> {
    let takes = "two numbers of seconds, each at least 1, with a comma between them";
    Form::new(takes, |text| {
        let second = |part: &str| part.trim().parse().ok().filter(|&seconds: &u32| seconds > 0);
        let numbers: Option<Vec<u32>> = text.split(',').map(second).collect();
        match *numbers? {
            [both] => Some([both; 2]),
            [first, second] => Some([first, second]),
            _ => None,
        }
    })
}

/// Three pauses in a row.
pub(super) fn seconds() -> Form<[u32; 3]> {
    let takes = "three numbers of seconds, each at least 1, with commas between them";
    Form::new(takes, |text| {
        let second = |part: &str| part.trim().parse().ok().filter(|&seconds: &u32| seconds > 0);
        let numbers: Option<Vec<u32>> = text.split(',').map(second).collect();
        numbers?.try_into().ok()
    })
}

pub(super) fn smtp_url() -> Form<SecretString> {
    let takes = "smtp:// or smtps:// with a host, and where it asks for one user:password@";
    Form::new(takes, |text| {
        let url: Uri = text.parse().ok()?;
        let known = matches!(url.scheme_str(), Some("smtp" | "smtps"));
        let bare = matches!(url.path_and_query().map(|rest| rest.as_str()), None | Some("" | "/"))
            && !text.contains('#');
        let named = url.authority().is_some_and(|of| !of.host().is_empty() && has_good_port(of));
        (known && bare && named).then(|| SecretString::from(text))
    })
}

pub(super) fn mail_address() -> Form<Address> {
    Form::new("a plain e-mail address", |text| text.parse().ok())
}

/// Networks with commas between them; none at all is a list too.
pub(super) fn networks() -> Form<Vec<IpNet>> {
    Form::new("networks such as 10.0.0.0/8, with commas between them", |text| {
        let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
        parts.map(|part| part.parse().ok()).collect()
    })
}
