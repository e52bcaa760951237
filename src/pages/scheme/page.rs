//! The page that stands in for whoever asks the buyer (`/scheme/{token}`): the bank behind a
//! card, a scheme's own page, the app on the telephone, or the machine that takes a reference.

use actors::domain::payments::method::Method;
use actors::domain::payments::payment::{Instructions, Payment};
use askama::Template;

use crate::pages::bill::SellerView;
use crate::pages::language::{Words, fill};

#[derive(Template)]
#[template(path = "scheme.html", config = "src/pages/askama.toml")]
pub struct SchemePage {
    t: &'static Words,
    seller: SellerView,
    amount: String,
    stand_in: StandIn,
    facts: Vec<(&'static str, String)>,
    form_url: String,
    problem: Option<&'static str>,
    pub(super) is_closed: bool,
}

/// Whom the page stands in for, and what it asks.
struct StandIn {
    mark: &'static str,
    name: &'static str,
    note: &'static str,
    what: String,
    heading: &'static str,
    approve: &'static str,
}

impl StandIn {
    fn of(t: &Words, method: Method) -> Self {
        match method {
            Method::Card | Method::ApplePay | Method::GooglePay => Self {
                mark: "B",
                name: t.demo_bank,
                note: "3-D Secure",
                what: t.stands_for_bank.to_owned(),
                heading: t.confirm_heading,
                approve: t.approve_payment,
            },
            Method::Bancontact => Self::scheme(t, method, "B", t.stands_for_method),
            Method::Wero => Self::scheme(t, method, "W", t.stands_for_method),
            Method::Swish => Self::scheme(t, method, "S", t.stands_for_app),
            Method::MbWay => Self {
                mark: "M",
                name: t.method(method),
                note: t.app_note,
                what: t.with_method(t.stands_for_app, method),
                heading: t.app_heading,
                approve: t.approve_app,
            },
            Method::Multibanco => Self {
                mark: "M",
                name: t.method(method),
                note: t.machine_note,
                what: t.stands_for_machine.to_owned(),
                heading: t.machine_heading,
                approve: t.approve_reference,
            },
        }
    }

    fn scheme(t: &Words, method: Method, mark: &'static str, what: &str) -> Self {
        Self {
            mark,
            name: t.method(method),
            note: t.simulated,
            what: t.with_method(what, method),
            heading: t.confirm_heading,
            approve: t.approve_payment,
        }
    }
}

impl SchemePage {
    /// The question about `payment`; `unanswered` when the last post named no answer.
    pub(super) fn new(
        t: &'static Words,
        payment: &Payment,
        seller: SellerView,
        form_url: String,
        unanswered: bool,
    ) -> Self {
        Self {
            t,
            seller,
            amount: t.money(payment.amount),
            stand_in: StandIn::of(t, payment.method),
            facts: facts(t, payment),
            form_url,
            problem: unanswered.then_some(t.answer_please),
            is_closed: false,
        }
    }

    fn title(&self) -> String {
        let values = [("amount", &*self.amount), ("seller", &*self.seller.name)];
        fill(self.t.confirm_title, &values)
    }
}

fn facts(t: &Words, payment: &Payment) -> Vec<(&'static str, String)> {
    let mut facts: Vec<_> = payment.card.iter().map(|card| (t.method_card, t.card(card))).collect();
    match &payment.instructions {
        Some(Instructions::Reference { entity, reference }) => {
            facts.push((t.entity, entity.clone()));
            facts.push((t.reference, reference.clone()));
        }
        Some(Instructions::App { phone }) => facts.push((t.phone, t.masked_phone(phone))),
        None => {}
    }
    facts
}
