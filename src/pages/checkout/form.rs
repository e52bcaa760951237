//! The page of an open session: what is paid, and the methods to pay it with.

use actors::domain::payments::card::CardProblem;
use actors::domain::payments::failure::FailureCode;
use actors::domain::payments::method::Method;
use askama::Template;

use super::state::{LastAttempt, Session, Stage};
use crate::pages::bill::SellerView;
use crate::pages::card::{self, CardFields, Field, FieldProblem, Notice};
use crate::pages::fields::Typed;
use crate::pages::language::{Words, fill};

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
    fn shown(self, t: &Words, methods: &[Method]) -> FieldProblem {
        match self {
            Self::Method => FieldProblem {
                field: methods.first().map_or("methods", |method| method.name()),
                text: t.choose_method,
            },
            Self::Phone => FieldProblem { field: "phone", text: t.enter_phone },
        }
    }

    pub(super) fn message(self) -> &'static str {
        match self {
            Self::Method => "paymentMethod must be one that the session offers",
            Self::Phone => "phone must be + and 8 to 15 digits",
        }
    }
}

#[derive(Template)]
#[template(path = "checkout.html", config = "src/pages/askama.toml")]
struct Page<'a> {
    t: &'static Words,
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
    /// What the form is headed with.
    heading: String,
    title: String,
    no_methods: String,
    leave: String,
}

impl Page<'_> {
    /// Whether a card may be typed.
    fn takes_card(&self) -> bool {
        self.tiles.iter().any(|tile| tile.is(Method::Card.name()))
    }
}

struct Tile {
    name: &'static str,
    title: &'static str,
    note: String,
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
        let t = session.t;
        let last = match session.stage {
            Stage::Open(last) => last,
            _ => None,
        };
        let expired = last == Some(LastAttempt::Failed(Method::Card, FailureCode::CardExpired))
            && self.card_problems.is_empty()
            && self.other.is_none();
        let tried = expired.then_some(FailureCode::CardExpired);
        let mut problems = card::problems(t, &self.card_problems, tried);
        problems.extend(self.other.map(|other| other.shown(t, &session.methods)));
        let notice = if problems.is_empty() { last.map(|last| notice(t, last)) } else { None };
        let failure = match last {
            Some(LastAttempt::Failed(_, code)) => Some(code),
            _ => None,
        };
        let card = CardFields::new(&problems, &self.typed).after(failure);
        let amount = t.money(session.payment.amount);
        let seller = &*session.seller.name;
        let of_seller = |text| fill(text, &[("seller", seller)]);
        Page {
            t,
            seller: &session.seller,
            logo,
            demo: session.payment.demo,
            form_url: &session.path(),
            pay: fill(t.pay_button, &[("amount", &amount)]),
            heading: match *session.methods {
                [Method::Card] => t.pay_by_card.to_owned(),
                [method] => t.with_method(t.pay_with, method),
                _ => t.how_to_pay.to_owned(),
            },
            title: t.pay_title(&amount, seller),
            no_methods: of_seller(t.no_methods),
            leave: of_seller(t.leave),
            amount,
            description: session.checkout.description.as_deref(),
            reference: &session.payment.reference,
            tiles: self.tiles(t, &session.methods, last),
            notice,
            card: match session.checkout.customer {
                Some(_) => card.with_saving(t, seller),
                None => card,
            },
            phone: Field::new(&problems, "phone"),
            phone_typed: &self.phone,
            problems: &problems,
        }
        .render()
    }

    fn tiles(&self, t: &Words, methods: &[Method], last: Option<LastAttempt>) -> Vec<Tile> {
        let chosen = self.chosen.or(last.map(LastAttempt::method));
        let chosen = chosen.filter(|chosen| methods.contains(chosen));
        let chosen = chosen.or(methods.first().copied());
        let tile = |method: &Method| Tile {
            name: method.name(),
            title: t.method(*method),
            note: note(t, *method),
            chosen: chosen == Some(*method),
        };
        methods.iter().map(tile).collect()
    }
}

impl Tile {
    /// What stands in for the mark of a method; marks themselves are their owners'.
    fn initial(&self) -> char {
        self.title.chars().next().unwrap_or_default()
    }

    fn is(&self, name: &str) -> bool {
        self.name == name
    }
}

fn notice(t: &Words, last: LastAttempt) -> Notice {
    match last {
        LastAttempt::Failed(method, code) => {
            let (title, text) = t.failure_with(method, code);
            Notice { class: "bad", title, text }
        }
        LastAttempt::GivenUp(_) => {
            Notice { class: "info", title: t.not_finished, text: t.not_finished_text }
        }
    }
}

/// What happens after the button.
fn note(t: &Words, method: Method) -> String {
    match method {
        Method::Card | Method::ApplePay | Method::GooglePay => String::new(),
        Method::Bancontact | Method::Wero | Method::Swish => t.with_method(t.note_goes_on, method),
        Method::MbWay => t.note_app.to_owned(),
        Method::Multibanco => t.note_reference.to_owned(),
    }
}
