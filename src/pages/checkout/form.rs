//! The page of an open session: what is paid, and the methods to pay it with.

use actors::domain::payments::card::CardProblem;
use actors::domain::payments::failure::FailureCode;
use actors::domain::payments::method::Method;
use askama::Template;

use super::state::{LastAttempt, Session, Stage};
use crate::pages::bill::SellerView;
use crate::pages::card::{self, CardFields, Field, FieldProblem, Notice};
use crate::pages::fields::Typed;
use crate::pages::words;

/// The form as it is shown for the first time, or again with what is wrong with it.
#[derive(Clone, Debug, Default)]
pub(super) struct CheckoutForm {
    pub(super) chosen: Option<Method>,
    /// What the buyer typed of a card and may see again.
    pub(super) typed: Typed,
    pub(super) phone: String,
    pub(super) card_problems: Vec<CardProblem>,
    pub(super) other: Option<OtherProblem>,
}

/// What can be wrong beside a card.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OtherProblem {
    /// No method, or one that is not offered.
    Method,
    /// No telephone number, or none that can be called.
    Phone,
}

impl OtherProblem {
    fn shown(self, methods: &[Method]) -> FieldProblem {
        match self {
            Self::Method => FieldProblem {
                field: methods.first().map_or("methods", |method| method.name()),
                text: "Choose how you would like to pay.",
            },
            Self::Phone => FieldProblem {
                field: "phone",
                text: "Enter the mobile number of your MB WAY app, such as +351 912 345 678.",
            },
        }
    }

    pub(super) fn told(self) -> &'static str {
        match self {
            Self::Method => "paymentMethod must be one that the session offers",
            Self::Phone => "phone must be + and 8 to 15 digits",
        }
    }
}

#[derive(Template)]
#[template(path = "checkout.html", config = "src/pages/askama.toml")]
struct Page<'a> {
    seller: &'a SellerView,
    logo: Option<String>,
    demo: bool,
    form_url: &'a str,
    amount: String,
    description: Option<&'a str>,
    reference: &'a str,
    tiles: Vec<Tile>,
    problems: &'a [FieldProblem],
    notice: Option<Notice>,
    card: CardFields<'a>,
    phone: Field,
    phone_typed: &'a str,
    pay: String,
}

struct Tile {
    name: &'static str,
    title: &'static str,
    note: &'static str,
    chosen: bool,
}

impl CheckoutForm {
    /// The form before anything was typed, with what is known of the buyer.
    pub(super) fn of(session: &Session) -> Self {
        let country = session.payment.country.map(|known| known.to_string()).unwrap_or_default();
        Self { typed: Typed { country, ..Typed::default() }, ..Self::default() }
    }

    /// `logo` is the address of the seller's own mark.
    pub(super) fn render(&self, session: &Session, logo: Option<String>) -> askama::Result<String> {
        let last = match session.stage {
            Stage::Open(last) => last,
            _ => None,
        };
        let expired = last == Some(LastAttempt::Failed(Method::Card, FailureCode::CardExpired))
            && self.card_problems.is_empty()
            && self.other.is_none();
        let tried = expired.then_some(FailureCode::CardExpired);
        let mut problems = card::problems(&self.card_problems, tried);
        problems.extend(self.other.map(|other| other.shown(&session.methods)));
        let notice = if problems.is_empty() { last.map(notice) } else { None };
        let amount = words::amount(session.payment.amount);
        Page {
            seller: &session.seller,
            logo,
            demo: session.demo,
            form_url: &session.path(),
            pay: format!("Pay {amount}"),
            amount,
            description: session.checkout.description.as_deref(),
            reference: &session.payment.reference,
            tiles: self.tiles(&session.methods, last),
            notice,
            card: CardFields::new(&problems, &self.typed),
            phone: Field::new(&problems, "phone"),
            phone_typed: &self.phone,
            problems: &problems,
        }
        .render()
    }

    fn tiles(&self, methods: &[Method], last: Option<LastAttempt>) -> Vec<Tile> {
        let chosen = self.chosen.or(last.map(LastAttempt::method));
        let chosen = chosen.filter(|chosen| methods.contains(chosen));
        let chosen = chosen.or(methods.first().copied());
        let tile = |method: &Method| Tile {
            name: method.name(),
            title: words::method(*method),
            note: note(*method),
            chosen: chosen == Some(*method),
        };
        methods.iter().map(tile).collect()
    }
}

impl Tile {
    fn is(&self, name: &str) -> bool {
        self.name == name
    }
}

fn notice(last: LastAttempt) -> Notice {
    match last {
        LastAttempt::Failed(method, code) => {
            let (title, text) = words::failure_with(method, code);
            Notice { class: "bad", title, text }
        }
        LastAttempt::GivenUp(_) => Notice {
            class: "info",
            title: "The payment was not finished",
            text: "Nothing was charged. You can try again here.",
        },
    }
}

/// What happens after the button.
fn note(method: Method) -> &'static str {
    match method {
        Method::Card | Method::ApplePay | Method::GooglePay => "",
        Method::Bancontact => "You go on to Bancontact to confirm the payment.",
        Method::Wero => "You go on to Wero to confirm the payment.",
        Method::Swish => "You go on to Swish to confirm the payment.",
        Method::MbWay => "You approve the payment in the MB WAY app on your phone.",
        Method::Multibanco => {
            "You get a reference to pay at a cash machine or with your home banking."
        }
    }
}
