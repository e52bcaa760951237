//! Lives of subscriptions whose plans change all the time, billed month after month, against
//! arithmetic of their own.

use std::collections::BTreeMap;

use proptest::prelude::*;
use rust_decimal::Decimal;

use super::account::Account;
use super::fixtures::*;
use crate::domain::billing::invoice::*;
use crate::domain::billing::subscription::{NewSubscription, PlanChange};
use crate::domain::quantity::TaxRate;

/// One of the rates that plans state: none, or one of three.
fn stated_rate(choice: u8) -> Option<TaxRate> {
    ["0", "9", "21"].get(usize::from(choice)).map(|text| rate(text))
}

/// A month at this price from the last of January on.
fn monthly(price_minor: i64, rate: u8) -> NewSubscription {
    let tax_rate = stated_rate(rate);
    NewSubscription { tax_rate, ..NewSubscription::monthly("2026-01-31", price_minor) }
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

pub(super) fn check_document(document: &Composed) {
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
        let mut account = Account::default();
        account.begin(1, monthly(prices.0, rates.0));
        account.begin(2, monthly(prices.1, rates.1));
        let mut today = day("2026-01-31");
        account.bill(today);
        for step in steps {
            for _ in 0..step.days {
                today = today.plus_days(1);
                account.bill(today);
            }
            account.change_plan(step.subscription, today, &PlanChange {
                price_minor: Some(step.price_minor),
                quantity: Some(quantity(step.quantity)),
                tax_rate: stated_rate(step.rate),
                ..PlanChange::default()
            }).expect("changed");
        }
        for _ in 0..40 {
            today = today.plus_days(1);
            account.bill(today);
        }
        let changes = account.prorations.values();
        let changes: i64 = changes.map(|record| record.charge_minor - record.credit_minor).sum();
        prop_assert_eq!(account.billed_minor(), account.terms_minor + changes + account.open_credit());
        account.documents.iter().for_each(check_document);
        prop_assert_eq!(account.open_charge(), 0, "a charge was forgotten");
    }
}

#[test]
fn legs_of_two_rates_are_two_lines_each_with_its_own() {
    let mut account = Account::default();
    account.begin(1, monthly(3_100, 1));
    account.bill(day("2026-01-31"));
    let plan =
        PlanChange { price_minor: Some(6_200), tax_rate: stated_rate(2), ..PlanChange::default() };
    account.change_plan(1, day("2026-02-14"), &plan).expect("changed");
    account.bill(day("2026-02-28"));
    let document = account.documents.last().expect("a document");
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
    assert_eq!(account.open_credit(), 0);
}

#[test]
fn a_credit_of_another_rate_reaches_as_far_as_its_subscription_is_billed() {
    let mut account = Account::default();
    account.begin(1, monthly(28_000, 2));
    account.bill(day("2026-01-31"));
    let plan =
        PlanChange { price_minor: Some(1_000), tax_rate: stated_rate(0), ..PlanChange::default() };
    account.change_plan(1, day("2026-01-31"), &plan).expect("changed");
    for date in ["2026-02-28", "2026-03-31", "2026-04-30"] {
        let before = account.open_credit();
        account.bill(day(date));
        let document = account.documents.last().expect("a document");
        check_document(document);
        let last = document.lines.last().expect("a line");
        assert_eq!((last.source, last.tax_rate), (LineSource::Proration, rate("21")));
        assert_eq!(before - account.open_credit(), -last.amount_minor);
        let totals = document.invoice.totals;
        assert!((0..5).contains(&totals.grand_total_minor), "{totals:?}");
    }
}
