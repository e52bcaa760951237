//! Invoices with the caller's own lines: milestones, projects, one-time, marketplace and ad-hoc.

use crate::domain::billing::invoice::compose::put_together;
use crate::domain::billing::invoice::lines::gross;
use crate::domain::billing::invoice::{
    Composed, ContractFacts, InvoiceLine, InvoiceRefusal, LineSource, NewInvoice, NewLine,
    SellerFacts, Terms,
};
use crate::domain::billing::tax::TaxRules;
use crate::domain::billing::test_clock::Moment;
use crate::domain::ids::InvoiceId;

/// Composes an invoice of the lines that `request` states. For an ad-hoc invoice `contract` is
/// the one found or made for its recipient. An origin whose lines the engine makes is refused with
/// [`InvoiceRefusal::NothingDue`].
pub fn compose_manual(
    id: InvoiceId,
    contract: &ContractFacts,
    seller: &SellerFacts,
    request: &NewInvoice,
    moment: Moment,
) -> Result<Composed, InvoiceRefusal> {
    request.check()?;
    let source = request.origin.source_of_given_lines();
    let source = source.ok_or(InvoiceRefusal::NothingDue(request.origin))?;
    let terms = Terms::requested(request, contract, seller)?;
    let tax = seller.tax_rules(contract, &terms.bill_to, moment);
    let lines = request.lines().iter().enumerate().map(|line| line_of(line, source, &tax));
    let lines = lines.collect::<Result<Vec<_>, _>>()?;
    put_together((id, request.origin), contract, seller, terms, lines, moment)
}

pub(super) fn line_of(
    (index, line): (usize, &NewLine),
    source: LineSource,
    tax: &TaxRules,
) -> Result<InvoiceLine, InvoiceRefusal> {
    let treatment = tax.treat(line.tax);
    if line.tax.category.is_some_and(|stated| stated != treatment.category) {
        let (field, problem) = ("taxCategory", "S needs a taxRate above 0");
        return Err(InvoiceRefusal::Line { index, field, problem });
    }
    line.check_delivery(index)?;
    let discount_minor = line.discount_minor.unwrap_or(0);
    let amount_minor = gross(line.quantity, line.unit_price_minor)? - discount_minor;
    let words = line.description.clone();
    Ok(InvoiceLine {
        unit_price_minor: Some(line.unit_price_minor),
        discount_minor,
        period_start: line.period_start,
        period_end: line.period_end,
        tax_kind: line.tax.kind,
        ..InvoiceLine::plain(source, words, line.quantity, amount_minor, treatment)
    })
}
