//! A second way to compute splits, in exact fractions.

use num_rational::Ratio;
use proptest::prelude::*;

use super::*;

type Exact = Ratio<i128>;

fn lines() -> impl Strategy<Value = Vec<SplitLine>> {
    let bound = || prop_oneof![2 => Just(None), 1 => (0_i64..3_000).prop_map(Some)];
    let amounts = (0_u32..=10_000, 0_i64..2_000, 0_u32..=10_000, 0_i64..300);
    let line = (0_u32..4, 0..10_u8, 0_usize..3, amounts, bound(), bound());
    let made =
        line.prop_map(|(priority, on, kind, (bps, minor, fee_bps, fee), min, max)| SplitLine {
            priority,
            is_enabled: on > 1,
            allocation_type: AllocationType::ALL[kind],
            percent_bps: bps,
            fee_percent_bps: fee_bps,
            fee_fixed_minor: fee,
            min_minor: min.map(|min| min.min(max.unwrap_or(i64::MAX))),
            max_minor: max,
            ..SplitLine::fixed(PayeeId(0), priority, minor)
        });
    proptest::collection::vec(made, 0..6).prop_map(|mut lines| {
        for (n, line) in (1..).zip(&mut lines) {
            line.payee = PayeeId(n);
        }
        lines
    })
}

fn rules() -> impl Strategy<Value = SplitRule> {
    let policies = (any::<bool>(), any::<bool>(), any::<bool>());
    (lines(), policies).prop_map(|(lines, (weight, priority, last))| {
        let mut made = rule(lines);
        if weight {
            made.allocation_mode = AllocationMode::Weight;
        }
        if priority {
            made.over_allocation = OverAllocationPolicy::ByPriority;
        }
        if last {
            made.remainder = RemainderPolicy::LastPayee;
        }
        made
    })
}

fn whole(exact: Exact) -> i64 {
    i64::try_from(exact.floor().to_integer()).expect("small")
}

/// Whether `given` are whole units of `total` shared by `weights`: each within a unit of its exact
/// part, and who lost less to rounding down never got a unit that one who lost more did not.
fn is_largest_remainder(total: i64, weights: &[i64], given: &[i64]) -> bool {
    let sum: i128 = weights.iter().map(|weight| i128::from(*weight)).sum();
    let exact = |weight: &i64| Exact::new(i128::from(total) * i128::from(*weight), sum);
    let parts: Vec<Exact> = weights.iter().map(exact).collect();
    let more: Vec<i64> = parts.iter().zip(given).map(|(part, got)| got - whole(*part)).collect();
    let ordered = |one: usize, other: usize| {
        let (lost, other_lost) = (parts[one].fract(), parts[other].fract());
        more[one] >= more[other] || lost < other_lost || (lost == other_lost && one > other)
    };
    given.iter().sum::<i64>() == total
        && more.iter().all(|more| (0..=1).contains(more))
        && (0..parts.len()).all(|one| (0..parts.len()).all(|other| ordered(one, other)))
}

fn stated(line: &SplitLine, gross: i64) -> Exact {
    let part = Exact::new(i128::from(gross) * i128::from(line.percent_bps), 10_000).floor();
    let fixed = Exact::from_integer(i128::from(line.fixed_minor));
    match line.allocation_type {
        AllocationType::PercentBps => part,
        AllocationType::FixedMinor => fixed,
        AllocationType::Mixed => part + fixed,
    }
}

proptest! {
    #[test]
    fn an_evaluation_is_what_exact_fractions_say(rule in rules(), gross in 1_i64..5_000) {
        let inputs = Inputs::of_rule(&rule, gross);
        let made = evaluate(&inputs);
        let mut lines: Vec<_> = rule.lines.iter().filter(|line| line.is_enabled).collect();
        lines.sort_by_key(|line| line.priority);
        prop_assert_eq!(made.shares.len(), lines.len());

        let raw: Vec<i64> = made.shares.iter().map(|share| share.raw_minor).collect();
        if rule.allocation_mode == AllocationMode::Absolute {
            let expected: Vec<_> = lines.iter().map(|line| whole(stated(line, gross))).collect();
            prop_assert_eq!(&raw, &expected);
        } else {
            let weights: Vec<_> = lines.iter().map(|line| inputs.weight_of(line.payee)).collect();
            if weights.iter().any(|weight| *weight > 0) {
                prop_assert!(is_largest_remainder(gross, &weights, &raw), "{weights:?} {raw:?}");
            } else {
                prop_assert!(raw.iter().all(|raw| *raw == 0));
            }
        }

        let bounded = |(line, raw): (&&SplitLine, &i64)| {
            (*raw).max(line.min_minor.unwrap_or(0)).min(line.max_minor.unwrap_or(i64::MAX))
        };
        let wanted: Vec<i64> = lines.iter().zip(&raw).map(bounded).collect();
        let asked: i64 = wanted.iter().sum();
        prop_assert_eq!(made.over_allocated, asked > gross);
        let mut given: Vec<i64> = made.shares.iter().map(|share| share.share_minor).collect();
        if rule.remainder == RemainderPolicy::LastPayee
            && let Some(last) = given.last_mut()
        {
            *last -= made.remainder_minor;
        }
        match (asked > gross, rule.over_allocation) {
            (false, _) => prop_assert_eq!(&given, &wanted),
            (true, OverAllocationPolicy::ScaleDown) => {
                prop_assert!(is_largest_remainder(gross, &wanted, &given));
            }
            (true, OverAllocationPolicy::ByPriority) => {
                let short = given.iter().zip(&wanted).position(|(given, wanted)| given < wanted);
                let short = short.expect("somebody gets less");
                prop_assert_eq!(given.iter().sum::<i64>(), gross);
                prop_assert!(given[short + 1..].iter().all(|given| *given == 0));
            }
        }
        prop_assert_eq!(given.iter().sum::<i64>() + made.remainder_minor, gross);

        for (line, share) in lines.iter().zip(&made.shares) {
            let part = i128::from(share.share_minor) * i128::from(line.fee_percent_bps);
            let part = whole(Exact::new(part, 10_000) + Exact::new(1, 2));
            let fee = (part + line.fee_fixed_minor).min(share.share_minor);
            prop_assert_eq!(share.fee_minor, fee);
            prop_assert_eq!(share.net_minor, share.share_minor - fee);
        }
        let paid: i64 = made.plan().lines().iter().map(|line| line.minor).sum();
        prop_assert!((0..=gross).contains(&paid));
    }

    #[test]
    fn captures_and_refunds_share_by_largest_remainder(
        minors in proptest::collection::vec(1_i64..400, 0..6),
        kept in 0_i64..400,
        (captured, refunded) in (0_u32..=100, 0_u32..=100),
    ) {
        let plan: Vec<_> = (1..).zip(&minors)
            .map(|(n, minor)| PlanShare { payee: PayeeId(n), minor: *minor })
            .collect();
        let whole = minors.iter().sum::<i64>() + kept;
        let captured = whole * i64::from(captured) / 100;
        let refunded = captured * i64::from(refunded) / 100;
        let got = credited(&Plan::of(plan), whole, captured);
        let gave = given_back(&got, refunded);
        let minors_of = |of: &[(PayeeId, i64)]| of.iter().map(|(_, minor)| *minor).collect();
        let (got_minor, gave_minor): (Vec<i64>, Vec<i64>) = (minors_of(&got), minors_of(&gave));
        let weights: Vec<i64> = minors.iter().copied().chain([kept]).collect();
        if whole > 0 {
            prop_assert!(is_largest_remainder(captured, &weights, &got_minor));
        }
        if captured > 0 {
            prop_assert!(is_largest_remainder(refunded, &got_minor, &gave_minor));
        }
        prop_assert!(gave.iter().zip(&got).all(|(gave, got)| gave.1 <= got.1));
    }
}
