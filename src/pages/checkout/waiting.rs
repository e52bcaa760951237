//! The page of a session while an attempt is under way: at the bank, in the app, by a reference,
//! or with the provider. It follows what happens, and lets the buyer give the attempt up.

use actors::domain::payments::method::Method;
use actors::domain::time::Timestamp;
use askama::Template;

use super::state::{Session, Stage};
use crate::pages::bill::SellerView;
use crate::pages::words;

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
    seller: &'a SellerView,
    logo: Option<&'a str>,
    demo: bool,
    form_url: &'a str,
    events: String,
    amount: String,
    busy: bool,
    title: &'static str,
    text: String,
    facts: Vec<(&'static str, String)>,
    action: Option<&'a str>,
    action_text: &'static str,
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
        let played = session.demo || *stage == Stage::Elsewhere;
        Page {
            seller: &session.seller,
            logo: self.logo.as_deref(),
            demo: session.demo,
            form_url: &session.path(),
            events: format!("/payments-api/v1/checkout/{}/events", session.id),
            amount: words::amount(session.payment.amount),
            busy: matches!(stage, Stage::UnderWay | Stage::App { .. }),
            title: title(session),
            text: text(session, now),
            facts: facts(session),
            action: self.action.as_deref().filter(|_| played),
            action_text: action_text(session),
            forward: self.action.as_deref().filter(|_| at_once),
            can_give_up: *stage != Stage::UnderWay,
            refresh_seconds: if voucher { VOUCHER_REFRESH_SECONDS } else { REFRESH_SECONDS },
        }
        .render()
    }
}

fn title(session: &Session) -> &'static str {
    match session.stage {
        Stage::Voucher { .. } => "Pay this reference",
        Stage::App { .. } => "Approve the payment in your app",
        Stage::Elsewhere => "One step is left",
        _ => "Your payment is being processed",
    }
}

fn text(session: &Session, now: Timestamp) -> String {
    match &session.stage {
        Stage::Voucher { .. } => {
            let until = session.payment.expires_at.map(|at| words::day(at.date()));
            let until = until.map_or_else(String::new, |day| format!(" until {day}"));
            format!(
                "Use a Multibanco cash machine or your home banking{until}. You may close this \
                 page; the reference stays valid."
            )
        }
        Stage::App { phone } => {
            let left = session.payment.expires_at.map_or(0, |at| seconds_until(at, now));
            let minutes = (left + 59) / 60;
            let time =
                if minutes == 1 { "1 minute".to_owned() } else { format!("{minutes} minutes") };
            format!(
                "We have sent the payment to the MB WAY app of the phone {}. Approve it there \
                 within {time}. This page updates by itself.",
                words::masked_phone(phone)
            )
        }
        Stage::Elsewhere => match session.payment.method {
            Method::Card | Method::ApplePay | Method::GooglePay => {
                "Your bank asks you to confirm the payment. It may be open in another window."
                    .to_owned()
            }
            method => format!(
                "Confirm the payment with {}. It may be open in another window.",
                words::method(method)
            ),
        },
        _ => "This page updates by itself. Please do not pay again.".to_owned(),
    }
}

fn seconds_until(at: Timestamp, now: Timestamp) -> i64 {
    at.unix_seconds().saturating_sub(now.unix_seconds()).max(0)
}

fn facts(session: &Session) -> Vec<(&'static str, String)> {
    let money = session.payment.amount;
    match &session.stage {
        Stage::Voucher { entity, reference } => vec![
            ("Entity", entity.clone()),
            ("Reference", reference.clone()),
            ("Amount", words::amount(money)),
            ("Currency", money.currency.code().to_owned()),
        ],
        _ => Vec::new(),
    }
}

fn action_text(session: &Session) -> &'static str {
    match session.stage {
        Stage::Voucher { .. } => "Demo: pay the reference",
        Stage::App { .. } => "Demo: open the phone's app",
        _ => match session.payment.method {
            Method::Bancontact => "Continue to Bancontact",
            Method::Wero => "Continue to Wero",
            Method::Swish => "Continue to Swish",
            _ => "Continue to your bank",
        },
    }
}
