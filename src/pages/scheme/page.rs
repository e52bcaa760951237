//! The page that stands in for whoever asks the buyer (`/scheme/{token}`): the bank behind a
//! card, a scheme's own page, the app on the telephone, or the machine that takes a reference.

use actors::domain::payments::method::Method;
use actors::domain::payments::payment::{Instructions, Payment};
use askama::Template;

use crate::pages::bill::SellerView;
use crate::pages::words;

#[derive(Template)]
#[template(path = "scheme.html", config = "src/pages/askama.toml")]
pub struct SchemePage {
    seller: SellerView,
    amount: String,
    stand_in: StandIn,
    facts: Vec<(&'static str, String)>,
    form_url: String,
    problem: Option<&'static str>,
    pub(super) is_closed: bool,
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
    /// The question about `payment`; `unanswered` when the last post named no answer.
    pub(super) fn new(
        payment: &Payment,
        seller: SellerView,
        form_url: String,
        unanswered: bool,
    ) -> Self {
        Self {
            seller,
            amount: words::amount(payment.amount),
            stand_in: StandIn::of(payment.method),
            facts: facts(payment),
            form_url,
            problem: unanswered.then_some("Please approve, decline or cancel."),
            is_closed: false,
        }
    }
}

fn facts(payment: &Payment) -> Vec<(&'static str, String)> {
    let mut facts: Vec<_> = payment.card.iter().map(|card| ("Card", words::card(card))).collect();
    match &payment.instructions {
        Some(Instructions::Reference { entity, reference }) => {
            facts.push(("Entity", entity.clone()));
            facts.push(("Reference", reference.clone()));
        }
        Some(Instructions::App { phone }) => facts.push(("Phone", words::masked_phone(phone))),
        None => {}
    }
    facts
}
