//! The page that stands in for whoever asks the buyer (`/scheme/{token}`): the bank behind a
//! card, a scheme's own page, the app on the telephone, or the machine that takes a reference.

use actors::domain::money::Money;
use actors::domain::payments::card::CardSummary;
use actors::domain::payments::method::Method;
use actors::domain::payments::payment::Instructions;
use askama::Template;

use crate::pages::assets::ASSETS;
use crate::pages::bill::SellerView;
use crate::pages::words;

/// What the page shows.
#[derive(Clone, Debug)]
pub struct SchemePage {
    /// Who is paid.
    pub seller: SellerView,
    /// How much.
    pub amount: Money,
    /// By which method.
    pub method: Method,
    /// With which card.
    pub card: Option<CardSummary>,
    /// What the buyer was told to go by.
    pub instructions: Option<Instructions>,
    /// The page's own address, which the form posts to.
    pub form_url: String,
    /// Whether the last post named no answer.
    pub unanswered: bool,
}

#[derive(Template)]
#[template(path = "scheme.html", config = "src/pages/askama.toml")]
struct Page<'a> {
    stylesheet: &'a str,
    script: &'a str,
    icon: &'a str,
    seller: &'a SellerView,
    amount: String,
    stand_in: StandIn,
    facts: Vec<(&'static str, String)>,
    form_url: &'a str,
    problem: Option<&'static str>,
}

/// Whom the page stands in for, and what it asks.
#[derive(Clone, Copy)]
struct StandIn {
    mark: &'static str,
    name: &'static str,
    note: &'static str,
    what: &'static str,
    heading: &'static str,
    approve: &'static str,
}

impl StandIn {
    fn of(method: Method) -> Self {
        match method {
            Method::Card | Method::ApplePay | Method::GooglePay => Self {
                mark: "B",
                name: "Demo Bank",
                note: "3-D Secure",
                what: "your bank's 3-D Secure check",
                heading: "Confirm your payment",
                approve: "Approve payment",
            },
            Method::Bancontact => Self::scheme("Bancontact", "B", "the page of Bancontact"),
            Method::Wero => Self::scheme("Wero", "W", "the page of Wero"),
            Method::Swish => Self::scheme("Swish", "S", "the Swish app"),
            Method::MbWay => Self {
                mark: "M",
                name: "MB WAY",
                note: "The app on your phone",
                what: "the MB WAY app on the buyer's phone",
                heading: "A payment asks for your approval",
                approve: "Approve in the app",
            },
            Method::Multibanco => Self {
                mark: "M",
                name: "Multibanco",
                note: "Cash machine or home banking",
                what: "a cash machine or the buyer's home banking",
                heading: "Pay a reference",
                approve: "Pay the reference",
            },
        }
    }

    fn scheme(name: &'static str, mark: &'static str, what: &'static str) -> Self {
        Self {
            mark,
            name,
            note: "Simulated",
            what,
            heading: "Confirm your payment",
            approve: "Approve payment",
        }
    }
}

impl SchemePage {
    /// The page as HTML.
    ///
    /// # Errors
    /// Only if the template cannot be written, which a text in memory never refuses.
    pub fn render(&self) -> askama::Result<String> {
        Page {
            stylesheet: &ASSETS.stylesheet.path,
            script: &ASSETS.script.path,
            icon: &ASSETS.icon.path,
            seller: &self.seller,
            amount: words::amount(self.amount),
            stand_in: StandIn::of(self.method),
            facts: self.facts(),
            form_url: &self.form_url,
            problem: self.unanswered.then_some("Please approve, decline or cancel."),
        }
        .render()
    }

    fn facts(&self) -> Vec<(&'static str, String)> {
        let mut facts: Vec<_> = self.card.iter().map(|card| ("Card", words::card(card))).collect();
        match &self.instructions {
            Some(Instructions::Reference { entity, reference }) => {
                facts.push(("Entity", entity.clone()));
                facts.push(("Reference", reference.clone()));
            }
            Some(Instructions::App { phone }) => facts.push(("Phone", words::masked_phone(phone))),
            None => {}
        }
        facts
    }
}
