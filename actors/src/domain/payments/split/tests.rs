//! Splits by examples, and held against exact fractions.

mod exact;
mod plans;

use super::*;
use crate::domain::ids::{PayeeId, SellerId, SplitRuleId};
use crate::domain::money::{Currency, Money};
use crate::domain::refusal::{RefusalKind, Refuse};

fn rule(lines: Vec<SplitLine>) -> SplitRule {
    SplitRule::saved(SplitRuleId(7), SellerId(1), draft(lines), None).expect("a new rule")
}

fn draft(lines: Vec<SplitLine>) -> RuleDraft {
    RuleDraft { name: "Studio".to_owned(), lines, ..RuleDraft::default() }
}

fn percent(payee: u64, bps: u32) -> SplitLine {
    SplitLine::percent(PayeeId(payee), u32::try_from(payee).expect("small"), bps)
}

fn fixed(payee: u64, minor: i64) -> SplitLine {
    SplitLine::fixed(PayeeId(payee), u32::try_from(payee).expect("small"), minor)
}

fn outcome(rule: &SplitRule, gross: i64) -> Outcome {
    evaluate(&Inputs::of_rule(rule, gross))
}

fn shares(outcome: &Outcome) -> Vec<(u64, i64)> {
    outcome.shares.iter().map(|share| (share.payee.0, share.share_minor)).collect()
}

#[test]
fn a_line_says_a_part_an_amount_or_both() {
    let mixed =
        SplitLine { allocation_type: AllocationType::Mixed, fixed_minor: 30, ..percent(3, 1_000) };
    let off = SplitLine { is_enabled: false, ..fixed(4, 9) };
    let made = outcome(&rule(vec![fixed(2, 250), percent(1, 3_333), mixed, off]), 1_001);
    // 1001 × 33.33 % is 333.6333, and a tenth of it 100.1: both are rounded down.
    assert_eq!(shares(&made), [(1, 333), (2, 250), (3, 130)]);
    assert_eq!((made.remainder_minor, made.over_allocated), (288, false));
    assert!(made.shares.iter().all(|share| share.effects.is_empty()));
}

#[test]
fn halves_of_an_odd_amount_are_not_more_than_all_of_it() {
    let made = outcome(&rule(vec![percent(1, 5_000), percent(2, 5_000)]), 101);
    assert_eq!(shares(&made), [(1, 50), (2, 50)]);
    assert_eq!((made.remainder_minor, made.over_allocated), (1, false));
}

#[test]
fn weights_share_all_of_it() {
    let thirds = vec![percent(1, 3_333), percent(2, 3_333), percent(3, 3_333)];
    let thirds = SplitRule { allocation_mode: AllocationMode::Weight, ..rule(thirds) };
    let inputs = Inputs::of_rule(&thirds, 1_000);
    let weights: Vec<i64> = inputs.distribution.iter().map(|weight| weight.amount).collect();
    assert_eq!(weights, [3_333; 3]);
    let made = evaluate(&inputs);
    assert_eq!(shares(&made), [(1, 334), (2, 333), (3, 333)]);
    assert_eq!(made.remainder_minor, 0);
}

#[test]
fn weights_of_nothing_share_nothing() {
    let nothing = rule(vec![percent(1, 0), fixed(2, 0)]);
    let made = outcome(&SplitRule { allocation_mode: AllocationMode::Weight, ..nothing }, 1_000);
    assert_eq!(shares(&made), [(1, 0), (2, 0)]);
    assert_eq!(made.remainder_minor, 1_000);
}

#[test]
fn a_share_stays_between_its_least_and_its_most() {
    let least = SplitLine { min_minor: Some(200), ..percent(1, 1_000) };
    let most = SplitLine { max_minor: Some(300), ..percent(2, 4_000) };
    let made = outcome(&rule(vec![least, most]), 1_000);
    assert_eq!(shares(&made), [(1, 200), (2, 300)]);
    assert_eq!(made.shares[0].raw_minor, 100);
    assert_eq!(made.shares[1].raw_minor, 400);
    assert_eq!(made.shares[0].effects, [Effect::ClampedToMin]);
    assert_eq!(made.shares[1].effects, [Effect::ClampedToMax]);
    assert_eq!(made.remainder_minor, 500);
}

#[test]
fn too_much_is_scaled_down_or_served_in_order() {
    let lines = vec![fixed(1, 700), fixed(2, 200), fixed(3, 600)];
    let scaled = outcome(&rule(lines.clone()), 1_000);
    assert_eq!(shares(&scaled), [(1, 467), (2, 133), (3, 400)]);
    assert!(scaled.over_allocated);
    let resolved = [Effect::OverAllocationResolved];
    assert!(scaled.shares.iter().all(|share| share.effects == resolved));

    let by_priority = OverAllocationPolicy::ByPriority;
    let served = outcome(&SplitRule { over_allocation: by_priority, ..rule(lines) }, 1_000);
    assert_eq!(shares(&served), [(1, 700), (2, 200), (3, 100)]);
    let effects: Vec<usize> = served.shares.iter().map(|share| share.effects.len()).collect();
    assert_eq!(effects, [0, 0, 1]);
    assert_eq!(served.remainder_minor, 0);
}

#[test]
fn what_is_left_over_is_the_sellers_or_the_last_payees() {
    let lines = vec![fixed(2, 100), fixed(1, 300)];
    let kept = outcome(&rule(lines.clone()), 1_000);
    assert_eq!((shares(&kept), kept.remainder_minor), (vec![(1, 300), (2, 100)], 600));

    let last = SplitRule { remainder: RemainderPolicy::LastPayee, ..rule(lines) };
    let given = outcome(&last, 1_000);
    assert_eq!((shares(&given), given.remainder_minor), (vec![(1, 300), (2, 700)], 600));
    let nobody = SplitRule { lines: Vec::new(), ..last };
    assert_eq!(outcome(&nobody, 1_000).remainder_minor, 1_000);
}

#[test]
fn fees_stay_with_the_seller_and_never_exceed_the_share() {
    let fee = SplitLine { fee_percent_bps: 250, fee_fixed_minor: 10, ..fixed(1, 500) };
    let all = SplitLine { fee_fixed_minor: 90, ..fixed(2, 40) };
    let made = outcome(&rule(vec![fee, all]), 1_000);
    // 2.5 % of 500 is 12.5, rounded half up.
    assert_eq!((made.shares[0].fee_minor, made.shares[0].net_minor), (23, 477));
    assert_eq!((made.shares[1].fee_minor, made.shares[1].net_minor), (40, 0));
    assert_eq!((made.total_fee_minor, made.remainder_minor), (63, 460));
    assert_eq!(made.plan().lines(), [PlanShare { payee: PayeeId(1), minor: 477 }]);
}

#[test]
fn a_payments_own_distribution_is_a_decision_without_a_rule() {
    let stated = [(5, 300), (4, 200)].map(|(n, minor)| PlanShare { payee: PayeeId(n), minor });
    let inputs = Inputs::of_distribution(&stated, 1_000);
    assert_eq!((inputs.rule, inputs.allocation_mode), (None, AllocationMode::Absolute));
    let made = evaluate(&inputs);
    assert_eq!(shares(&made), [(5, 300), (4, 200)]);
    assert_eq!(made.plan().lines(), stated);
}

#[test]
fn rules_of_the_first_form_are_read() {
    let line = SplitLine { fee_percent_bps: 1, ..percent(1, 6_000) };
    let bytes = storage::Record::encode(&rule(vec![line]));
    let now: SplitRule = storage::Record::decode(1, &bytes).expect("a rule");
    assert_eq!(now.lines[0].fee_percent_bps, 1);
    // id, seller, name, not in force, version 1, one line of six fields.
    let first = [
        &[0x86, 7, 1, 0x61, b'n', 0xf4, 1, 0x81][..],
        &[0x86, 1, 1, 0xf5, 0, 0x19, 0x17, 0x70, 0][..],
    ];
    let old: SplitRule = storage::Record::decode(1, &first.concat()).expect("a rule");
    assert_eq!(old, SplitRule { name: "n".to_owned(), ..rule(vec![percent(1, 6_000)]) });
}

#[test]
fn a_rule_is_saved_when_it_can_be_followed() {
    let ok = draft(vec![percent(1, 6_000)]);
    let with = |line: SplitLine| draft(vec![line]);
    let twice = SplitRefusal::Twice { at: 1, payee: PayeeId(3) };
    let percent_of = |field| Some(SplitRefusal::Percent { at: 0, field });
    // One line is one draft and what it is refused with.
    let table = [
        (RuleDraft { name: String::new(), ..ok.clone() }, Some(SplitRefusal::Name)),
        (draft(Vec::new()), Some(SplitRefusal::Lines)),
        (draft((1..=101).map(|n| percent(n, 1)).collect()), Some(SplitRefusal::Lines)),
        (draft(vec![fixed(3, 1), fixed(3, 2)]), Some(twice)),
        (with(percent(1, 10_001)), percent_of("allocationPercentBps")),
        (
            with(fixed(1, -1)),
            Some(SplitRefusal::Amount { at: 0, field: "allocationFixedAmountMinor" }),
        ),
        (with(SplitLine { fee_percent_bps: 10_001, ..fixed(1, 1) }), percent_of("feePercentBps")),
        (
            with(SplitLine { min_minor: Some(2), max_minor: Some(1), ..fixed(1, 1) }),
            Some(SplitRefusal::Bounds(0)),
        ),
        (ok, None),
    ];
    for (draft, refusal) in table {
        assert_eq!(draft.check().err(), refusal, "{draft:?}");
    }
    assert_eq!(SplitRefusal::PayeeMissing(PayeeId(1)).kind(), RefusalKind::Missing);
}

#[test]
fn versions_rise_when_a_rule_changes() {
    let first = SplitRule { active: true, ..rule(vec![percent(1, 6_000)]) };
    let again = draft(first.lines.clone());
    assert_eq!(SplitRule::saved(first.id, first.seller, again, Some(&first)), None);
    let other = draft(vec![percent(1, 5_000)]);
    let second = SplitRule::saved(first.id, first.seller, other, Some(&first)).expect("changed");
    assert_eq!((second.version, second.active), (2, true));
    assert_eq!(second.clone().followed(), first);
    assert_eq!(second.activated().followed().version, 2);
    assert_eq!(second.retired().in_force, None);
}

#[test]
fn a_distribution_is_of_the_payment_and_names_each_payee_once() {
    use DistributionRefusal as No;
    let line = |payee, minor| PlanShare { payee: PayeeId(payee), minor };
    let amount = |code| Money::new(1_000, Currency::parse(code).expect("a currency"));
    let many: Vec<_> = (1..=101).map(|n| line(n, 1)).collect();
    // One line is one distribution: currency, totalAmount, lines, and what it is refused with.
    let table = [
        ("EUR", Some(1_000), vec![line(1, 600), line(2, 400)], None),
        ("EUR", None, vec![line(1, 1)], None),
        ("SEK", Some(1_000), vec![], None),
        ("EUR", Some(999), vec![line(1, 600)], Some(No::Total)),
        ("SEK", None, vec![line(1, 600)], Some(No::Currency(Currency::parse("SEK").expect("SEK")))),
        ("EUR", None, many, Some(No::Lines)),
        ("EUR", None, vec![line(1, 1), line(2, 0)], Some(No::NotPositive(1))),
        ("EUR", None, vec![line(1, 1), line(1, 2)], Some(No::Twice { at: 1, payee: PayeeId(1) })),
        ("EUR", None, vec![line(1, 600), line(2, 401)], Some(No::TooMuch)),
    ];
    for (code, total, lines, refusal) in table {
        let checked = check_distribution(amount(code).expect("money"), total, &lines);
        assert_eq!(checked.as_ref().err(), refusal.as_ref(), "{code} {lines:?}");
        if let Ok(plan) = checked {
            assert_eq!(plan.lines(), lines);
        }
    }
    let currency = No::Currency(Currency::parse("DKK").expect("DKK"));
    assert_eq!(currency.to_string(), "currency DKK cannot be split");
}
