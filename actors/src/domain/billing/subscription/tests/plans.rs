//! Changes of plan.

use super::*;

fn to_price(price_minor: i64) -> PlanChange {
    PlanChange { price_minor: Some(price_minor), ..PlanChange::default() }
}

fn at_period_end(change: PlanChange) -> PlanChange {
    PlanChange { effective: ChangeTiming::PeriodEnd, ..change }
}

#[test]
fn an_upgrade_charges_the_difference_for_the_days_left() {
    let sub = begun(monthly("2026-01-01"));
    let change = change_plan(&sub, &to_price(6_200), at("2026-01-22")).expect("a change");
    let record = &change.prorations[0];
    assert_eq!((record.kind, record.amount_minor), (ProrationKind::Charge, 1_000));
    assert_eq!((record.credit_minor, record.charge_minor), (1_000, 2_000));
    assert_eq!((record.days_left, record.days_in_term), (10, 31));
    assert_eq!(record.on, day("2026-01-22"));
    assert_eq!(record.parts(), [ProrationPart::Net]);
    assert_eq!(names(&change.events), ["PlanChanged"]);
    assert_eq!(change.timeline[0].amount_minor, Some(1_000));
    // The begun term keeps its price.
    assert_eq!(change.subscription.terms[0].amount(), Ok(3_100));
    let next = passed(&change.subscription, "2026-02-01");
    assert_eq!(next.terms.last().expect("a term").amount(), Ok(6_200));
}

#[test]
fn a_downgrade_credits_and_never_more_than_was_charged() {
    let sub = begun(monthly("2026-01-01"));
    let change = change_plan(&sub, &to_price(0), at("2026-01-22")).expect("a change");
    let record = &change.prorations[0];
    assert_eq!((record.kind, record.amount_minor), (ProrationKind::Credit, 1_000));
    assert_eq!(change.timeline[0].amount_minor, Some(-1_000));

    // Raised without proration, the days left were never charged at the high price.
    let free_raise = PlanChange { prorate: false, ..to_price(310_000) };
    let raised = change_plan(&sub, &free_raise, at("2026-01-11")).expect("a change");
    assert_eq!(raised.prorations, []);
    let lowered = change_plan(&raised.subscription, &to_price(0), at("2026-01-22"));
    assert_eq!(lowered.expect("a change").prorations[0].credit_minor, 1_000);
}

#[test]
fn days_are_given_back_at_what_they_were_charged_at() {
    let sub = begun(monthly("2026-01-01"));
    for (unprorated, then, expected) in [
        (0, 3_100, (ProrationKind::Charge, 0)),
        (9_300, 3_100, (ProrationKind::Charge, 0)),
        (9_300, 6_200, (ProrationKind::Charge, 1_000)),
        (9_300, 0, (ProrationKind::Credit, 1_000)),
    ] {
        let first = PlanChange { prorate: false, ..to_price(unprorated) };
        let sub = change_plan(&sub, &first, at("2026-01-22")).expect("a change").subscription;
        let change = change_plan(&sub, &to_price(then), at("2026-01-22")).expect("a change");
        let record = &change.prorations[0];
        assert_eq!((record.kind, record.amount_minor), expected, "{unprorated}, then {then}");
    }
}

#[test]
fn each_leg_is_rounded_half_up_by_itself() {
    let sub = begun(NewSubscription { price_minor: 1, ..monthly("2026-02-01") });
    // 14 of 28 days: half a cent of 1 and one and a half of 3.
    let change = change_plan(&sub, &to_price(3), at("2026-02-15")).expect("a change");
    let record = &change.prorations[0];
    assert_eq!((record.credit_minor, record.charge_minor, record.amount_minor), (1, 2, 1));
}

#[test]
fn the_present_plan_writes_nothing() {
    let sub = begun(monthly("2026-01-01"));
    for same in [to_price(3_100), PlanChange::default(), at_period_end(to_price(3_100))] {
        assert!(change_plan(&sub, &same, at("2026-01-22")).expect("an answer").is_empty());
    }
}

#[test]
fn a_period_end_change_waits_and_is_replaced_or_cleared() {
    let sub = begun(monthly("2026-01-01"));
    let yearly = PlanChange { frequency: Some(Frequency::Annual), ..to_price(30_000) };
    let refused = change_plan(&sub, &yearly, at("2026-01-22"));
    assert_eq!(refused, Err(SubscriptionRefusal::FrequencyWithinTerm));
    let change = change_plan(&sub, &at_period_end(yearly), at("2026-01-22")).expect("a change");
    assert_eq!(names(&change.events), [""; 0]);
    let (plan, from) = change.subscription.pending_plan().expect("a pending plan");
    assert_eq!((plan.price.price_minor, plan.frequency), (30_000, Frequency::Annual));
    assert_eq!(from, day("2026-02-01"));

    let other = at_period_end(to_price(5_000));
    let replaced = change_plan(&change.subscription, &other, at("2026-01-23")).expect("a change");
    let (plan, _) = replaced.subscription.pending_plan().expect("a pending plan");
    assert_eq!((plan.price.price_minor, plan.frequency), (5_000, Frequency::Monthly));
    let cleared =
        change_plan(&change.subscription, &at_period_end(to_price(3_100)), at("2026-01-23"));
    assert_eq!(cleared.expect("a change").subscription.pending_plan(), None);

    let done = advance(&change.subscription, at("2026-02-01"), &FACTS);
    assert_eq!(names(&done.change.events), ["PlanChanged", "Renewed"]);
    let sub = done.change.subscription;
    assert_eq!(sub.current_period_end, Some(day("2027-02-01")));
    assert_eq!(sub.terms.last().expect("a term").amount(), Ok(30_000));
    assert_eq!(sub.anchor(), Some(day("2026-01-01")));
}

#[test]
fn a_new_frequency_keeps_the_anchor_day() {
    let sub = begun(monthly("2026-01-31"));
    let quarterly = PlanChange { frequency: Some(Frequency::Quarterly), ..PlanChange::default() };
    let sub = change_plan(&sub, &at_period_end(quarterly), at("2026-02-01")).expect("a change");
    let sub = passed(&sub.subscription, "2026-06-01");
    let terms: Vec<_> = sub.terms.iter().map(|term| (term.start, term.end)).collect();
    let expected =
        [("2026-01-31", "2026-02-28"), ("2026-02-28", "2026-05-31"), ("2026-05-31", "2026-08-31")];
    assert_eq!(terms, expected.map(|(start, end)| (day(start), day(end))));
}

#[test]
fn before_the_first_paid_term_everything_may_change() {
    let yearly = PlanChange { frequency: Some(Frequency::Annual), ..to_price(30_000) };
    let trial = begun(NewSubscription { trial_days: Some(10), ..monthly("2026-01-01") });
    let change = change_plan(&trial, &yearly, at("2026-01-05")).expect("a change");
    assert_eq!(change.prorations, []);
    assert_eq!(names(&change.events), ["PlanChanged"]);
    let sub = passed(&change.subscription, "2026-01-11");
    assert_eq!(sub.current_period_end, Some(day("2027-01-11")));
    assert_eq!(sub.terms.last().expect("a term").amount(), Ok(30_000));
}

#[test]
fn while_paused_a_change_waits_for_the_next_term() {
    let sub = begun(monthly("2026-01-01"));
    let paused = pause(&sub, Pause::default(), at("2026-01-10")).expect("a change").subscription;
    let change = change_plan(&paused, &to_price(6_000), at("2026-01-12")).expect("a change");
    assert_eq!((change.prorations.len(), change.subscription.price_minor), (0, 3_100));
    let early = resume(&change.subscription, at("2026-01-20")).expect("a change").subscription;
    assert_eq!(early.price_minor, 3_100);
    assert_eq!(passed(&early, "2026-02-01").terms.last().expect("a term").amount(), Ok(6_000));
    let late = passed(&change.subscription, "2026-03-01");
    let late = resume(&late, at("2026-04-16")).expect("a change").subscription;
    assert_eq!(late.terms.last().expect("a term").amount(), Ok(3_000));

    // Between terms there is nothing to wait for.
    let between = passed(&paused, "2026-02-10");
    let yearly =
        at_period_end(PlanChange { frequency: Some(Frequency::Annual), ..to_price(36_500) });
    let change = change_plan(&between, &yearly, at("2026-03-10")).expect("a change");
    assert_eq!(names(&change.events), ["PlanChanged"]);
    let sub = resume(&change.subscription, at("2026-03-11")).expect("a change").subscription;
    assert_eq!(sub.current_period_start, Some(day("2026-03-01")));
    assert_eq!(sub.current_period_end, Some(day("2027-03-01")));
    assert_eq!(sub.terms.last().expect("a term").amount(), Ok(35_500));
}

#[test]
fn a_change_of_tax_rate_acts_through_a_proration() {
    let sub = begun(NewSubscription { tax_rate: TaxRate::parse("9"), ..monthly("2026-01-01") });
    let taxed = PlanChange { tax_rate: TaxRate::parse("21"), ..PlanChange::default() };
    let change = change_plan(&sub, &taxed, at("2026-01-22")).expect("a change");
    let record = &change.prorations[0];
    assert_eq!((record.amount_minor, record.credit_minor, record.charge_minor), (0, 1_000, 1_000));
    assert_eq!(record.parts(), [ProrationPart::Charge, ProrationPart::Credit]);
}

#[test]
fn amounts_beyond_the_limit_are_refused() {
    let sub = begun(NewSubscription { price_minor: 1_000_000_000_000, ..monthly("2026-01-01") });
    let many = PlanChange { quantity: Quantity::parse("1001"), ..PlanChange::default() };
    let refused = change_plan(&sub, &many, at("2026-01-22"));
    assert_eq!(refused, Err(SubscriptionRefusal::AmountTooLarge));
    let enough = PlanChange { quantity: Quantity::parse("1000"), ..at_period_end(to_price(1)) };
    let waiting = change_plan(&sub, &enough, at("2026-01-22")).expect("a change").subscription;
    let again = change_plan(&waiting, &PlanChange { prorate: false, ..many }, at("2026-01-23"));
    assert_eq!(again, Err(SubscriptionRefusal::AmountTooLarge));
    let refused = change_plan(&sub, &to_price(-1), at("2026-01-22"));
    assert_eq!(refused, Err(SubscriptionRefusal::PriceOutOfRange));
}

#[test]
fn a_change_with_the_lifecycle_behind_waits_for_the_next_boundary() {
    let sub = begun(monthly("2026-01-01"));
    let change = change_plan(&sub, &to_price(6_000), at("2026-03-10")).expect("a change");
    assert_eq!(change.prorations, []);
    let sub = passed(&change.subscription, "2026-04-01");
    let amounts: Vec<_> = sub.terms.iter().map(|term| term.amount().expect("money")).collect();
    assert_eq!(amounts, [3_100, 3_100, 3_100, 6_000]);
}
