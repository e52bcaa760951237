//! The page that takes a card (`/pay/{token}`).

use actors::domain::payments::card::CardProblem;
use actors::domain::payments::failure::FailureCode;
use askama::Template;

use crate::pages::bill::{BillView, SellerView};
use crate::pages::card::{self, CardFields, FieldProblem, Notice};
use crate::pages::fields::Typed;
use crate::pages::language::{Words, fill};

#[derive(Clone, Debug, Template)]
#[template(path = "pay.html", config = "src/pages/askama.toml")]
pub struct PayForm {
    pub t: &'static Words,
    pub seller: SellerView,
    pub bill: BillView,
    /// Whether the seller is in demo mode: test cards are shown then, and only then.
    pub demo: bool,
    pub form_url: String,
    /// What the buyer typed before and may see again.
    pub typed: Typed,
    pub problems: Vec<CardProblem>,
    pub failure: Option<FailureCode>,
    pub action_url: Option<String>,
    /// Whether the buyer may have the card saved, or has to.
    pub saves: Option<Saving>,
    /// Where a promo code is taken.
    pub promo: Option<PromoView>,
    /// That the amount is another one than the buyer had seen.
    pub changed: Option<&'static str>,
    /// What is agreed upon with the payment, a line each.
    pub terms: Vec<String>,
    /// What title and button say where they do not say an amount.
    pub begins: Option<&'static str>,
    /// What goes along with the card: the price that the buyer sees.
    pub seen: Vec<(&'static str, String)>,
    /// Whether the buyer may cancel instead.
    pub may_cancel: bool,
}

/// How the card is saved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Saving {
    /// If its holder wants it.
    Offered,
    /// Nothing goes on without it; `missing` once that was overlooked.
    Needed { missing: bool },
}

/// The field of a promo code.
#[derive(Clone, Debug)]
pub struct PromoView {
    pub typed: String,
    pub problem: Option<&'static str>,
}

impl PayForm {
    /// A form that takes a card and nothing else.
    pub fn plain(
        t: &'static Words,
        seller: SellerView,
        bill: BillView,
        demo: bool,
        form_url: String,
    ) -> Self {
        Self {
            t,
            seller,
            bill,
            demo,
            form_url,
            typed: Typed::default(),
            problems: Vec::new(),
            failure: None,
            action_url: None,
            saves: None,
            promo: None,
            changed: None,
            terms: Vec::new(),
            begins: None,
            seen: Vec::new(),
            may_cancel: false,
        }
    }

    fn title(&self) -> String {
        match self.begins {
            Some(text) => format!("{text} – {}", self.seller.name),
            None => self.t.pay_title(&self.bill.amount, &self.seller.name),
        }
    }

    fn pay(&self) -> String {
        match self.begins {
            Some(text) => text.to_owned(),
            None => fill(self.t.pay_button, &[("amount", &self.bill.amount)]),
        }
    }

    fn field_problems(&self) -> Vec<FieldProblem> {
        let mut problems = card::problems(self.t, &self.problems, self.failure);
        if self.saves == (Some(Saving::Needed { missing: true })) {
            let text = self.t.consent_missing;
            problems.push(FieldProblem { field: "saveCard", text });
        }
        if let Some(text) = self.promo.as_ref().and_then(|promo| promo.problem) {
            problems.push(FieldProblem { field: "promoCode", text });
        }
        problems
    }

    /// What the problems are headed by: not all of them need be the card's.
    fn check(&self) -> &'static str {
        let of_card = card::problems(self.t, &self.problems, self.failure).len();
        if self.field_problems().len() > of_card { self.t.check_form } else { self.t.check_card }
    }

    /// Why the last attempt failed; an expired card is told beside its field.
    fn notice(&self) -> Option<Notice> {
        let code = self.failure.filter(|code| *code != FailureCode::CardExpired)?;
        let (title, text) = self.t.failure(code);
        Some(Notice { class: "bad", title, text })
    }

    fn card(&self, problems: &[FieldProblem]) -> CardFields<'_> {
        let fields = CardFields::new(problems, &self.typed).after(self.failure);
        match self.saves {
            None => fields,
            Some(Saving::Offered) => fields.with_saving(self.t, &self.seller.name),
            Some(Saving::Needed { .. }) => fields.with_consent(self.t, problems, &self.seller.name),
        }
    }
}

#[cfg(test)]
mod tests;
