//! Documents of what a contract's items say is billed once: work that is done, one-time charges and
//! adjustments.

use crate::domain::billing::contract::{ComponentType, PricedItem};
use crate::domain::billing::invoice::compose::put_together;
use crate::domain::billing::invoice::manual::line_of;
use crate::domain::billing::invoice::nets::{Nets, keep_within_bounds};
use crate::domain::billing::invoice::{
    Composed, ContractFacts, InvoiceLine, InvoiceRefusal, LineSource, NewLine, Origin, SellerFacts,
    Terms,
};
use crate::domain::billing::test_clock::Moment;
use crate::domain::ids::InvoiceId;

/// The origin of the document that bills an item of this type once.
pub fn origin_of_item(component: ComponentType) -> Option<Origin> {
    match component {
        ComponentType::Project => Some(Origin::Project),
        ComponentType::Milestone => Some(Origin::Milestone),
        ComponentType::OneTime | ComponentType::Adjustment => Some(Origin::OneTime),
        _ => None,
    }
}

fn source_of_item(component: ComponentType) -> LineSource {
    match component {
        ComponentType::Project => LineSource::Project,
        ComponentType::Milestone => LineSource::Milestone,
        ComponentType::Adjustment => LineSource::Adjustment,
        _ => LineSource::OneTime,
    }
}

/// Composes the document of these items, all of one origin, a line for each. What is beyond the
/// amount of a document stays behind, and so does what cannot be billed, or not beside the others;
/// once nothing else is left it is refused.
pub fn compose_items(
    (id, origin): (InvoiceId, Origin),
    contract: &ContractFacts,
    seller: &SellerFacts,
    terms: Terms,
    items: &[PricedItem],
    moment: Moment,
) -> Result<Composed, InvoiceRefusal> {
    if items.is_empty() {
        return Err(InvoiceRefusal::NothingDue(origin));
    }
    let tax = seller.tax_rules(contract, &terms.bill_to, moment);
    let line = |(index, item): (usize, &PricedItem)| {
        let asked = NewLine {
            description: item.description.clone(),
            quantity: item.quantity,
            unit_price_minor: item.amount_minor,
            discount_minor: None,
            tax: item.tax,
            period_start: None,
            period_end: None,
        };
        let line = line_of((index, &asked), source_of_item(item.component), &tax)?;
        Ok(InvoiceLine { item: Some(item.id), ..line })
    };
    let (made, refused): (Vec<_>, Vec<_>) =
        items.iter().enumerate().map(line).partition(Result::is_ok);
    let lines = that_stand_together(made.into_iter().flatten().collect());
    if lines.is_empty() {
        let why = refused.into_iter().find_map(Result::err);
        return Err(why.unwrap_or(InvoiceRefusal::TooLarge));
    }
    put_together((id, origin), contract, seller, terms, lines, moment)
}

/// What one document can carry of lines, of which some are outside the scope of tax and stand
/// beside no other: the side of the first of them, or the other one where that can be billed and
/// the first cannot.
fn that_stand_together(lines: Vec<InvoiceLine>) -> Vec<InvoiceLine> {
    let is_out = |line: &InvoiceLine| line.tax_treatment().is_out_of_scope();
    let Some(first_is_out) = lines.first().map(is_out) else { return lines };
    let (mut first, mut other): (Vec<_>, Vec<_>) =
        lines.into_iter().partition(|line| is_out(line) == first_is_out);
    let can_be_billed = |side: &mut Vec<InvoiceLine>| {
        keep_within_bounds(side);
        !side.is_empty() && Nets::of(&*side).grand_total() >= 0
    };
    if !can_be_billed(&mut first) && can_be_billed(&mut other) { other } else { first }
}
