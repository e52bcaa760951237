//! Invoices of due subscription terms, with the prorations bound to them.

mod parts;

use crate::domain::billing::invoice::compose::{put_together, require_due};
use crate::domain::billing::invoice::lines::{gross, whole_unit_price};
use crate::domain::billing::invoice::nets::Nets;
use crate::domain::billing::invoice::{
    AppliedCredit, CollectionMethod, Composed, ContractFacts, DaysCharged, Invoice, InvoiceLine,
    InvoiceRefusal, InvoiceStatus, InvoiceType, LineSource, Origin, ProrationBreakdown,
    RatingBreakdown, SellerFacts, Terms,
};
use crate::domain::billing::subscription::{ProrationKind, ProrationPart};
use crate::domain::billing::tax::{StatedTax, TaxRules, TaxTreatment};
use crate::domain::billing::test_clock::Moment;
use crate::domain::ids::{InvoiceId, SubscriptionId};
use crate::domain::quantity::TaxRate;

pub use parts::{
    ConsumedProration, CreditLeft, CutTerm, ProrationLine, RecurringLine, credits_left,
};

/// The most credits that one line carries; further ones stay open for the next invoice.
const MAX_CREDITS_OF_LINE: usize = 24;

/// Composes the invoice of the due terms: at most one term of each subscription, the oldest
/// first come first on the document. `prorations` are those that may be bound to it, oldest
/// first; none while the binding is switched off. A charge whose subscription has no other term
/// to wait for is due by itself. What is beyond the amount of a document stays behind, and so does
/// what cannot stand beside the first of it.
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
    let alone = prorations.iter().filter(|line| line.is_due_alone()).count();
    require_due(Origin::Recurring, due.len() + alone)?;
    let tax = &seller.tax_rules(contract, &terms.bill_to, moment);
    let mut lines = due.iter().map(|term| term.line(tax)).collect::<Result<Vec<_>, _>>()?;
    let (mut nets, mut consumed) = (Nets::default(), Vec::new());
    let (charges, credits) =
        prorations.iter().partition::<Vec<_>, _>(|line| line.kind == ProrationKind::Charge);
    let first = first_asked(&lines, &charges, tax);
    let stands = |of: TaxTreatment| {
        first.is_some_and(|first| first.is_out_of_scope() == of.is_out_of_scope())
    };
    lines.retain(|line| {
        stands(line.tax_treatment()) && nets.takes(line.amount_minor, line.tax_rate)
    });
    let mut asking = lines.len();
    for charge in charges {
        let treatment = charge.treatment(tax);
        let is_carried = charge.open_minor == 0 || stands(treatment);
        if !is_carried || !nets.takes(charge.open_minor, treatment.rate) {
            continue;
        }
        asking += usize::from(charge.is_due_alone());
        consumed.push(charge.taking(charge.open_minor));
        if charge.open_minor > 0 {
            lines.push(charge.line(charge.open_minor, tax));
        }
    }
    if asking == 0 {
        return Err(InvoiceRefusal::TooLarge);
    }
    // Discounts come first: a line below zero takes of what they leave.
    let mut rests = Vec::new();
    for credit in credits {
        // It becomes stored credit, with the tax of its term.
        if credit.open_minor > 0 && !stands(credit.treatment(tax)) {
            continue;
        }
        let (discount, rest) = credit.lower_term(&mut lines, tax);
        consumed.extend(discount);
        rests.extend(rest);
    }
    for rest in rests {
        consumed.extend(rest.line_below_zero(&mut lines, tax));
    }
    let origin = (id, Origin::Recurring);
    let terms = terms.collected_as(&lines, |subscription| method_of(subscription, due, prorations));
    let composed = put_together(origin, contract, seller, terms, lines, moment)?;
    Ok(Composed { prorations: consumed, ..composed })
}

/// How the first of what asks for a document is taxed, of as much as one can carry.
fn first_asked(
    terms: &[InvoiceLine],
    charges: &[&ProrationLine],
    tax: &TaxRules,
) -> Option<TaxTreatment> {
    let terms = terms.iter().map(|line| (line.amount_minor, line.tax_treatment()));
    let alone = charges.iter().filter(|charge| charge.is_due_alone());
    let alone = alone.map(|charge| (charge.open_minor, charge.treatment(tax)));
    let can_carry = |(minor, of): &(i64, TaxTreatment)| Nets::default().takes(*minor, of.rate);
    terms.chain(alone).find(can_carry).map(|(_, of)| of)
}

fn method_of(
    subscription: SubscriptionId,
    due: &[RecurringLine],
    prorations: &[ProrationLine],
) -> Option<CollectionMethod> {
    let of_terms = due.iter().map(|line| (line.subscription, line.collection_method));
    let of_prorations = prorations.iter().map(|line| (line.subscription, line.collection_method));
    of_terms.chain(of_prorations).find(|(id, _)| *id == subscription).map(|(_, method)| method)
}

/// Whether the recurring pass may go on from this document.
pub fn continues_from(invoice: &Invoice) -> bool {
    invoice.origin == Origin::Recurring
        && invoice.invoice_type == InvoiceType::Standard
        && !matches!(invoice.status, InvoiceStatus::Draft | InvoiceStatus::Voided)
}

impl Composed {
    /// Whether the document carries a term that is due.
    pub fn bills(&self, term: &RecurringLine) -> bool {
        self.lines.iter().any(|line| line.bills_term(term.subscription, term.period_start))
    }
}

impl RecurringLine {
    fn line(&self, tax: &TaxRules) -> Result<InvoiceLine, InvoiceRefusal> {
        let (amount_minor, unit_price_minor, breakdown) = match self.cut {
            None => (gross(self.quantity, self.price_minor)?, Some(self.price_minor), None),
            Some(CutTerm { days, term_days, amount_minor }) => {
                let (price_minor, quantity) = (self.price_minor, self.quantity);
                let charged = DaysCharged { price_minor, quantity, days, term_days };
                let unit_price = whole_unit_price(amount_minor, quantity);
                (amount_minor, unit_price, Some(RatingBreakdown::CutTerm(charged)))
            }
        };
        let treatment = tax.treat(StatedTax::of_rate(self.tax_rate));
        let (source, words) = (LineSource::Subscription, self.description.clone());
        Ok(InvoiceLine {
            unit_price_minor,
            period_start: Some(self.period_start),
            period_end: Some(self.period_end),
            subscription: Some(self.subscription),
            breakdown,
            ..InvoiceLine::plain(source, words, self.quantity, amount_minor, treatment)
        })
    }
}

impl ProrationLine {
    fn is_due_alone(&self) -> bool {
        self.last && self.kind == ProrationKind::Charge && self.open_minor > 0
    }

    /// How it is taxed: a credit as the term was whose days it gives back, also where the tax is
    /// another one by now.
    fn treatment(&self, tax: &TaxRules) -> TaxTreatment {
        let now = tax.treat(StatedTax::of_rate(self.tax_rate));
        match self.billed_tax {
            // All that is known of it holds now as well.
            Some(StatedTax { category: None, rate, .. }) if rate == Some(now.rate) => now,
            Some(billed) => tax.treat(billed),
            None => now,
        }
    }

    /// The line of its subscription's term, if that is taxed as this credit is.
    fn term_of_its_tax(&self, lines: &[InvoiceLine], tax: &TaxRules) -> Option<usize> {
        let treatment = self.treatment(tax);
        let term = lines.iter().position(|line| self.is_term(line))?;
        (lines[term].tax_treatment() == treatment).then_some(term)
    }

    fn is_term(&self, line: &InvoiceLine) -> bool {
        line.source == LineSource::Subscription && line.subscription == Some(self.subscription)
    }

    /// Whether what is left of this credit waits for a term that is billed later: one goes on, and
    /// none is billed here, or its line carries no more credits though something is left of it.
    fn waits_after(&self, lines: &[InvoiceLine]) -> bool {
        let term = lines.iter().find(|line| self.is_term(line));
        let has_room = |line: &InvoiceLine| line.amount_minor > 0 && bears_no_more(line);
        !self.last && term.is_none_or(has_room)
    }

    /// Takes this credit off the line of its subscription's term where that is taxed alike: what
    /// of it is a discount there, and what of it can only be a line below zero. That is a credit
    /// without such a line, and what the last document's line leaves.
    fn lower_term(
        &self,
        lines: &mut [InvoiceLine],
        tax: &TaxRules,
    ) -> (Option<ConsumedProration>, Option<Self>) {
        if self.open_minor == 0 {
            return (Some(self.taking(0)), None);
        }
        let Some(term) = self.term_of_its_tax(lines, tax) else {
            return (None, Some(self.clone()));
        };
        let discount = self.discount(&mut lines[term]);
        let rest = discount.as_ref().map_or_else(|| self.clone(), |taken| self.after(taken));
        (discount, self.last.then_some(rest))
    }

    /// What is left of it once this much is taken.
    fn after(&self, taken: &ConsumedProration) -> Self {
        let mut rest = self.clone();
        rest.open_minor = taken.left_minor;
        rest.breakdown.earlier_minor += taken.amount_minor;
        rest
    }

    fn line_below_zero(
        &self,
        lines: &mut Vec<InvoiceLine>,
        tax: &TaxRules,
    ) -> Option<ConsumedProration> {
        // Both legs in one wait for a term, as a credit does that has only one leg.
        let net = self.breakdown.part == ProrationPart::Net;
        if net && !self.last && !lines.iter().any(|line| self.is_term(line)) {
            return None;
        }
        let rate = self.treatment(tax).rate;
        let amount_minor = most_off(lines, self.subscription, self.open_minor, rate);
        (amount_minor > 0).then(|| {
            lines.push(self.line(-amount_minor, tax));
            self.taking(amount_minor)
        })
    }

    fn discount(&self, term: &mut InvoiceLine) -> Option<ConsumedProration> {
        let amount_minor = self.open_minor.min(term.amount_minor);
        if amount_minor <= 0 || bears_no_more(term) {
            return None;
        }
        term.amount_minor -= amount_minor;
        term.discount_minor += amount_minor;
        let breakdown = self.carrying(amount_minor);
        let description = self.description.clone();
        term.credits.push(AppliedCredit { breakdown, amount_minor, description });
        Some(self.taking(amount_minor))
    }

    fn taking(&self, amount_minor: i64) -> ConsumedProration {
        let ProrationBreakdown { proration, part, .. } = self.breakdown;
        let left_minor = self.open_minor - amount_minor;
        ConsumedProration { proration, part, amount_minor, left_minor }
    }

    fn carrying(&self, amount_minor: i64) -> ProrationBreakdown {
        let left_minor = self.open_minor - amount_minor;
        ProrationBreakdown { left_minor, ..self.breakdown.clone() }
    }

    fn line(&self, amount_minor: i64, tax: &TaxRules) -> InvoiceLine {
        let treatment = self.treatment(tax);
        let (source, words) = (LineSource::Proration, self.description.clone());
        InvoiceLine {
            unit_price_minor: whole_unit_price(amount_minor, self.quantity),
            period_start: Some(self.period_start),
            period_end: Some(self.period_end),
            subscription: Some(self.subscription),
            breakdown: Some(RatingBreakdown::Proration(self.carrying(amount_minor.abs()))),
            ..InvoiceLine::plain(source, words, self.quantity, amount_minor, treatment)
        }
    }
}

/// Whether a line has as many credits as one carries.
fn bears_no_more(line: &InvoiceLine) -> bool {
    line.credits.len() == MAX_CREDITS_OF_LINE
}

/// How much of a credit of `open_minor` taxed with `rate` the lines of a subscription take, so that
/// they and the document as a whole stay at 0 or above, with their tax and without.
fn most_off(
    lines: &[InvoiceLine],
    subscription: SubscriptionId,
    open_minor: i64,
    rate: TaxRate,
) -> i64 {
    let mine = lines.iter().filter(|line| line.subscription == Some(subscription));
    [Nets::of(mine), Nets::of(lines)]
        .iter()
        .fold(open_minor, |most, nets| nets.most_off(most, rate))
}
