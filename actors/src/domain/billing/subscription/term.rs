//! Terms: what a subscription owes, one for each begun stretch of its schedule; and what the line
//! of an invoice says of one.

use rust_decimal::{Decimal, prelude::ToPrimitive};

use super::price::Price;
use super::schedule::Span;
use crate::domain::billing::tax::{StatedTax, TaxCategory};
use crate::domain::ids::InvoiceId;
use crate::domain::money::{AMOUNT_LIMIT, MoneyError, share_half_up};
use crate::domain::quantity::{Quantity, TaxRate};
use crate::domain::time::Date;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, minicbor::Encode, minicbor::Decode)]
#[cbor(index_only)]
pub enum CutReason {
    /// The subscription's last day lies within the term.
    #[n(0)]
    EndDate,
    /// It was canceled within the term, with proration.
    #[n(1)]
    Cancel,
    #[n(2)]
    Resume,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub enum Charge {
    #[n(0)]
    Whole,
    /// Some of them: the price times those days over the days of the uncut term.
    #[n(1)]
    Days {
        #[n(0)]
        from: Date,
        /// First day after those charged.
        #[n(1)]
        until: Date,
        /// Days of the uncut term, above 0.
        #[n(2)]
        of: i64,
        #[n(3)]
        reason: CutReason,
    },
}

#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct Term {
    /// First day by the schedule; names the term in its claim. A resumed term keeps it.
    #[n(0)]
    pub start: Date,
    /// The first day after it, or not served in it.
    #[n(1)]
    pub end: Date,
    /// Price in force on the first day, minor units.
    #[n(2)]
    pub price_minor: i64,
    #[n(3)]
    pub quantity: Quantity,
    /// Tax rate in force on the first day, if the subscription states one.
    #[n(4)]
    pub tax_rate: Option<TaxRate>,
    /// Which days the term itself charges; those behind them, up to its end, prorations do.
    #[n(5)]
    pub charge: Charge,
    #[n(6)]
    pub billed_by: Option<InvoiceId>,
    /// What that invoice charged for the term itself, net of tax, minor units; 0 until billed.
    #[n(7)]
    pub charged_minor: i64,
    /// What prorations charged on top of it, minor units.
    #[n(8)]
    pub added_minor: i64,
    /// What was credited of all that, minor units, not negative.
    #[n(9)]
    pub credited_minor: i64,
    /// What the days ahead are charged at since the last prorated change; without one, the
    /// term's own price.
    #[n(10)]
    pub carried: Option<Price>,
    /// How many proration records were made for it.
    #[n(11)]
    #[cbor(default)]
    pub prorations: u64,
    /// The rate at which that invoice taxed it; none until billed.
    #[n(24)]
    pub billed_rate: Option<TaxRate>,
    /// The category in which it did; none until billed, nor in rows from before it was kept.
    #[n(25)]
    pub billed_category: Option<TaxCategory>,
}

/// What a document took of a subscription.
#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct TermClaim {
    #[n(0)]
    pub invoice: InvoiceId,
    /// As it was billed.
    #[n(1)]
    pub term: Term,
}

impl storage::CborRecord for TermClaim {}

/// The days, known beforehand, on which a term may be cut: the first one that is not served.
#[derive(Clone, Copy)]
pub(super) struct Ends {
    pub(super) served: Option<Date>,
    pub(super) settled: Option<Date>,
}

impl Ends {
    /// Where a term of `span` ends that is charged from `from` on, and what cuts it there.
    fn of(self, span: Span, from: Date) -> (Date, Option<CutReason>) {
        let served = self.served.map(|day| (day, Some(CutReason::EndDate)));
        let settled = self.settled.map(|day| (day, Some(CutReason::Cancel)));
        let cuts = [settled, served].into_iter().flatten();
        let within = cuts.filter(|(day, _)| from < *day && *day < span.end);
        let earliest = within.min_by_key(|(day, _)| *day);
        earliest.unwrap_or((span.end, None))
    }
}

impl Term {
    /// A term of `span`, charged from `from` on and cut where `ends` says.
    pub(super) fn begin(span: Span, from: Date, ends: Ends, price: Price) -> Self {
        let (end, end_reason) = ends.of(span, from);
        let (until, of) = (end, span.days());
        let charge = match end_reason {
            Some(reason) => Charge::Days { from, until, of, reason },
            None if from > span.start => {
                Charge::Days { from, until, of, reason: CutReason::Resume }
            }
            None => Charge::Whole,
        };
        Self {
            start: span.start,
            end,
            price_minor: price.price_minor,
            quantity: price.quantity,
            tax_rate: price.tax_rate,
            charge,
            billed_by: None,
            charged_minor: 0,
            added_minor: 0,
            credited_minor: 0,
            carried: None,
            prorations: 0,
            billed_rate: None,
            billed_category: None,
        }
    }

    pub(super) fn price_ahead(&self) -> Price {
        self.carried.unwrap_or_else(|| self.price())
    }

    pub fn price(&self) -> Price {
        Price { price_minor: self.price_minor, quantity: self.quantity, tax_rate: self.tax_rate }
    }

    /// The rate at which something of it is given back that has this rate of its own, if any: else
    /// the one at which it was billed, so that tax goes back as it was charged.
    pub fn rate_back(&self, own: Option<TaxRate>) -> Option<TaxRate> {
        own.or(self.billed_rate)
    }

    /// How it was taxed, as far as that is known; none until billed.
    pub fn billed_tax(&self) -> Option<StatedTax> {
        let rate = self.billed_rate?;
        Some(StatedTax { category: self.billed_category, ..StatedTax::of_rate(Some(rate)) })
    }

    pub fn charged_days(&self) -> Span {
        match self.charge {
            Charge::Whole => Span { start: self.start, end: self.end },
            Charge::Days { from, until, .. } => Span { start: from, end: until },
        }
    }

    /// Days of the uncut term, above 0.
    pub fn full_days(&self) -> i64 {
        match self.charge {
            Charge::Whole => self.end.days_since(self.start),
            Charge::Days { of, .. } => of,
        }
    }

    /// Net before tax, minor units: the whole price rounded half up, then its share for the days
    /// charged, rounded half up.
    pub fn amount(&self) -> Result<i64, MoneyError> {
        let whole = self.price().amount()?;
        Ok(match self.charge {
            Charge::Whole => whole,
            Charge::Days { of, .. } => share_half_up(whole, self.charged_days().days(), of),
        })
    }

    /// Its days by the schedule by which it began.
    pub(super) fn uncut(&self) -> Span {
        Span { start: self.start, end: self.start.plus_days(self.full_days()) }
    }

    pub(super) fn is_cut_by_cancel(&self) -> bool {
        self.end < self.uncut().end
            && matches!(self.charge, Charge::Days { reason: CutReason::Cancel, .. })
    }

    /// Days from `day` on, itself counted, that are charged in this term.
    pub fn days_left(&self, day: Date) -> i64 {
        self.charged_days().end.days_since(day).max(0)
    }

    /// What may still be credited: all that was charged for the term, less earlier credits.
    /// A term not billed yet counts with what it will be charged.
    pub fn creditable_minor(&self) -> i64 {
        let own = match self.billed_by {
            Some(_) => self.charged_minor,
            None => self.amount().unwrap_or(AMOUNT_LIMIT),
        };
        (own + self.added_minor - self.credited_minor).max(0)
    }
}

/// What an invoice line says of a term.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TermLine {
    /// The subscription's words, and the days charged where the term is cut.
    pub description: String,
    pub quantity: Quantity,
    /// Minor units a unit, only where they times `quantity` give `amount_minor` exactly or by
    /// the rounding of the line formula.
    pub unit_price_minor: Option<i64>,
    /// Net before tax, minor units.
    pub amount_minor: i64,
    pub tax_rate: Option<TaxRate>,
    pub period: Span,
    /// Days charged and days of the uncut term, where they differ, and why.
    pub cut: Option<(i64, i64, CutReason)>,
}

impl Term {
    pub fn line(&self, description: Option<&str>) -> Result<TermLine, MoneyError> {
        let amount_minor = self.amount()?;
        let words = description.filter(|text| !text.is_empty()).unwrap_or("Subscription");
        let (description, unit_price_minor, cut) = match self.charge {
            Charge::Whole => (words.to_owned(), Some(self.price_minor), None),
            Charge::Days { of, reason, .. } => {
                let days = self.charged_days().days();
                let text = format!("{words} ({days} of {of} days)");
                (text, whole_unit_price(amount_minor, self.quantity), Some((days, of, reason)))
            }
        };
        Ok(TermLine {
            description,
            quantity: self.quantity,
            unit_price_minor,
            amount_minor,
            tax_rate: self.tax_rate,
            period: Span { start: self.start, end: self.charged_days().end },
            cut,
        })
    }
}

fn whole_unit_price(amount: i64, quantity: Quantity) -> Option<i64> {
    let unit = Decimal::from(amount).checked_div(quantity.value())?.round();
    let exact = unit.checked_mul(quantity.value())? == Decimal::from(amount);
    if exact { unit.to_i64() } else { None }
}
