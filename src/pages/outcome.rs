//! Pages that tell how things stand: paid, under way, closed, unknown, out of order.

use actors::domain::money::Money;
use actors::domain::payments::card::CardSummary;
use actors::domain::payments::failure::FailureCode;
use actors::domain::payments::method::Method;
use actors::domain::payments::payment::{Payment, PaymentStatus};
use actors::domain::time::Timestamp;
use askama::Template;

use super::bill::SellerView;
use super::language::{Words, fill};

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
    t: &'static Words,
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
    text: String,
}

/// What a receipt says beside seller and amount.
#[derive(Clone, Debug, Default)]
pub struct Receipt {
    pub invoice_number: Option<String>,
    pub paid_on: Option<Timestamp>,
    pub method: Option<Method>,
    pub card: Option<CardSummary>,
    pub reference: Option<String>,
    /// What went back of the amount.
    pub refunded: Option<Money>,
}

impl Receipt {
    pub fn of(payment: &Payment, invoice_number: Option<String>) -> Self {
        let refunded = Money { minor: payment.refunds.refunded_minor, ..payment.amount };
        Self {
            invoice_number,
            paid_on: Some(payment.paid_on()),
            method: Some(payment.method),
            card: payment.card.clone(),
            reference: Some(payment.reference.clone()),
            refunded: (refunded.minor > 0).then_some(refunded),
        }
    }

    fn paid_with(&self, t: &Words) -> Option<String> {
        let method = self.method.filter(|method| *method != Method::Card);
        let method = method.map(|method| t.method(method).to_owned());
        self.card.as_ref().map(|card| t.card(card)).or(method)
    }
}

impl Outcome {
    fn new(t: &'static Words, mark: Mark, title: &str, text: &str) -> Self {
        Self {
            t,
            mark,
            title: title.to_owned(),
            text: text.to_owned(),
            amount: None,
            seller: None,
            demo: false,
            facts: Vec::new(),
            link: None,
            refresh: None,
        }
    }

    /// A payment that came: its receipt, unless all of it goes back, or went.
    pub fn came(t: &'static Words, payment: &Payment, invoice_number: Option<String>) -> Self {
        let receipt = Receipt::of(payment, invoice_number);
        if !payment.goes_back() {
            return Self::paid(t, payment.amount, receipt);
        }
        let went = payment.status == PaymentStatus::Refunded;
        Self::returned(t, Money { minor: payment.captured(), ..payment.amount }, went, receipt)
    }

    pub fn paid(t: &'static Words, amount: Money, receipt: Receipt) -> Self {
        let mut page = Self::new(t, Mark::Good, t.payment_received, t.payment_received_text);
        page.amount = Some(t.money(amount));
        page.fact_if(t.refunded, receipt.refunded.map(|part| t.money(part)));
        page.facts_of(receipt);
        page
    }

    /// All of a payment goes back to its buyer, or went.
    fn returned(t: &'static Words, amount: Money, went: bool, receipt: Receipt) -> Self {
        let (title, text) = match went {
            true => (t.went_back, t.went_back_text),
            false => (t.going_back, t.going_back_text),
        };
        let mut page = Self::new(t, Mark::Plain, title, text);
        page.amount = Some(t.money(amount));
        page.facts_of(receipt);
        page
    }

    /// Nothing was paid, and nothing is owed.
    pub fn nothing_left(t: &'static Words, invoice_number: &str) -> Self {
        let mut page = Self::new(t, Mark::Good, t.nothing_left, t.nothing_left_text);
        page.fact(t.invoice, invoice_number.to_owned());
        page
    }

    /// The provider has been asked and has not answered yet; the page loads itself anew. Of no
    /// amount the card alone is checked, which is then kept.
    pub fn under_way(t: &'static Words, amount: Money) -> Self {
        let (title, text) = match amount.minor {
            0 => (t.checking_card, t.checking_card_text),
            _ => (t.being_processed, t.updates_itself),
        };
        let mut page = Self::new(t, Mark::Busy, title, text);
        page.amount = (amount.minor != 0).then(|| t.money(amount));
        page.refresh = Some(REFRESH_SECONDS.to_string());
        page
    }

    /// The attempt failed; another can be made at `pay_again`, if the bill is still open.
    pub fn failed(t: &'static Words, code: FailureCode, pay_again: Option<String>) -> Self {
        let (title, text) = t.failure(code);
        let stands = pay_again.is_some() || code == FailureCode::SettlementFailed;
        let text = if stands { text } else { t.contact_seller };
        Self::new(t, Mark::Bad, title, text).then(pay_again, t.try_again)
    }

    /// A payment with this method failed for good: no other can be made here.
    pub fn failed_with(t: &'static Words, method: Method, code: FailureCode) -> Self {
        let (title, text) = t.failure_with(method, code);
        let text = if code == FailureCode::SettlementFailed { text } else { t.checkout_over_text };
        Self::new(t, Mark::Bad, title, text)
    }

    /// The attempt was given up; another can be made at `pay_again`.
    pub fn cancelled(t: &'static Words, pay_again: Option<String>) -> Self {
        Self::new(t, Mark::Plain, t.cancelled, t.nothing_charged).then(pay_again, t.back_to_payment)
    }

    /// The invoice can no longer be paid here: it was voided.
    pub fn closed(t: &'static Words, invoice_number: &str) -> Self {
        let mut page = Self::new(t, Mark::Plain, t.invoice_closed, t.invoice_closed_text);
        page.fact(t.invoice, invoice_number.to_owned());
        page
    }

    /// A payment link that takes nothing any more.
    pub fn link_closed(t: &'static Words, title: &str) -> Self {
        let mut page = Self::new(t, Mark::Plain, t.link_closed, t.link_closed_text);
        page.fact(t.what_for, title.to_owned());
        page
    }

    /// A subscription that nobody is charged for any more.
    pub fn subscription_ended(t: &'static Words, title: &str) -> Self {
        let text = t.subscription_ended_text;
        let mut page = Self::new(t, Mark::Plain, t.subscription_ended, text);
        page.fact(t.what_for, title.to_owned());
        page
    }

    /// Nothing can be paid or verified here: the seller's account is not open.
    pub fn page_closed(t: &'static Words) -> Self {
        Self::new(t, Mark::Plain, t.page_closed, t.page_closed_text)
    }

    /// Too many cards were declined; the page takes others from `until` on. A payment that waits
    /// for its buyer can still be confirmed at `action_url`.
    pub fn resting(t: &'static Words, until: Timestamp, action_url: Option<String>) -> Self {
        let mut page = Self::new(t, Mark::Plain, t.come_back_later, t.come_back_later_text);
        page.fact(t.pay_again_from, t.moment(until));
        page.then(action_url, t.continue_to_bank)
    }

    /// The address has asked for too many pages.
    pub fn too_many(t: &'static Words) -> Self {
        Self::new(t, Mark::Plain, t.wait_a_moment, t.wait_a_moment_text)
    }

    /// More is under way than the server takes on.
    pub fn busy(t: &'static Words) -> Self {
        Self::new(t, Mark::Plain, t.please_try_again, t.busy_text)
    }

    /// The buyer must still act, at `action_url`.
    pub fn waiting(t: &'static Words, amount: Money, action_url: String) -> Self {
        let mut page = Self::new(t, Mark::Plain, t.one_step_left, t.bank_asks);
        page.amount = (amount.minor != 0).then(|| t.money(amount));
        page.then(Some(action_url), t.continue_to_bank)
    }

    pub fn unknown_link(t: &'static Words) -> Self {
        Self::new(t, Mark::Plain, t.link_nowhere, t.link_nowhere_text)
    }

    /// A signed link that is not good, or not any more.
    pub fn invalid_link(t: &'static Words) -> Self {
        Self::new(t, Mark::Plain, t.invalid_link, t.invalid_link_text)
    }

    /// The link of a portal whose hour is over.
    pub fn portal_over(t: &'static Words) -> Self {
        Self::new(t, Mark::Plain, t.portal_over, t.portal_over_text)
    }

    pub fn unreadable(t: &'static Words) -> Self {
        Self::new(t, Mark::Bad, t.form_wrong, t.form_wrong_text)
    }

    /// The service cannot answer now, at `retry` the buyer may ask again.
    pub fn out_of_order(t: &'static Words, retry: Option<String>) -> Self {
        Self::new(t, Mark::Bad, t.too_long, t.too_long_text).then(retry, t.look_again)
    }

    /// A checkout that is over: nobody paid in time, or the buyer gave it up.
    pub fn session_over(t: &'static Words) -> Self {
        Self::new(t, Mark::Plain, t.checkout_over, t.checkout_over_text)
    }

    /// The same page leading back to the seller of this name at `href`; at once if the buyer has
    /// just paid.
    #[must_use]
    pub fn back_to_seller(mut self, name: &str, href: String, at_once: bool) -> Self {
        // Without a pause: one that cannot be stopped keeps slow readers out.
        self.refresh = at_once.then(|| format!("0;url={href}"));
        let text = fill(self.t.back_to_seller, &[("seller", name)]);
        self.then(Some(href), &text)
    }

    /// The same page with the seller on top.
    #[must_use]
    pub fn of(mut self, seller: SellerView, demo: bool) -> Self {
        self.seller = Some(seller);
        self.demo = demo;
        self
    }

    fn then(mut self, href: Option<String>, text: &str) -> Self {
        self.link = href.map(|href| Link { href, text: text.to_owned() });
        self
    }

    fn facts_of(&mut self, receipt: Receipt) {
        let t = self.t;
        let paid_with = receipt.paid_with(t);
        self.fact_if(t.invoice, receipt.invoice_number);
        self.fact_if(t.paid_on, receipt.paid_on.map(|at| t.moment(at)));
        self.fact_if(t.paid_with, paid_with);
        self.fact_if(t.reference, receipt.reference);
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
