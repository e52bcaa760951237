//! Credit notes and modified documents: what they take over of the document that they correct.

mod inherited;

use inherited::taxed_as;

use crate::domain::billing::invoice::compose::put_together;
use crate::domain::billing::invoice::lines::{MAX_TAX_SUBTOTALS, add_up, tax_summary, taxed};
use crate::domain::billing::invoice::manual::line_of;
use crate::domain::billing::invoice::{
    Composed, ContractFacts, Invoice, InvoiceLine, InvoiceRefusal, InvoiceStatus, InvoiceType,
    LineSource, NewInvoice, SellerFacts, Terms,
};
use crate::domain::billing::tax::{TaxSubtotal, added, tax_beyond};
use crate::domain::billing::test_clock::Moment;
use crate::domain::ids::InvoiceId;

impl NewInvoice {
    /// Takes over from the corrected document what the request does not state; what it states has
    /// to be the same there. `lines` are those of that document: a credit note is taxed as they
    /// are.
    pub fn filled(
        self,
        corrected: &Invoice,
        lines: &[InvoiceLine],
    ) -> Result<Self, InvoiceRefusal> {
        let recipient = self.bill_to.over(&corrected.bill_to);
        let note = self.invoice_type() == InvoiceType::CreditNote;
        let method = self.collection_method.filter(|_| note);
        for (differs, field) in [
            (self.contract.is_some_and(|stated| stated != corrected.contract), "contractId"),
            (self.origin != corrected.origin, "origin"),
            (self.currency.is_some_and(|stated| stated != corrected.currency), "currency"),
            (recipient != corrected.bill_to, "billTo"),
            (
                method.is_some_and(|stated| stated != corrected.collection_method),
                "collectionMethod",
            ),
        ] {
            if differs {
                return Err(InvoiceRefusal::NotAsCorrected(field));
            }
        }
        let own = self.lines.unwrap_or_default();
        let own = if note { taxed_as(own, lines)? } else { own };
        Ok(Self {
            contract: Some(corrected.contract),
            currency: Some(corrected.currency),
            collection_method: self.collection_method.or(Some(corrected.collection_method)),
            lines: Some(own),
            ..self
        })
    }
}

/// Composes a document that corrects another. It claims nothing and nets nothing by itself. A
/// credit note is stated in positive amounts and kept in negative ones; nothing is collected by
/// it.
pub fn compose_correction(
    id: InvoiceId,
    corrected: &Invoice,
    contract: &ContractFacts,
    seller: &SellerFacts,
    request: &NewInvoice,
    moment: Moment,
) -> Result<Composed, InvoiceRefusal> {
    request.check()?;
    if corrected.invoice_type == InvoiceType::CreditNote {
        return Err(InvoiceRefusal::CorrectsNote);
    }
    if corrected.status == InvoiceStatus::Voided {
        return Err(InvoiceRefusal::CorrectsVoided);
    }
    let facts = ContractFacts { bill_to: corrected.bill_to.clone(), ..contract.clone() };
    let terms = Terms { corrects: corrected.number, ..Terms::requested(request, &facts, seller)? };
    let source = request.origin.source_of_given_lines().unwrap_or(LineSource::Adjustment);
    let tax = seller.tax_rules(&facts, &terms.bill_to, moment);
    let lines = request.lines().iter().enumerate().map(|line| line_of(line, source, &tax));
    let lines = lines.collect::<Result<Vec<_>, _>>()?;
    let composed = put_together((id, request.origin), &facts, seller, terms, lines, moment)?;
    match request.invoice_type() {
        InvoiceType::CreditNote => credit_note(composed, corrected),
        _ => Ok(composed),
    }
}

/// The document as a credit note, within what others left of the corrected one. Together they are
/// taxed as one note of all their lines would be, so that the last one comes out even.
fn credit_note(composed: Composed, corrected: &Invoice) -> Result<Composed, InvoiceRefusal> {
    let Composed { mut invoice, mut lines, .. } = composed;
    let taxes = tax_beyond(&taxed(&lines), &corrected.credited_taxes)?;
    invoice.totals = add_up(invoice.id, &mut lines, taxes)?;
    invoice.tax_summary = tax_summary(&lines)?;
    let note_minor = invoice.totals.grand_total_minor;
    if note_minor == 0 {
        return Err(InvoiceRefusal::CreditNoteOfNothing);
    }
    let left_minor = corrected.creditable_minor();
    if note_minor > left_minor {
        return Err(InvoiceRefusal::CreditNoteTooLarge { left_minor });
    }
    check_tax(&invoice, corrected)?;
    let totals = &mut invoice.totals;
    for amount in [
        &mut totals.subtotal_minor,
        &mut totals.discount_minor,
        &mut totals.tax_minor,
        &mut totals.grand_total_minor,
    ] {
        *amount = -*amount;
    }
    for line in &mut lines {
        line.unit_price_minor = line.unit_price_minor.map(|price| -price);
        line.discount_minor = -line.discount_minor;
        line.amount_minor = -line.amount_minor;
        line.tax_minor = -line.tax_minor;
    }
    for subtotal in &mut invoice.tax_summary {
        *subtotal = subtotal.negated();
    }
    invoice.due_date = None;
    invoice.collectible_minor = 0;
    invoice.outstanding_minor = 0;
    Ok(Composed { invoice, lines, ..composed })
}

/// A note takes no more off a rate or a category of the corrected document than stands there, and
/// gives back no more tax than there is. What that document does not have at all is bound by its
/// totals alone.
fn check_tax(note: &Invoice, corrected: &Invoice) -> Result<(), InvoiceRefusal> {
    let credited = &corrected.credited_taxes;
    for &TaxSubtotal { category, rate, .. } in &note.tax_summary {
        let is_at_rate = |of: &TaxSubtotal| of.rate == rate;
        if let Some(left_minor) = exceeded(note, corrected, is_at_rate) {
            return Err(InvoiceRefusal::CreditNoteBeyondRate { rate, left_minor });
        }
        // Several categories share the rate of 0.
        let is_alike = |of: &TaxSubtotal| of.rate == rate && of.category == category;
        if let Some(left_minor) = exceeded(note, corrected, is_alike) {
            return Err(InvoiceRefusal::CreditNoteBeyondCategory { category, left_minor });
        }
    }
    if added(credited, &note.tax_summary)?.len() > MAX_TAX_SUBTOTALS {
        return Err(InvoiceRefusal::TooManyTaxRates(MAX_TAX_SUBTOTALS));
    }
    let before: i64 = credited.iter().map(|of| of.tax_minor).sum();
    let left_minor = (corrected.totals.tax_minor - before).max(0);
    if note.totals.tax_minor > left_minor {
        return Err(InvoiceRefusal::CreditNoteBeyondTax { left_minor });
    }
    Ok(())
}

/// What other notes left of a part of the corrected document before tax, where it has that part and
/// the note takes more off it.
fn exceeded(
    note: &Invoice,
    corrected: &Invoice,
    is_part: impl Fn(&TaxSubtotal) -> bool,
) -> Option<i64> {
    let net = |subtotals: &[TaxSubtotal]| -> i64 {
        subtotals.iter().filter(|of| is_part(of)).map(|of| of.taxable_minor).sum()
    };
    let left_minor = (net(&corrected.tax_summary) - net(&corrected.credited_taxes)).max(0);
    let is_of_corrected = corrected.tax_summary.iter().any(&is_part);
    (is_of_corrected && net(&note.tax_summary) > left_minor).then_some(left_minor)
}
