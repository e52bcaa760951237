//! Prorations: what a change within a term costs or gives back.

mod taken;

use std::collections::BTreeMap;

use super::Subscription;
use super::price::Price;
use super::schedule::Span;
use super::term::Term;
use crate::domain::billing::tax::with_tax;
use crate::domain::billing::test_clock::Moment;
use crate::domain::ids::{InvoiceId, ProrationId, SubscriptionId};
use crate::domain::money::Currency;
use crate::domain::quantity::TaxRate;
use crate::domain::time::{Date, Timestamp};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, minicbor::Encode, minicbor::Decode)]
#[cbor(index_only)]
pub enum ProrationKind {
    /// The customer owes it; also a change that comes to nothing.
    #[n(0)]
    Charge,
    #[n(1)]
    Credit,
}

/// What of a proration is carried as one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, minicbor::Encode, minicbor::Decode)]
#[cbor(index_only)]
pub enum ProrationPart {
    /// Both legs netted, in the direction of the record.
    #[default]
    #[n(0)]
    Net,
    #[n(1)]
    Charge,
    #[n(2)]
    Credit,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct ProrationClaim {
    #[n(0)]
    pub invoice: InvoiceId,
    /// How much of the part it carries, minor units, above or equal 0.
    #[n(1)]
    pub amount_minor: i64,
    #[n(2)]
    #[cbor(default)]
    pub part: ProrationPart,
}

/// What of a part no invoice had room for, so that it became stored credit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct ProrationRest {
    #[n(0)]
    pub part: ProrationPart,
    /// Net of tax, minor units, above 0.
    #[n(1)]
    pub amount_minor: i64,
}

/// The record of one immediate change, without its id. It holds both legs: the credit of what the
/// days left had been charged at and the charge of what they cost from now on. `amount_minor` is
/// their difference, `kind` its direction. Where the legs' tax rates differ, each is taxed with
/// its own.
#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct Proration {
    #[n(0)]
    pub subscription: SubscriptionId,
    #[n(1)]
    pub term_start: Date,
    #[n(2)]
    pub kind: ProrationKind,
    /// The two legs netted, minor units before tax, not negative.
    #[n(3)]
    pub amount_minor: i64,
    /// Days of the term that change, the first of them counted.
    #[n(4)]
    pub days_left: i64,
    #[n(5)]
    pub days_in_term: i64,
    #[n(6)]
    pub old: Price,
    #[n(7)]
    pub new: Price,
    /// The credit leg: `old` for the days left, rounded half up, never more than the term was
    /// charged less earlier credits. Not negative.
    #[n(8)]
    pub credit_minor: i64,
    /// The charge leg: `new` for the days left, rounded half up. Not negative.
    #[n(9)]
    pub charge_minor: i64,
    #[n(10)]
    pub currency: Currency,
    /// The day of the change by the contract's clock.
    #[n(11)]
    pub on: Date,
    #[n(12)]
    pub days: Span,
    /// Wall time of the change.
    #[n(13)]
    pub created_at: Timestamp,
    /// The invoices that carry it; a credit may need more than one while credits are off.
    #[n(14)]
    pub claims: Vec<ProrationClaim>,
    #[n(15)]
    #[cbor(default)]
    pub rests: Vec<ProrationRest>,
}

/// Proration records, oldest first.
pub type Prorations = BTreeMap<ProrationId, Proration>;

/// Credit that a prorated cancel of a billed term gives back at once, as a `proration` lot that
/// never expires.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProrationLot {
    pub term_start: Date,
    pub days_left: i64,
    pub days_in_term: i64,
    /// Net of tax, minor units, above 0.
    pub net_minor: i64,
    /// The rate of its tax, where the plan or the bill of the term says it.
    pub tax_rate: Option<TaxRate>,
    pub currency: Currency,
}

/// The two prices of a change within a term, and the most that may be credited.
pub(super) struct Legs {
    pub(super) old: Price,
    pub(super) new: Price,
    pub(super) credit_limit: i64,
}

impl Legs {
    /// The record of this change for `days` of `term`, which takes note of both amounts. Each leg
    /// is rounded half up by itself.
    pub(super) fn over(
        &self,
        days: Span,
        term: &mut Term,
        sub: &Subscription,
        moment: Moment,
    ) -> Proration {
        let (days_left, days_in_term) = (days.days(), term.full_days());
        let credit_minor = self.old.of_days(days_left, days_in_term).min(self.credit_limit);
        let charge_minor = self.new.of_days(days_left, days_in_term);
        let net = charge_minor - credit_minor;
        term.added_minor += charge_minor;
        term.credited_minor += credit_minor;
        term.prorations += 1;
        Proration {
            subscription: sub.id,
            term_start: term.start,
            kind: if net < 0 { ProrationKind::Credit } else { ProrationKind::Charge },
            amount_minor: net.abs(),
            days_left,
            days_in_term,
            old: self.old,
            new: self.new,
            credit_minor,
            charge_minor,
            currency: sub.currency,
            on: moment.today(),
            days,
            created_at: moment.wall,
            claims: Vec::new(),
            rests: Vec::new(),
        }
    }
}

impl ProrationLot {
    /// What the lot holds: the net part with its tax at a rate, minor units.
    pub fn gross_minor(&self, rate: TaxRate) -> i64 {
        // Tax is at most as much again as the net part, which is within the limit.
        with_tax(self.net_minor, rate).unwrap_or(2 * self.net_minor)
    }
}

impl Proration {
    /// The parts that invoices carry: both legs in one where one rate taxes them, else each by
    /// itself. A leg of nothing does not stand alone.
    pub fn parts(&self) -> &'static [ProrationPart] {
        let one_sided = self.credit_minor == 0 || self.charge_minor == 0;
        if one_sided || self.old.tax_rate == self.new.tax_rate {
            &[ProrationPart::Net]
        } else {
            &[ProrationPart::Charge, ProrationPart::Credit]
        }
    }

    /// Which way a part goes, and the price behind it with its tax rate.
    pub fn side_of(&self, part: ProrationPart) -> (ProrationKind, Price) {
        match (part, self.kind) {
            (ProrationPart::Charge, _) | (ProrationPart::Net, ProrationKind::Charge) => {
                (ProrationKind::Charge, self.new)
            }
            (ProrationPart::Credit, _) | (ProrationPart::Net, ProrationKind::Credit) => {
                (ProrationKind::Credit, self.old)
            }
        }
    }

    /// Whether an invoice still has to carry it, wholly or in part. A proration of amount 0 is
    /// open until one invoice has shown it; one of which a cancel has left no day is not.
    pub fn is_open(&self) -> bool {
        let unclaimed = self.is_untouched() && self.days_left > 0;
        unclaimed || self.parts().iter().any(|part| self.open_minor(*part) > 0)
    }

    /// Whether something of it is still to be charged.
    pub fn has_open_charge(&self) -> bool {
        let charges = |part: &ProrationPart| self.side_of(*part).0 == ProrationKind::Charge;
        self.parts().iter().any(|part| charges(part) && self.open_minor(*part) > 0)
    }

    /// Whether an invoice is still to carry a line of it: a charge, or a change that came to
    /// nothing.
    pub fn has_line_to_come(&self) -> bool {
        let carried = |part| self.claims.iter().any(|claim| claim.part == part);
        let to_come = |part| self.open_minor(part) > 0 || !carried(part);
        let charges = |part| self.side_of(part).0 == ProrationKind::Charge;
        self.is_open() && self.parts().iter().any(|part| charges(*part) && to_come(*part))
    }

    pub fn description(&self) -> String {
        let (left, of) = (self.days_left, self.days_in_term);
        format!("Change from {} on ({left} of {of} days)", self.days.start)
    }
}
