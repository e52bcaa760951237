//! Where a buyer goes on to after the bank: the checkout's URLs, the links that the seller sent
//! with the payment, or nowhere.

use std::fmt::Write;

use actors::domain::payments::payment::{Payment, ReturnLink};

use crate::pages::ending::Ending;

/// The names that a return address tells the seller by.
const STATUS: &str = "status";
const PAYMENT: &str = "paymentId";

/// The rel that stands in for one that was not sent.
const DEFAULT: &str = "default";

/// As return addresses tell it.
impl Ending {
    /// The value of `status`.
    fn word(self) -> &'static str {
        match self {
            Self::Succeeded => "succeeded",
            Self::Failed | Self::Cancelled => "failed",
            Self::Pending => "pending",
        }
    }

    fn rel(self) -> &'static str {
        match self {
            Self::Succeeded => "on_completed",
            Self::Failed => "on_failed",
            Self::Cancelled => "on_cancelled",
            Self::Pending => DEFAULT,
        }
    }
}

/// The seller's address for a payment that stands as this one does, with `status` and
/// `paymentId` in its query; `None` when the seller named none.
pub(super) fn destination(payment: &Payment) -> Option<String> {
    let ending = Ending::of(payment.status);
    let address = match (&payment.checkout, &payment.order) {
        (Some(checkout), _) => Some(match ending {
            Ending::Succeeded | Ending::Pending => checkout.success_url.as_str(),
            Ending::Failed | Ending::Cancelled => checkout.failure_url.as_str(),
        }),
        (None, Some(order)) if order.returns.links.is_empty() => order.returns.url.as_deref(),
        (None, Some(order)) => linked(&order.returns.links, ending.rel()),
        (None, None) => None,
    };
    address.map(|address| with_outcome(address, ending.word(), &payment.reference))
}

fn linked<'a>(links: &'a [ReturnLink], rel: &str) -> Option<&'a str> {
    let named = |rel: &str| links.iter().find(|link| link.rel == rel);
    named(rel).or_else(|| named(DEFAULT)).map(|link| link.href.as_str())
}

/// `address` with the outcome in its query: what was there under the same names is replaced, the
/// rest and the fragment stay as they were written.
fn with_outcome(address: &str, status: &str, reference: &str) -> String {
    let (address, fragment) = match address.split_once('#') {
        Some((address, fragment)) => (address, Some(fragment)),
        None => (address, None),
    };
    let (path, query) = address.split_once('?').unwrap_or((address, ""));
    let mut pairs: Vec<&str> =
        query.split('&').filter(|pair| !pair.is_empty() && !is_ours(pair)).collect();
    let ours = form_urlencoded::Serializer::new(String::new())
        .append_pair(STATUS, status)
        .append_pair(PAYMENT, reference)
        .finish();
    pairs.push(&ours);
    let mut whole = format!("{path}?{}", pairs.join("&"));
    if let Some(fragment) = fragment {
        whole.push('#');
        whole.push_str(fragment);
    }
    ascii(&whole)
}

fn is_ours(pair: &str) -> bool {
    form_urlencoded::parse(pair.as_bytes()).any(|(name, _)| name == STATUS || name == PAYMENT)
}

/// A header takes plain characters only; others of an address are sent as browsers would.
fn ascii(address: &str) -> String {
    let mut plain = String::with_capacity(address.len());
    for byte in address.bytes() {
        if byte.is_ascii_graphic() {
            plain.push(char::from(byte));
        } else {
            let _ = write!(plain, "%{byte:02X}");
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use actors::domain::payments::payment::PaymentStatus;

    use super::*;

    fn link(rel: &str, href: &str) -> ReturnLink {
        ReturnLink { rel: rel.to_owned(), href: href.to_owned() }
    }

    #[test]
    fn the_outcome_replaces_what_was_there_and_keeps_the_rest() {
        for (address, whole) in [
            ("https://a.example", "https://a.example?status=failed&paymentId=o-1"),
            ("https://a.example/b?c=d", "https://a.example/b?c=d&status=failed&paymentId=o-1"),
            ("https://a.example/b?", "https://a.example/b?status=failed&paymentId=o-1"),
            ("https://a.example/#top", "https://a.example/?status=failed&paymentId=o-1#top"),
            (
                "https://a.example/?status=x&c=%20d&paymentId=y&%73tatus=z#f?status=1",
                "https://a.example/?c=%20d&status=failed&paymentId=o-1#f?status=1",
            ),
            (
                "https://a.example/ü?q=ä b",
                "https://a.example/%C3%BC?q=%C3%A4%20b&status=failed&paymentId=o-1",
            ),
        ] {
            assert_eq!(with_outcome(address, "failed", "o-1"), whole);
        }
    }

    #[test]
    fn a_reference_of_any_characters_is_told_safely() {
        let whole = with_outcome("https://a.example/", "succeeded", "a&b=c #1\r\nü");
        assert_eq!(
            whole,
            "https://a.example/?status=succeeded&paymentId=a%26b%3Dc+%231%0D%0A%C3%BC"
        );
    }

    #[test]
    fn a_missing_rel_falls_to_the_default() {
        let all = [
            link("default", "d"),
            link("on_completed", "c"),
            link("on_failed", "f"),
            link("on_cancelled", "x"),
        ];
        for (status, whole, part) in [
            (PaymentStatus::ProviderCompleted, "c", Some("d")),
            (PaymentStatus::Authorized, "c", Some("d")),
            (PaymentStatus::RefundPending, "c", Some("d")),
            (PaymentStatus::Failed, "f", Some("d")),
            (PaymentStatus::Cancelled, "x", Some("d")),
            (PaymentStatus::ProviderPending, "d", Some("d")),
        ] {
            let rel = Ending::of(status).rel();
            assert_eq!(linked(&all, rel), Some(whole));
            assert_eq!(linked(&all[..1], rel), part);
        }
        assert_eq!(linked(&all[2..], "on_completed"), None);
    }

    #[test]
    fn cancelled_is_told_as_failed() {
        for (status, word) in [
            (PaymentStatus::Settled, "succeeded"),
            (PaymentStatus::DepositConfirmed, "succeeded"),
            (PaymentStatus::Refunded, "succeeded"),
            (PaymentStatus::Failed, "failed"),
            (PaymentStatus::Cancelled, "failed"),
            (PaymentStatus::ProviderPending, "pending"),
        ] {
            assert_eq!(Ending::of(status).word(), word);
        }
    }
}
