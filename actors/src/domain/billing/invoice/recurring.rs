//! Invoices of due subscription terms, with the prorations bound to them (billing 4.5, 4.9;
//! decisions 4, 5, 11, 12).

mod parts;

use crate::domain::billing::invoice::compose::{put_together, require_due};
use crate::domain::billing::invoice::lines::{gross, whole_unit_price};
use crate::domain::billing::invoice::{
    AppliedCredit, Composed, ContractFacts, DaysCharged, Invoice, InvoiceLine, InvoiceLineId,
    InvoiceRefusal, InvoiceStatus, InvoiceType, LineSource, Origin, RatingBreakdown, SellerFacts,
    Terms,
};
use crate::domain::billing::test_clock::Moment;
use crate::domain::ids::InvoiceId;

pub use parts::{ConsumedProration, CutTerm, ProrationLeg, ProrationLine, RecurringLine};

/// The most credits that one line carries; further ones stay open for the next invoice.
const MAX_CREDITS_OF_LINE: usize = 1_000;

/// Composes the invoice of the due terms: at most one term of each subscription, the oldest
/// first come first on the document. `prorations` are those that may be bound to it, oldest
/// first; none while the binding is switched off.
///
/// # Errors
/// [`InvoiceRefusal::NothingDue`] without a term; [`InvoiceRefusal::DueBeforeIssue`],
/// [`InvoiceRefusal::TooLarge`], [`InvoiceRefusal::TooManyLines`].
pub fn compose_recurring(
    id: InvoiceId,
    contract: &ContractFacts,
    seller: &SellerFacts,
    terms: Terms,
    due: &[RecurringLine],
    prorations: &[ProrationLine],
    moment: Moment,
) -> Result<Composed, InvoiceRefusal> {
    terms.check_due_date(moment)?;
    require_due(Origin::Recurring, due.len())?;
    let mut lines = due.iter().map(|term| term.line(seller)).collect::<Result<Vec<_>, _>>()?;
    let mut consumed = Vec::new();
    let (charges, credits) =
        prorations.iter().partition::<Vec<_>, _>(|line| line.leg == ProrationLeg::Charge);
    for credit in credits {
        consumed.extend(credit.lower(&mut lines));
    }
    for charge in charges {
        consumed.push(charge.taking(charge.open_minor));
        if charge.open_minor > 0 {
            lines.push(charge.line(seller));
        }
    }
    let origin = (id, Origin::Recurring);
    let composed = put_together(origin, contract, seller, terms, lines, moment)?;
    Ok(Composed { prorations: consumed, ..composed })
}

/// Whether the recurring pass may go on from this document (decisions 12).
pub fn continues_from(invoice: &Invoice) -> bool {
    invoice.origin == Origin::Recurring
        && invoice.invoice_type == InvoiceType::Standard
        && !matches!(invoice.status, InvoiceStatus::Draft | InvoiceStatus::Voided)
}

impl RecurringLine {
    fn line(&self, seller: &SellerFacts) -> Result<InvoiceLine, InvoiceRefusal> {
        let (amount_minor, unit_price_minor, breakdown) = match self.cut {
            None => (gross(self.quantity, self.price_minor)?, Some(self.price_minor), None),
            Some(CutTerm { days, term_days, amount_minor }) => {
                let (price_minor, quantity) = (self.price_minor, self.quantity);
                let charged = DaysCharged { price_minor, quantity, days, term_days };
                let unit_price = whole_unit_price(amount_minor, quantity);
                (amount_minor, unit_price, Some(RatingBreakdown::CutTerm(charged)))
            }
        };
        Ok(InvoiceLine {
            id: InvoiceLineId(0),
            source: LineSource::Subscription,
            description: self.description.clone(),
            quantity: self.quantity,
            unit_price_minor,
            discount_minor: 0,
            amount_minor,
            tax_rate: self.tax_rate.unwrap_or(seller.default_tax_rate),
            tax_minor: 0,
            period_start: Some(self.period_start),
            period_end: Some(self.period_end),
            metric_name: None,
            subscription: Some(self.subscription),
            breakdown,
            credits: Vec::new(),
        })
    }
}

impl ProrationLine {
    /// Takes this credit off the line of its subscription, as far as the line reaches. `None`
    /// when nothing of it can be taken.
    fn lower(&self, lines: &mut [InvoiceLine]) -> Option<ConsumedProration> {
        if self.open_minor == 0 {
            return Some(self.taking(0));
        }
        let line = lines.iter_mut().find(|line| line.subscription == Some(self.subscription))?;
        let amount_minor = self.open_minor.min(line.amount_minor);
        if amount_minor <= 0 || line.credits.len() == MAX_CREDITS_OF_LINE {
            return None;
        }
        line.amount_minor -= amount_minor;
        line.discount_minor += amount_minor;
        line.credits.push(AppliedCredit { proration: self.id, amount_minor });
        Some(self.taking(amount_minor))
    }

    fn taking(&self, amount_minor: i64) -> ConsumedProration {
        let left_minor = self.open_minor - amount_minor;
        ConsumedProration { proration: self.id, amount_minor, left_minor }
    }

    /// The extra line of a charge.
    fn line(&self, seller: &SellerFacts) -> InvoiceLine {
        let charged = DaysCharged {
            price_minor: self.price_minor,
            quantity: self.quantity,
            days: self.days,
            term_days: self.term_days,
        };
        InvoiceLine {
            id: InvoiceLineId(0),
            source: LineSource::Proration,
            description: self.description.clone(),
            quantity: self.quantity,
            unit_price_minor: whole_unit_price(self.open_minor, self.quantity),
            discount_minor: 0,
            amount_minor: self.open_minor,
            tax_rate: self.tax_rate.unwrap_or(seller.default_tax_rate),
            tax_minor: 0,
            period_start: Some(self.period_start),
            period_end: Some(self.period_end),
            metric_name: None,
            subscription: Some(self.subscription),
            breakdown: Some(RatingBreakdown::Proration(charged, self.id)),
            credits: Vec::new(),
        }
    }
}
