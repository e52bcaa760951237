//! The languages of the hosted pages: words, amounts and days, each language a file of its own.

mod figures;
mod table;

use std::sync::LazyLock;

use actors::domain::payments::payment::Payment;
use hyper::header::{ACCEPT_LANGUAGE, HeaderValue};

pub use self::table::{Words, fill};
use crate::gate::Request;

/// All languages; the first is the one of those whose own is not among them.
static ALL: LazyLock<Vec<Words>> = LazyLock::new(|| {
    let files = [
        include_str!("language/en.txt"),
        include_str!("language/de.txt"),
        include_str!("language/fr.txt"),
        include_str!("language/nl.txt"),
        include_str!("language/es.txt"),
        include_str!("language/it.txt"),
        include_str!("language/pt.txt"),
        include_str!("language/sv.txt"),
        include_str!("language/da.txt"),
        include_str!("language/pl.txt"),
    ];
    files.into_iter().map(|file| Words::parse(file).expect("a test reads each file")).collect()
});

impl Words {
    pub fn english() -> &'static Self {
        &ALL[0]
    }

    /// The language of a tag such as `nl-BE`, if it is one of ours.
    pub fn of_tag(tag: &str) -> Option<&'static Self> {
        let language = tag.split(['-', '_']).next()?;
        ALL.iter().find(|words| words.tag.eq_ignore_ascii_case(language))
    }

    /// The language that whoever asks likes best of ours.
    pub fn of_browser(request: &Request) -> &'static Self {
        Self::of_header(request.headers.get(ACCEPT_LANGUAGE))
    }

    /// The best of ours by an `Accept-Language`.
    pub fn of_header(accepts: Option<&HeaderValue>) -> &'static Self {
        let accepts = accepts.and_then(|value| value.to_str().ok()).unwrap_or_default();
        let mut best = (0, Self::english());
        for range in accepts.split(',') {
            let (tag, weight) = range.split_once(';').unwrap_or((range, ""));
            if let Some(words) = Self::of_tag(tag.trim())
                && thousandths(weight) > best.0
            {
                best = (thousandths(weight), words);
            }
        }
        best.1
    }

    /// The language that the seller chose for this payment's checkout, else the browser's.
    pub fn of_payment(payment: &Payment, browser: &'static Self) -> &'static Self {
        let chosen = payment.checkout.as_ref().and_then(|checkout| checkout.locale.as_deref());
        chosen.and_then(Self::of_tag).unwrap_or(browser)
    }
}

/// The weight of a language range, `q=0.8`; 1 where none is said.
fn thousandths(weight: &str) -> u32 {
    let Some((_, said)) = weight.split_once('=') else { return 1_000 };
    let (whole, part) = said.trim().split_once('.').unwrap_or((said.trim(), ""));
    match whole {
        "1" => 1_000,
        "0" => format!("{part:0<3.3}").parse().unwrap_or(0),
        _ => 0,
    }
}

#[cfg(test)]
mod tests;
