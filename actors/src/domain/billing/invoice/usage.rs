//! Invoices of closed usage, with the corrections that wait for one.

use super::compose::{put_together, require_due};
use super::lines::whole_unit_price;
use super::nets::Nets;
use super::{
    CarriedUsage, CollectionMethod, Composed, ContractFacts, InvoiceLine, InvoiceRefusal,
    LineSource, Origin, RatingBreakdown, SellerFacts, Terms,
};
use crate::domain::billing::pricing::{LinePrice, Rating, SchemeName};
use crate::domain::billing::tax::{StatedTax, TaxRules, TaxTreatment};
use crate::domain::billing::test_clock::Moment;
use crate::domain::billing::usage::{Adjustment, UsageLine};
use crate::domain::ids::{AdjustmentId, InvoiceId, SubscriptionId, UsageLineId};
use crate::domain::money::{AMOUNT_LIMIT, Currency};
use crate::domain::quantity::{Quantity, TaxRate};

/// The most closed lines, and the most corrections, that one document carries; others wait for
/// the next.
pub const MAX_USAGE_LINES: usize = 1_000;

/// What of a contract's usage no document carries, oldest first.
#[derive(Clone, Debug, Default)]
pub struct UsageDue<'a> {
    pub lines: Vec<DueLine<'a>>,
    pub adjustments: Vec<DueAdjustment<'a>>,
}

#[derive(Clone, Copy, Debug)]
pub struct DueLine<'a> {
    pub line: &'a UsageLine,
    pub words: &'a str,
    /// The rate of the metering subscription; the seller's default when it has none.
    pub tax_rate: Option<TaxRate>,
    /// How that subscription asks to be collected.
    pub collection_method: Option<CollectionMethod>,
}

#[derive(Clone, Copy, Debug)]
pub struct DueAdjustment<'a> {
    pub adjustment: &'a Adjustment,
    /// The rate of the subscription that metered its events.
    pub tax_rate: Option<TaxRate>,
    /// How that subscription asks to be collected.
    pub collection_method: Option<CollectionMethod>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ConsumedUsage {
    pub lines: Vec<UsageLineId>,
    /// Corrections, each with how much of it, minor units of its sign.
    pub adjustments: Vec<(AdjustmentId, i64)>,
}

impl<'a> UsageDue<'a> {
    /// What of it belongs to subscriptions with such a rate of their own.
    fn only(&self, is_meant: impl Fn(Option<TaxRate>) -> bool) -> Self {
        let lines = self.lines.iter().filter(|due| is_meant(due.tax_rate));
        let adjustments = self.adjustments.iter().filter(|due| is_meant(due.tax_rate));
        Self { lines: lines.copied().collect(), adjustments: adjustments.copied().collect() }
    }

    fn charges(&self) -> impl Iterator<Item = &DueAdjustment<'a>> {
        self.adjustments.iter().filter(|due| due.adjustment.open_minor() > 0)
    }

    fn method_of(&self, subscription: SubscriptionId) -> Option<CollectionMethod> {
        let of_lines =
            self.lines.iter().map(|due| (Some(due.line.subscription), due.collection_method));
        let of_adjustments =
            self.adjustments.iter().map(|due| (due.adjustment.subscription, due.collection_method));
        let mut all = of_lines.chain(of_adjustments);
        all.find(|(id, _)| *id == Some(subscription)).and_then(|(_, method)| method)
    }

    /// How many things ask for a document; what only lowers one waits for it.
    pub fn asking(&self) -> usize {
        self.lines.len() + self.charges().count()
    }
}

/// Composes the invoice of closed usage, which needs a closed line or a charge. What is beyond the
/// amount of a document stays behind, and so does what cannot stand beside the first that asks for
/// one. Credits are taken off as far as the document stays at 0 or above; what is left of them
/// waits for the next one.
pub fn compose_usage(
    id: InvoiceId,
    contract: &ContractFacts,
    seller: &SellerFacts,
    terms: Terms,
    due: &UsageDue<'_>,
    moment: Moment,
) -> Result<Composed, InvoiceRefusal> {
    terms.check_due_date(moment)?;
    require_due(Origin::Usage, due.asking())?;
    let tax = &seller.tax_rules(contract, &terms.bill_to, moment);
    let due = that_stand_together(due, tax);
    if due.asking() == 0 {
        return Err(InvoiceRefusal::TooLarge);
    }
    let mut usage = ConsumedUsage::default();
    let mut lines = Vec::with_capacity(due.lines.len() + due.adjustments.len());
    for one in &due.lines {
        usage.lines.push(one.line.id);
        lines.push(one.line(contract.currency, tax));
    }
    let (charges, credits): (Vec<&DueAdjustment<'_>>, Vec<_>) =
        due.adjustments.iter().partition(|due| due.adjustment.open_minor() > 0);
    let mut nets = Nets::of(&lines);
    for one in charges.into_iter().chain(credits) {
        let open_minor = one.adjustment.open_minor();
        let rate = treatment_of(one.tax_rate, tax).rate;
        let minor = if open_minor > 0 { open_minor } else { -nets.most_off(-open_minor, rate) };
        if minor != 0 {
            nets.add(minor, rate);
            usage.adjustments.push((one.adjustment.id, minor));
            lines.push(one.line(minor, tax));
        }
    }
    let origin = (id, Origin::Usage);
    let terms = terms.collected_as(&lines, |subscription| due.method_of(subscription));
    let composed = put_together(origin, contract, seller, terms, lines, moment)?;
    Ok(Composed { usage, ..composed })
}

/// How what belongs to a subscription with this rate of its own is taxed.
fn treatment_of(own: Option<TaxRate>, tax: &TaxRules) -> TaxTreatment {
    tax.treat(StatedTax::of_rate(own))
}

/// What one document can carry of usage, of which some is outside the scope of tax and stands
/// beside no other: the side of the first that asks for a document, or the other one where nothing
/// of the first fits.
fn that_stand_together<'a>(due: &UsageDue<'a>, tax: &TaxRules) -> UsageDue<'a> {
    let is_out = |own| treatment_of(own, tax).is_out_of_scope();
    let charges = due.charges().map(|one| one.tax_rate);
    let first = due.lines.iter().map(|one| one.tax_rate).chain(charges).next();
    let first_is_out = first.is_some_and(is_out);
    let side = |out: bool| within_bounds(&due.only(|own| is_out(own) == out), tax);
    let kept = side(first_is_out);
    if kept.asking() > 0 { kept } else { side(!first_is_out) }
}

/// What of it one document can carry: what would take that beyond all amounts is left for the
/// next, and what is beyond them by itself for a correction. Credits make room.
fn within_bounds<'a>(due: &UsageDue<'a>, tax: &TaxRules) -> UsageDue<'a> {
    let mut nets = Nets::default();
    let mut kept = UsageDue::default();
    for credit in due.adjustments.iter().filter(|due| due.adjustment.open_minor() <= 0) {
        let rate = treatment_of(credit.tax_rate, tax).rate;
        nets.add(credit.adjustment.open_minor(), rate);
        kept.adjustments.push(*credit);
    }
    let (mut charged, limit) = (0, i128::from(AMOUNT_LIMIT));
    let mut fits = |minor: i64, rate: Option<TaxRate>| {
        let rate = treatment_of(rate, tax).rate;
        nets.add(minor, rate);
        charged += i128::from(minor);
        let fits = charged <= limit && nets.grand_total() <= limit;
        if !fits {
            nets.add(-minor, rate);
            charged -= i128::from(minor);
        }
        fits
    };
    kept.lines.extend(
        due.lines.iter().filter(|one| fits(one.line.amount_minor(), one.tax_rate)).copied(),
    );
    let fitting = due.charges().filter(|one| fits(one.adjustment.open_minor(), one.tax_rate));
    kept.adjustments.extend(fitting.copied());
    kept
}

/// Whether an amount and its tax are more than a document can say.
pub fn is_beyond_a_document(net_minor: i64, rate: TaxRate) -> bool {
    let mut nets = Nets::default();
    nets.add(net_minor, rate);
    nets.grand_total() > i128::from(AMOUNT_LIMIT)
}

impl DueLine<'_> {
    fn line(&self, currency: Currency, tax: &TaxRules) -> InvoiceLine {
        let treatment = treatment_of(self.tax_rate, tax);
        let UsageLine { span, quantity, .. } = *self.line;
        let amount_minor = self.line.amount_minor();
        let seats = self.line.metric.is_seats();
        let days = format!("{} to {}", span.start, span.end.plus_days(-1));
        let mark = if self.line.trial { ", trial" } else { "" };
        let source = if seats { LineSource::Seat } else { LineSource::Usage };
        let words = format!("{}, {days}{mark}", self.words);
        let breakdown = &self.line.breakdown;
        InvoiceLine {
            unit_price_minor: unit_price(&breakdown.rating, quantity, amount_minor, currency),
            period_start: Some(span.start),
            period_end: Some(span.end),
            metric_name: Some(self.line.metric.as_str().to_owned()),
            subscription: Some(self.line.subscription),
            breakdown: Some(RatingBreakdown::Usage(Box::new(breakdown.clone()))),
            usage: Some(CarriedUsage::Line(self.line.id)),
            ..InvoiceLine::plain(source, words, quantity, amount_minor, treatment)
        }
    }
}

impl DueAdjustment<'_> {
    fn line(&self, amount_minor: i64, tax: &TaxRules) -> InvoiceLine {
        let treatment = treatment_of(self.tax_rate, tax);
        let Adjustment { id, days, subscription, .. } = *self.adjustment;
        let (source, words) = (LineSource::Adjustment, self.adjustment.description.clone());
        InvoiceLine {
            unit_price_minor: Some(amount_minor),
            period_start: Some(days.start),
            period_end: Some(days.end),
            metric_name: self.adjustment.metric.as_ref().map(|name| name.as_str().to_owned()),
            subscription,
            usage: Some(CarriedUsage::Adjustment(id)),
            ..InvoiceLine::plain(source, words, Quantity::ONE, amount_minor, treatment)
        }
    }
}

/// The price of one in minor units: only of a line that has a single price, and whose amount is
/// that times the quantity.
fn unit_price(
    rating: &Rating,
    quantity: Quantity,
    amount_minor: i64,
    currency: Currency,
) -> Option<i64> {
    let price = match (rating.scheme, rating.lines().first().map(|line| &line.price)) {
        (SchemeName::PerUnit, Some(LinePrice::Unit(price))) => price.value(),
        _ => return None,
    };
    let minor_units = 10_i64.checked_pow(currency.decimals())?;
    let stated = price.checked_mul(minor_units.into())?;
    whole_unit_price(amount_minor, quantity).filter(|whole| stated == (*whole).into())
}
