//! The page that takes a card (`/pay/{token}`).

use actors::domain::payments::card::CardProblem;
use actors::domain::payments::failure::FailureCode;
use askama::Template;

use crate::pages::assets::ASSETS;
use crate::pages::bill::{BillView, SellerView};
use crate::pages::card::{self, CardFields, FieldProblem, TEST_CARDS, TestCard};
use crate::pages::fields::Typed;
use crate::pages::words;

/// What the page shows.
#[derive(Clone, Debug)]
pub struct PayForm {
    /// Who is paid.
    pub seller: SellerView,
    /// What is paid.
    pub bill: BillView,
    /// Whether the seller is in demo mode: test cards are shown then, and only then.
    pub demo: bool,
    /// The page's own address, which the form posts to.
    pub form_url: String,
    /// What the buyer typed before and may see again.
    pub typed: Typed,
    /// What is wrong with it.
    pub problems: Vec<CardProblem>,
    /// Why the last attempt failed.
    pub failure: Option<FailureCode>,
    /// Where an attempt that waits for the buyer goes on.
    pub action_url: Option<String>,
}

#[derive(Template)]
#[template(path = "pay.html", config = "src/pages/askama.toml")]
struct Page<'a> {
    stylesheet: &'a str,
    script: &'a str,
    icon: &'a str,
    seller: &'a SellerView,
    bill: &'a BillView,
    demo: bool,
    form_url: &'a str,
    problems: &'a [FieldProblem],
    failure: Option<Failure>,
    action_url: Option<&'a str>,
    card: CardFields<'a>,
    test_cards: &'a [TestCard],
}

struct Failure {
    title: &'static str,
    text: &'static str,
}

impl PayForm {
    /// The page as HTML.
    ///
    /// # Errors
    /// Only if the template cannot be written, which a text in memory never refuses.
    pub fn render(&self) -> askama::Result<String> {
        let problems = card::problems(&self.problems, self.failure);
        let failure = self.failure.filter(|code| *code != FailureCode::CardExpired).map(|code| {
            let (title, text) = words::failure(code);
            Failure { title, text }
        });
        Page {
            stylesheet: &ASSETS.stylesheet.path,
            script: &ASSETS.script.path,
            icon: &ASSETS.icon.path,
            seller: &self.seller,
            bill: &self.bill,
            demo: self.demo,
            form_url: &self.form_url,
            card: CardFields::new(&problems, &self.typed),
            problems: &problems,
            failure,
            action_url: self.action_url.as_deref(),
            test_cards: &TEST_CARDS,
        }
        .render()
    }
}

#[cfg(test)]
mod tests;
