//! The simulated bank of demo mode (`/scheme/{token}`), which asks the buyer to confirm.

use actors::domain::money::Money;
use actors::domain::payments::card::CardSummary;
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
    /// With which card.
    pub card: Option<CardSummary>,
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
    card: Option<String>,
    form_url: &'a str,
    problem: Option<&'static str>,
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
            card: self.card.as_ref().map(words::card),
            form_url: &self.form_url,
            problem: self.unanswered.then_some("Please approve, decline or cancel."),
        }
        .render()
    }
}
