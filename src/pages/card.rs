//! The fields of a card, as every page that takes one shows them.

use actors::domain::payments::card::{CardField, CardProblem};
use actors::domain::payments::failure::FailureCode;

use super::fields::Typed;
use super::language::{Words, fill};

/// An entry of the summary above a form; it leads to its field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FieldProblem {
    pub(super) field: &'static str,
    pub(super) text: &'static str,
}

pub(super) struct Notice {
    pub(super) class: &'static str,
    pub(super) title: &'static str,
    pub(super) text: &'static str,
}

pub(super) struct Field {
    name: &'static str,
    pub(super) text: Option<&'static str>,
}

pub(super) struct CardFields<'a> {
    pub(super) number: Field,
    pub(super) expiry: Field,
    pub(super) cvv: Field,
    pub(super) holder: Field,
    pub(super) country: Field,
    pub(super) zip: Field,
    pub(super) typed: &'a Typed,
    /// Whether name and address are shown before they are asked for: something is wrong there.
    pub(super) more: bool,
    /// What saving the card means, where the buyer may have it saved.
    pub(super) saving: Option<Saving>,
}

/// The box that lets the card be saved.
pub(super) struct Saving {
    pub(super) label: &'static str,
    pub(super) note: String,
    pub(super) field: Field,
}

pub(super) struct TestCard {
    pub(super) number: &'static str,
    pub(super) meaning: &'static str,
}

/// The cards that a demo page offers.
pub(super) fn test_cards(t: &Words) -> [TestCard; 7] {
    [
        TestCard { number: "4242 4242 4242 4242", meaning: t.test_approved },
        TestCard { number: "5555 5555 5555 4444", meaning: t.test_approved },
        TestCard { number: "4000 0000 0000 3220", meaning: t.test_asks_bank },
        TestCard { number: "4000 0000 0000 0002", meaning: t.test_declined },
        TestCard { number: "4000 0000 0000 0259", meaning: t.test_times_out },
        TestCard { number: "4000 0000 0000 0341", meaning: t.test_declined_later },
        TestCard { number: "4000 0000 0000 9979", meaning: t.test_times_out_later },
    ]
}

impl Field {
    pub(super) fn new(problems: &[FieldProblem], name: &'static str) -> Self {
        Self { name, text: problems.iter().find(|p| p.field == name).map(|p| p.text) }
    }

    /// Ties the field to its message, for those who do not see it beside the field.
    pub(super) fn attributes(&self) -> String {
        match self.text {
            Some(_) => {
                format!(r#" aria-invalid="true" aria-describedby="{}-problem""#, self.name)
            }
            None => String::new(),
        }
    }
}

impl<'a> CardFields<'a> {
    /// The fields with what is wrong with them, and with what was typed and may be shown again.
    pub(super) fn new(problems: &[FieldProblem], typed: &'a Typed) -> Self {
        let field = |field: CardField| Field::new(problems, name_of(field));
        let beside = [CardField::Holder, CardField::Country, CardField::Zip].map(name_of);
        Self {
            number: field(CardField::Number),
            expiry: field(CardField::ExpMonth),
            cvv: field(CardField::Cvv),
            holder: field(CardField::Holder),
            country: field(CardField::Country),
            zip: field(CardField::Zip),
            typed,
            more: problems.iter().any(|problem| beside.contains(&problem.field)),
            saving: None,
        }
    }

    /// The same after an attempt that failed for this reason.
    pub(super) fn after(self, failure: Option<FailureCode>) -> Self {
        Self { more: self.more || failure == Some(FailureCode::AddressMismatch), ..self }
    }

    /// With the box that lets the card be saved for this seller.
    pub(super) fn with_saving(self, t: &Words, seller: &str) -> Self {
        let note = fill(t.save_card_note, &[("seller", seller)]);
        let saving = Saving { label: t.save_card, note, field: Field::new(&[], "saveCard") };
        Self { saving: Some(saving), ..self }
    }

    /// With the box that has to be ticked: the card is kept, and charged when nobody is there.
    pub(super) fn with_consent(self, t: &Words, problems: &[FieldProblem], seller: &str) -> Self {
        let note = fill(t.consent_note, &[("seller", seller)]);
        let saving = Saving { label: t.consent, note, field: Field::new(problems, "saveCard") };
        Self { saving: Some(saving), ..self }
    }
}

/// The field of the page: month and year are one.
fn name_of(field: CardField) -> &'static str {
    match field {
        CardField::ExpMonth | CardField::ExpYear => "expiry",
        other => other.name(),
    }
}

/// What is wrong with a card that was typed, or with the one that was tried last: one that has
/// expired is a matter of its field.
pub(super) fn problems(
    t: &Words,
    found: &[CardProblem],
    failure: Option<FailureCode>,
) -> Vec<FieldProblem> {
    let mut problems: Vec<_> = found
        .iter()
        .map(|p| FieldProblem { field: name_of(p.field()), text: t.card_problem(*p) })
        .collect();
    problems.dedup_by_key(|problem| problem.field);
    if failure == Some(FailureCode::CardExpired) {
        problems.push(FieldProblem { field: name_of(CardField::ExpMonth), text: t.expired_field });
    }
    problems
}
