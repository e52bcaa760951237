//! Lives of subscriptions whose plans change all the time, billed month after month, against
//! arithmetic of their own.

use std::collections::BTreeMap;

use proptest::prelude::*;
use rust_decimal::Decimal;

use super::fixtures::*;
use crate::domain::billing::invoice::*;
use crate::domain::billing::subscription::{
    NewSubscription, PlanChange, Proration, ProrationKind, Subscription, advance, change_plan,
    create,
};
use crate::domain::ids::{ContractId, CustomerId, InvoiceId, ProrationId, SubscriptionId};
use crate::domain::quantity::TaxRate;
use crate::domain::testing::{FACTS, noon};
use crate::domain::time::Date;

/// Everything of one contract.
#[derive(Default)]
struct Life {
    subscriptions: BTreeMap<SubscriptionId, Subscription>,
    prorations: BTreeMap<ProrationId, Proration>,
    documents: Vec<Composed>,
    /// What the billed terms cost by themselves.
    terms_minor: i64,
}

/// One of the rates that plans state: none, or one of three.
fn stated_rate(choice: u8) -> Option<TaxRate> {
    ["0", "9", "21"].get(usize::from(choice)).map(|text| rate(text))
}

impl Life {
    fn begin(&mut self, id: u64, price_minor: i64, rate: u8) {
        let new = NewSubscription {
            tax_rate: stated_rate(rate),
            ..NewSubscription::monthly("2026-01-31", price_minor)
        };
        let (id, moment) = (SubscriptionId(id), noon(day("2026-01-31")));
        let change = create(id, ContractId(11), CustomerId(12), new, &FACTS, moment);
        self.subscriptions.insert(id, change.expect("a subscription").subscription);
    }

    fn change(&mut self, id: u64, on: Date, plan: &PlanChange) {
        let sub = &self.subscriptions[&SubscriptionId(id)];
        let sub = advance(sub, noon(on), &FACTS).change.subscription;
        let change = change_plan(&sub, plan, noon(on)).expect("a change");
        for record in change.prorations {
            self.prorations.insert(ProrationId(self.prorations.len() as u64 + 1), record);
        }
        self.subscriptions.insert(SubscriptionId(id), change.subscription);
    }

    /// Brings everything up to a day and issues what is due, as the room does.
    fn bill(&mut self, on: Date) {
        let mut due = Vec::new();
        let mut billed = Vec::new();
        for sub in self.subscriptions.values_mut() {
            *sub = advance(sub, noon(on), &FACTS).change.subscription;
            let Some(term) = sub.due_terms(on).next() else { continue };
            due.push(RecurringLine::of(sub, term).expect("a line"));
            billed.push((sub.id, term.start, term.amount().expect("an amount")));
        }
        if due.is_empty() {
            return;
        }
        let open = self.prorations.iter().filter(|(_, record)| record.is_open());
        let open = open.flat_map(|(id, record)| ProrationLine::parts_of(*id, record, None));
        let open: Vec<_> = open.collect();
        let invoice = InvoiceId(self.documents.len() as u64 + 1);
        let asked = NewInvoice { origin: Origin::Recurring, lines: None, ..request(vec![]) };
        let terms = Terms::requested(&asked, &contract()).expect("terms");
        let moment = crate::domain::billing::test_clock::Moment::of(None, noon(on).now);
        let document =
            compose_recurring(invoice, &contract(), &seller(), terms, &due, &open, moment)
                .expect("an invoice");
        for (sub, start, charged) in billed {
            let sub = self.subscriptions.get_mut(&sub).expect("there");
            sub.mark_billed(start, invoice, charged).expect("due");
            self.terms_minor += charged;
        }
        for taken in &document.prorations {
            let record = self.prorations.get_mut(&taken.proration).expect("there");
            record.claim(invoice, taken.part, taken.amount_minor);
            assert_eq!(record.open_minor(taken.part), taken.left_minor);
        }
        self.documents.push(document);
    }

    /// What the customer is still owed.
    fn open_credit(&self) -> i64 {
        let parts = self.prorations.values().flat_map(|record| {
            record
                .parts()
                .iter()
                .map(move |part| (record.side_of(*part).0, record.open_minor(*part)))
        });
        parts.filter(|(kind, _)| *kind == ProrationKind::Credit).map(|(_, open)| open).sum()
    }
}

/// `price × quantity`, then the share of the days, each rounded half up, in exact fractions.
fn by_days(leg: &ProrationLeg, days: i64, of: i64) -> i64 {
    let half_up = |exact: Decimal| (exact + Decimal::new(5, 1)).floor();
    let whole = half_up(Decimal::from(leg.price_minor) * leg.quantity.value());
    let share = half_up(whole * Decimal::from(days) / Decimal::from(of));
    share.try_into().expect("an amount")
}

/// What a reader of the breakdown computes.
fn recomputed(of: &ProrationBreakdown) -> i64 {
    let charge = by_days(&of.charge, of.days, of.term_days);
    let credit = by_days(&of.credit, of.days, of.term_days);
    let credit = of.credit_limit_minor().map_or(credit, |limit| credit.min(limit));
    assert_eq!((charge, credit), (of.charge.amount_minor, of.credit.amount_minor));
    of.carried_minor()
}

fn check_document(document: &Composed) {
    let mut nets = BTreeMap::<TaxRate, (i64, i64)>::new();
    for line in &document.lines {
        let sums = nets.entry(line.tax_rate).or_default();
        *sums = (sums.0 + line.amount_minor, sums.1 + line.tax_minor);
        let credits: i64 = line.credits.iter().map(|credit| credit.amount_minor).sum();
        assert_eq!(credits, line.discount_minor);
        for credit in &line.credits {
            assert_eq!(recomputed(&credit.breakdown), -credit.amount_minor);
        }
        if let Some(RatingBreakdown::Proration(breakdown)) = &line.breakdown {
            assert_eq!(recomputed(breakdown), line.amount_minor);
            assert_eq!(line.source, LineSource::Proration);
        }
    }
    for (rate, (net, tax)) in nets {
        let exact = Decimal::from(net) * rate.percent() / Decimal::ONE_HUNDRED;
        let away = (exact - Decimal::from(tax)).abs();
        assert!(away <= Decimal::new(5, 1), "{net} at {rate}% taxed {tax}");
    }
    assert!(document.invoice.totals.grand_total_minor >= 0);
}

#[derive(Clone, Debug)]
struct Step {
    subscription: u64,
    days: i64,
    price_minor: i64,
    quantity: &'static str,
    rate: u8,
}

fn step() -> impl Strategy<Value = Step> {
    let quantities = prop_oneof![Just("1"), Just("2"), Just("2.5"), Just("0")];
    (1_u64..3, 0_i64..40, 0_i64..20_000, quantities, 0_u8..3).prop_map(
        |(subscription, days, price_minor, quantity, rate)| Step {
            subscription,
            days,
            price_minor,
            quantity,
            rate,
        },
    )
}

proptest! {
    /// All lines of all invoices are what the terms cost, plus what the changes within them
    /// charge, less what they credit and is not open still; whatever the tax rates are.
    #[test]
    fn lines_are_terms_and_prorations(
        prices in (0_i64..20_000, 0_i64..20_000),
        rates in (0_u8..4, 0_u8..4),
        steps in proptest::collection::vec(step(), 0..25),
    ) {
        let mut life = Life::default();
        life.begin(1, prices.0, rates.0);
        life.begin(2, prices.1, rates.1);
        let mut today = day("2026-01-31");
        life.bill(today);
        for step in steps {
            for _ in 0..step.days {
                today = today.plus_days(1);
                life.bill(today);
            }
            life.change(step.subscription, today, &PlanChange {
                price_minor: Some(step.price_minor),
                quantity: Some(quantity(step.quantity)),
                tax_rate: stated_rate(step.rate),
                ..PlanChange::default()
            });
        }
        for _ in 0..40 {
            today = today.plus_days(1);
            life.bill(today);
        }
        let lines = life.documents.iter().flat_map(|document| &document.lines);
        let billed: i64 = lines.map(|line| line.amount_minor).sum();
        let changes = life.prorations.values();
        let changes: i64 = changes.map(|record| record.charge_minor - record.credit_minor).sum();
        prop_assert_eq!(billed, life.terms_minor + changes + life.open_credit());
        life.documents.iter().for_each(check_document);
        for record in life.prorations.values() {
            for part in record.parts() {
                let charge = record.side_of(*part).0 == ProrationKind::Charge;
                prop_assert!(!charge || record.open_minor(*part) == 0, "a charge was forgotten");
            }
        }
    }
}

#[test]
fn legs_of_two_rates_are_two_lines_each_with_its_own() {
    let mut life = Life::default();
    life.begin(1, 3_100, 1);
    life.bill(day("2026-01-31"));
    let plan =
        PlanChange { price_minor: Some(6_200), tax_rate: stated_rate(2), ..PlanChange::default() };
    life.change(1, day("2026-02-14"), &plan);
    life.bill(day("2026-02-28"));
    let document = life.documents.last().expect("a document");
    let rows: Vec<_> = document
        .lines
        .iter()
        .map(|line| (line.source, line.amount_minor, line.tax_rate, line.tax_minor))
        .collect();
    assert_eq!(
        rows,
        [
            (LineSource::Subscription, 6_200, rate("21"), 1_302),
            (LineSource::Proration, 3_100, rate("21"), 651),
            (LineSource::Proration, -1_550, rate("9"), -140),
        ]
    );
    check_document(document);
    assert_eq!(life.open_credit(), 0);
}

#[test]
fn a_credit_of_another_rate_reaches_as_far_as_its_subscription_is_billed() {
    let mut life = Life::default();
    life.begin(1, 28_000, 2);
    life.bill(day("2026-01-31"));
    let plan =
        PlanChange { price_minor: Some(1_000), tax_rate: stated_rate(0), ..PlanChange::default() };
    life.change(1, day("2026-01-31"), &plan);
    for date in ["2026-02-28", "2026-03-31", "2026-04-30"] {
        let before = life.open_credit();
        life.bill(day(date));
        let document = life.documents.last().expect("a document");
        check_document(document);
        let last = document.lines.last().expect("a line");
        assert_eq!((last.source, last.tax_rate), (LineSource::Proration, rate("21")));
        assert_eq!(before - life.open_credit(), -last.amount_minor);
        let totals = document.invoice.totals;
        assert!((0..5).contains(&totals.grand_total_minor), "{totals:?}");
    }
}
