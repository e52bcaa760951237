//! The page of a session while an attempt is under way: at the bank, in the app, by a reference,
//! or with the provider. It follows what happens, and lets the buyer give the attempt up.

use actors::domain::payments::method::Method;
use actors::domain::payments::payment::Payment;
use actors::domain::time::Timestamp;
use askama::Template;

use super::state::{Session, Stage};
use crate::pages::bill::SellerView;
use crate::pages::context::failure_of;
use crate::pages::language::{Words, fill};

#[derive(Clone, Debug, Default)]
pub(super) struct Waiting {
    pub(super) action: Option<String>,
    /// Whether the browser goes there by itself: the buyer has just sent the form.
    pub(super) at_once: bool,
    pub(super) logo: Option<String>,
}

#[derive(Template)]
#[template(path = "waiting.html", config = "src/pages/askama.toml")]
struct Page<'a> {
    t: &'static Words,
    seller: &'a SellerView,
    logo: Option<&'a str>,
    demo: bool,
    form_url: &'a str,
    events: String,
    /// What the page shows, as its events tell it: what they tell later is news.
    told: String,
    amount: String,
    busy: bool,
    title: &'static str,
    text: String,
    facts: Vec<Fact>,
    /// Until the app gives up.
    seconds_left: Option<i64>,
    /// Whether the page goes on to the seller by itself once it is paid: whoever pays at a bank
    /// goes on from there.
    goes_on: bool,
    action: Option<&'a str>,
    action_text: String,
    forward: Option<&'a str>,
    can_give_up: bool,
    refresh_seconds: u32,
}

/// How often a page loads itself anew that no script keeps up to date, in seconds. A reference
/// takes its time; the others do not.
const REFRESH_SECONDS: u32 = 4;
const VOUCHER_REFRESH_SECONDS: u32 = 30;

impl Waiting {
    pub(super) fn render(&self, session: &Session, now: Timestamp) -> askama::Result<String> {
        let stage = &session.stage;
        let voucher = matches!(stage, Stage::Voucher { .. });
        let at_once = self.at_once && *stage == Stage::Elsewhere;
        // What asks the buyer elsewhere is played by a page of ours in demo mode alone.
        let played = session.payment.demo || *stage == Stage::Elsewhere;
        let t = session.t;
        Page {
            t,
            seller: &session.seller,
            logo: self.logo.as_deref(),
            demo: session.payment.demo,
            form_url: &session.path(),
            events: format!("/payments-api/v1/checkout/{}/events", session.id),
            told: state_mark(&session.payment),
            amount: t.money(session.payment.amount),
            busy: matches!(stage, Stage::UnderWay | Stage::App { .. }),
            title: title(session),
            text: text(session, now),
            facts: facts(session),
            seconds_left: seconds_left(session, now),
            goes_on: *stage != Stage::Elsewhere,
            action: self.action.as_deref().filter(|_| played),
            action_text: action_text(session),
            forward: self.action.as_deref().filter(|_| at_once),
            can_give_up: *stage != Stage::UnderWay,
            refresh_seconds: if voucher { VOUCHER_REFRESH_SECONDS } else { REFRESH_SECONDS },
        }
        .render()
    }
}

fn state_mark(payment: &Payment) -> String {
    let attempts = payment.checkout.as_ref().map_or(0, |checkout| checkout.begun);
    let failure = failure_of(payment).map_or_else(String::new, |code| code.code().to_string());
    format!("{} {} {attempts} {failure}", payment.status.name(), payment.requires_action())
}

fn title(session: &Session) -> &'static str {
    let t = session.t;
    match session.stage {
        Stage::Voucher { .. } => t.pay_reference,
        Stage::App { .. } => t.approve_in_app,
        Stage::Elsewhere => t.one_step_left,
        _ => t.being_processed,
    }
}

fn text(session: &Session, now: Timestamp) -> String {
    let (t, payment) = (session.t, &session.payment);
    match &session.stage {
        Stage::Voucher { .. } => match payment.expires_at {
            Some(until) => fill(t.reference_text_until, &[("day", &t.date(until.date()))]),
            None => t.reference_text.to_owned(),
        },
        Stage::App { phone } => {
            let left = payment.expires_at.map_or(0, |at| seconds_until(at, now));
            let (phone, minutes) = (t.masked_phone(phone), ((left + 59) / 60).to_string());
            fill(t.app_text, &[("phone", &phone), ("minutes", &minutes)])
        }
        Stage::Elsewhere => match payment.method {
            Method::Card | Method::ApplePay | Method::GooglePay => t.other_window_bank.to_owned(),
            method => t.with_method(t.other_window_method, method),
        },
        _ => t.updates_itself.to_owned(),
    }
}

fn seconds_until(at: Timestamp, now: Timestamp) -> i64 {
    at.unix_seconds().saturating_sub(now.unix_seconds()).max(0)
}

/// What has to be typed elsewhere.
struct Fact {
    label: &'static str,
    /// In groups that are easy to read off; together they are the value.
    parts: Vec<String>,
    /// What a button copies.
    copied: Option<String>,
}

impl Fact {
    fn whole(label: &'static str, value: String) -> Self {
        Self { label, parts: vec![value], copied: None }
    }

    fn digits(label: &'static str, value: &str) -> Self {
        let digits: Vec<char> = value.chars().collect();
        let parts = digits.chunks(3).map(|part| part.iter().collect()).collect();
        Self { label, parts, copied: Some(value.to_owned()) }
    }
}

fn facts(session: &Session) -> Vec<Fact> {
    let (t, money) = (session.t, session.payment.amount);
    match &session.stage {
        Stage::Voucher { entity, reference } => vec![
            Fact::whole(t.entity, entity.clone()),
            Fact::digits(t.reference, reference),
            Fact::whole(t.amount, t.money(money)),
            Fact::whole(t.currency, money.currency.code().to_owned()),
        ],
        _ => Vec::new(),
    }
}

fn seconds_left(session: &Session, now: Timestamp) -> Option<i64> {
    let until = session.payment.expires_at?;
    matches!(session.stage, Stage::App { .. }).then(|| seconds_until(until, now))
}

fn action_text(session: &Session) -> String {
    let t: &Words = session.t;
    match session.stage {
        Stage::Voucher { .. } => t.demo_pay_reference.to_owned(),
        Stage::App { .. } => t.demo_open_app.to_owned(),
        _ => match session.payment.method {
            method @ (Method::Bancontact | Method::Wero | Method::Swish) => {
                t.with_method(t.continue_to, method)
            }
            _ => t.continue_to_bank.to_owned(),
        },
    }
}
