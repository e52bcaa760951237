//! Pages that tell how things stand: paid, under way, closed, unknown, out of order.

use actors::domain::money::Money;
use actors::domain::payments::card::CardSummary;
use actors::domain::payments::failure::FailureCode;
use actors::domain::payments::method::Method;
use actors::domain::time::{Date, Timestamp};
use askama::Template;

use super::bill::SellerView;
use super::words;

/// How often a page that waits loads itself anew, in seconds.
const REFRESH_SECONDS: u32 = 3;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mark {
    Good,
    Bad,
    Busy,
    Plain,
}

impl Mark {
    fn class(self) -> &'static str {
        match self {
            Self::Good => "good",
            Self::Bad => "bad",
            Self::Busy | Self::Plain => "",
        }
    }
}

#[derive(Clone, Debug, Template)]
#[template(path = "outcome.html", config = "src/pages/askama.toml")]
pub struct Outcome {
    mark: Mark,
    title: String,
    text: String,
    amount: Option<String>,
    seller: Option<SellerView>,
    demo: bool,
    facts: Vec<Fact>,
    link: Option<Link>,
    refresh: Option<String>,
}

#[derive(Clone, Debug)]
struct Fact {
    label: &'static str,
    value: String,
}

/// The one thing to do next.
#[derive(Clone, Debug)]
struct Link {
    href: String,
    text: &'static str,
}

/// What a receipt says beside seller and amount.
#[derive(Clone, Debug)]
pub struct Receipt {
    pub invoice_number: Option<String>,
    pub paid_on: Option<Date>,
    pub method: Option<Method>,
    pub card: Option<CardSummary>,
    pub reference: Option<String>,
}

impl Receipt {
    fn paid_with(&self) -> Option<String> {
        let method = self.method.filter(|method| *method != Method::Card);
        let method = method.map(|method| words::method(method).to_owned());
        self.card.as_ref().map(words::card).or(method)
    }
}

impl Outcome {
    fn new(mark: Mark, title: impl Into<String>, text: impl Into<String>) -> Self {
        Self {
            mark,
            title: title.into(),
            text: text.into(),
            amount: None,
            seller: None,
            demo: false,
            facts: Vec::new(),
            link: None,
            refresh: None,
        }
    }

    pub fn paid(amount: Money, receipt: Receipt) -> Self {
        let mut page = Self::new(
            Mark::Good,
            "Payment received",
            "Thank you. You may close this page, or keep it as your receipt.",
        );
        page.amount = Some(words::amount(amount));
        let paid_with = receipt.paid_with();
        page.fact_if("Invoice", receipt.invoice_number);
        page.fact_if("Paid on", receipt.paid_on.map(words::day));
        page.fact_if("Paid with", paid_with);
        page.fact_if("Reference", receipt.reference);
        page
    }

    /// The provider has been asked and has not answered yet; the page loads itself anew.
    pub fn under_way(amount: Money) -> Self {
        let mut page = Self::new(
            Mark::Busy,
            "Your payment is being processed",
            "This page updates by itself. Please do not pay again.",
        );
        page.amount = Some(words::amount(amount));
        page.refresh = Some(REFRESH_SECONDS.to_string());
        page
    }

    /// The attempt failed; another can be made at `pay_again`, if the bill is still open.
    pub fn failed(code: FailureCode, pay_again: Option<String>) -> Self {
        let (title, text) = words::failure(code);
        Self::new(Mark::Bad, title, text).then(pay_again, "Try again")
    }

    /// A payment with this method failed for good.
    pub fn failed_with(method: Method, code: FailureCode) -> Self {
        let (title, text) = words::failure_with(method, code);
        Self::new(Mark::Bad, title, text)
    }

    /// The attempt was given up; another can be made at `pay_again`.
    pub fn cancelled(pay_again: Option<String>) -> Self {
        let text = "Nothing was charged.";
        Self::new(Mark::Plain, "The payment was cancelled", text)
            .then(pay_again, "Back to the payment")
    }

    /// The invoice can no longer be paid here: it was voided.
    pub fn closed(invoice_number: &str) -> Self {
        let text = "The seller has withdrawn it. There is nothing to pay; if you expected \
                    otherwise, please contact the seller.";
        let mut page = Self::new(Mark::Plain, "This invoice is closed", text);
        page.fact("Invoice", invoice_number.to_owned());
        page
    }

    /// Nothing can be paid or verified here: the seller's account is not open.
    pub fn page_closed() -> Self {
        let text = "The seller takes no payments here at present. Nothing was charged. If you \
                    expected otherwise, please contact the seller.";
        Self::new(Mark::Plain, "This page is closed", text)
    }

    /// Too many cards were declined; the page takes others from `until` on. A payment that waits
    /// for its buyer can still be confirmed at `action_url`.
    pub fn resting(until: Timestamp, action_url: Option<String>) -> Self {
        let mut page = Self::new(
            Mark::Plain,
            "Please come back later",
            "Too many cards were declined here. Nothing was charged. To keep cards safe, no other \
             can be used for a while.",
        );
        page.fact("Pay again from", words::instant(until));
        page.then(action_url, "Continue to your bank")
    }

    /// The address has asked for too many pages.
    pub fn too_many() -> Self {
        let text = "Too many pages were opened from your network. Nothing was charged. Please try \
                    again in a minute.";
        Self::new(Mark::Plain, "Please wait a moment", text)
    }

    /// More is under way than the server takes on.
    pub fn busy() -> Self {
        let text = "The service is busy. Nothing was charged. Please try again in a moment.";
        Self::new(Mark::Plain, "Please try again", text)
    }

    /// The buyer must still act, at `action_url`.
    pub fn waiting(amount: Money, action_url: String) -> Self {
        let text = "Your bank asks you to confirm the payment.";
        let mut page = Self::new(Mark::Plain, "One step is left", text);
        page.amount = Some(words::amount(amount));
        page.then(Some(action_url), "Continue to your bank")
    }

    pub fn unknown_link() -> Self {
        let text = "Please check that the whole address was copied, or ask whoever sent it to \
                    you for a new link.";
        Self::new(Mark::Plain, "This link leads nowhere", text)
    }

    /// A signed link that is not good, or not any more.
    pub fn invalid_link() -> Self {
        let text = "The link is not valid or has expired. Please go back to where you started \
                    the payment.";
        Self::new(Mark::Plain, "Invalid link", text)
    }

    pub fn unreadable() -> Self {
        let text = "What was sent could not be read. Nothing was charged. Please go back and \
                    try again.";
        Self::new(Mark::Bad, "Something is wrong with the form", text)
    }

    /// The service cannot answer now, at `retry` the buyer may ask again.
    pub fn out_of_order(retry: Option<String>) -> Self {
        let text = "We could not find out how your payment stands. Please look again in a \
                    moment, before you pay once more.";
        Self::new(Mark::Bad, "That took too long", text).then(retry, "Look again")
    }

    /// A checkout that is over: nobody paid in time, or the buyer gave it up.
    pub fn session_over() -> Self {
        let text = "Nothing was charged. To pay, please start again at the seller's.";
        Self::new(Mark::Plain, "This checkout is over", text)
    }

    /// The same page leading back to the seller at `href`; at once if the buyer has just paid.
    #[must_use]
    pub fn back_to_seller(mut self, href: String, at_once: bool) -> Self {
        // Without a pause: one that cannot be stopped keeps slow readers out.
        self.refresh = at_once.then(|| format!("0;url={href}"));
        self.then(Some(href), "Back to the seller")
    }

    /// The same page with the seller on top.
    #[must_use]
    pub fn of(mut self, seller: SellerView, demo: bool) -> Self {
        self.seller = Some(seller);
        self.demo = demo;
        self
    }

    fn then(mut self, href: Option<String>, text: &'static str) -> Self {
        self.link = href.map(|href| Link { href, text });
        self
    }

    fn fact(&mut self, label: &'static str, value: String) {
        self.facts.push(Fact { label, value });
    }

    fn fact_if(&mut self, label: &'static str, value: Option<String>) {
        self.facts.extend(value.map(|value| Fact { label, value }));
    }
}

#[cfg(test)]
mod tests;
