//! The page that takes a card (`/pay/{token}`).

use actors::domain::payments::card::{CardField, CardProblem};
use actors::domain::payments::failure::FailureCode;
use askama::Template;

use crate::pages::assets::ASSETS;
use crate::pages::bill::{BillView, SellerView};
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
    typed: &'a Typed,
    problems: Vec<Problem>,
    failure: Option<Failure>,
    action_url: Option<&'a str>,
    number: Field,
    month: Field,
    year: Field,
    cvv: Field,
    holder: Field,
    test_cards: &'a [TestCard],
}

/// An entry of the summary above the form; it leads to its field.
struct Problem {
    field: &'static str,
    text: &'static str,
}

/// A field and what is wrong with it.
struct Field {
    name: &'static str,
    text: Option<&'static str>,
}

struct Failure {
    title: &'static str,
    text: &'static str,
}

struct TestCard {
    number: &'static str,
    meaning: &'static str,
}

/// The cards of demo mode (decisions 7).
const TEST_CARDS: [TestCard; 5] = [
    TestCard { number: "4242 4242 4242 4242", meaning: "approved" },
    TestCard { number: "5555 5555 5555 4444", meaning: "approved" },
    TestCard { number: "4000 0000 0000 3220", meaning: "asks the bank" },
    TestCard { number: "4000 0000 0000 0002", meaning: "declined" },
    TestCard { number: "4000 0000 0000 0259", meaning: "times out" },
];

impl Field {
    fn new(problems: &[Problem], field: CardField) -> Self {
        let name = field.name();
        Self { name, text: problems.iter().find(|p| p.field == name).map(|p| p.text) }
    }

    /// Ties the field to its message, for those who do not see it beside the field.
    fn attributes(&self) -> String {
        match self.text {
            Some(_) => {
                format!(r#" aria-invalid="true" aria-describedby="{}-problem""#, self.name)
            }
            None => String::new(),
        }
    }
}

impl PayForm {
    /// The page as HTML.
    ///
    /// # Errors
    /// Only if the template cannot be written, which a text in memory never refuses.
    pub fn render(&self) -> askama::Result<String> {
        let mut problems: Vec<_> = self
            .problems
            .iter()
            .map(|p| Problem { field: p.field().name(), text: words::card_problem(*p) })
            .collect();
        if self.failure == Some(FailureCode::CardExpired) {
            problems.push(Problem {
                field: CardField::ExpMonth.name(),
                text: "This card has expired. Please use another card.",
            });
        }
        let failure = self.failure.filter(|code| *code != FailureCode::CardExpired).map(|code| {
            let (title, text) = words::failure(code);
            Failure { title, text }
        });
        let field = |field| Field::new(&problems, field);
        Page {
            stylesheet: &ASSETS.stylesheet.path,
            script: &ASSETS.script.path,
            icon: &ASSETS.icon.path,
            seller: &self.seller,
            bill: &self.bill,
            demo: self.demo,
            form_url: &self.form_url,
            typed: &self.typed,
            number: field(CardField::Number),
            month: field(CardField::ExpMonth),
            year: field(CardField::ExpYear),
            cvv: field(CardField::Cvv),
            holder: field(CardField::Holder),
            failure,
            action_url: self.action_url.as_deref(),
            test_cards: &TEST_CARDS,
            problems,
        }
        .render()
    }
}

#[cfg(test)]
mod tests;
