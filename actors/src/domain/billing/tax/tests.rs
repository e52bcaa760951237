use proptest::prelude::*;

use super::*;
use crate::domain::country::Country;
use crate::domain::testing::day;

fn rate(text: &str) -> TaxRate {
    TaxRate::parse(text).expect("a rate")
}

/// `numerator / denominator` rounded half up, away from zero; the denominator is above 0.
fn rounded(numerator: i128, denominator: i128) -> i128 {
    (2 * numerator.abs() + denominator) / (2 * denominator) * numerator.signum()
}

#[test]
fn the_sum_of_a_rate_is_taxed_and_rounded_once() {
    type Case = (&'static [(i64, &'static str)], &'static [i64]);
    let cases: &[Case] = &[
        (&[], &[]),
        (&[(1000, "21")], &[210]),
        // 3 × 0.5: by line this would be 3, on the sum it is 2.
        (&[(5, "10"), (5, "10"), (5, "10")], &[1, 1, 0]),
        (&[(100, "10.25"), (200, "10.25")], &[10, 21]),
        // Each rate stands for itself.
        (&[(1000, "21"), (1000, "9"), (0, "21"), (1000, "0")], &[210, 90, 0, 0]),
        // A deduction takes its tax back.
        (&[(100_000, "21"), (-99_999, "21")], &[21_000, -21_000]),
        (&[(-1000, "21"), (3000, "9")], &[-210, 270]),
        (&[(-5, "10"), (-5, "10"), (-5, "10")], &[-1, -1, 0]),
        (&[(1_000_000_000_000_000, "100")], &[1_000_000_000_000_000]),
    ];
    for (lines, expected) in cases {
        let lines: Vec<_> = lines.iter().map(|(net, percent)| (*net, rate(percent))).collect();
        assert_eq!(tax_by_line(&lines).as_deref(), Ok(*expected), "{lines:?}");
    }
}

#[test]
fn a_base_beyond_the_limit_is_refused() {
    let lines = [(1_000_000_000_000_000, rate("1")), (1, rate("1"))];
    assert_eq!(tax_by_line(&lines), Err(MoneyError::TooLarge));
}

proptest! {
    /// Against exact fractions: percent × 10^4 over 10^6.
    #[test]
    fn taxes_add_up_by_rate_and_stay_by_their_line(
        lines in proptest::collection::vec(
            (-1_000_000_000_i64..10_000_000_000, prop_oneof![
                Just(0_u32), Just(90_000), Just(210_000), Just(102_533), 0_u32..=1_000_000,
            ]),
            0..30,
        ),
    ) {
        let rates: Vec<_> = lines.iter().map(|(_, r)| rate(&format!("{}.{:04}", r / 10_000, r % 10_000))).collect();
        let given: Vec<_> = lines.iter().map(|(net, _)| *net).zip(rates).collect();
        let taxes = tax_by_line(&given).expect("within the limit");
        prop_assert_eq!(taxes.len(), lines.len());
        for percent in lines.iter().map(|(_, percent)| *percent) {
            let base: i128 = lines.iter().filter(|l| l.1 == percent).map(|l| i128::from(l.0)).sum();
            let tax: i128 = lines.iter().zip(&taxes).filter(|(l, _)| l.1 == percent).map(|(_, t)| i128::from(*t)).sum();
            prop_assert_eq!(tax, rounded(base * i128::from(percent), 1_000_000));
        }
        for ((net, percent), tax) in lines.iter().zip(&taxes) {
            let exact = i128::from(*net) * i128::from(*percent);
            let distance = (i128::from(*tax) * 1_000_000 - exact).abs();
            prop_assert!(distance <= 2_000_000, "{net} at {percent} was given {tax}");
            prop_assert!(*tax == 0 || (*tax > 0) == (*net > 0), "{net} was given {tax}");
        }
    }
}

fn country(code: &str) -> Country {
    Country::parse(code).expect("a country")
}

#[test]
fn where_seller_and_customer_are_decides() {
    // German and French ids with right check digits, and one with a wrong one.
    let (german, french, wrong) = (Some("DE136695976"), Some("FR61954506077"), Some("DE136695977"));
    for (customer, id, kind, expected) in [
        (Some("NL"), None, TaxKind::Standard, ("S", "21")),
        (Some("NL"), None, TaxKind::Reduced, ("S", "9")),
        (Some("NL"), german, TaxKind::Standard, ("S", "21")),
        (Some("DE"), german, TaxKind::Standard, ("AE", "0")),
        (Some("Germany"), german, TaxKind::Reduced, ("AE", "0")),
        (Some("DE"), german, TaxKind::Zero, ("AE", "0")),
        (Some("DE"), german, TaxKind::Exempt, ("E", "0")),
        (Some("DE"), None, TaxKind::Standard, ("S", "19")),
        (Some("DE"), None, TaxKind::Reduced, ("S", "7")),
        (Some("DE"), None, TaxKind::Zero, ("Z", "0")),
        (Some("DE"), wrong, TaxKind::Standard, ("S", "19")),
        (Some("DE"), french, TaxKind::Standard, ("S", "19")),
        (Some("US"), None, TaxKind::Standard, ("O", "0")),
        (Some("US"), german, TaxKind::Exempt, ("O", "0")),
        (Some("somewhere"), None, TaxKind::Standard, ("O", "0")),
        (None, german, TaxKind::Standard, ("O", "0")),
    ] {
        let rule = AutomaticTax::between(country("NL"), customer, id, day("2026-11-22"));
        let found = rule.treat(kind);
        let found = (found.category.name(), found.rate.to_string());
        assert_eq!(found, (expected.0, expected.1.to_owned()), "{customer:?} {id:?} {kind}");
    }
}

#[test]
fn what_a_line_states_goes_before_the_countries() {
    let at_home = AutomaticTax::between(country("NL"), Some("DE"), None, day("2026-11-22"));
    let abroad = AutomaticTax::between(country("NL"), Some("US"), None, day("2026-11-22"));
    let stated = |percent: Option<&str>, category| StatedTax {
        rate: percent.map(rate),
        category,
        kind: None,
    };
    for (rule, tax, expected) in [
        (at_home, stated(Some("5"), None), ("S", "5")),
        (at_home, stated(Some("0"), None), ("Z", "0")),
        (at_home, stated(None, Some(TaxCategory::Export)), ("G", "0")),
        (at_home, stated(None, Some(TaxCategory::Standard)), ("S", "19")),
        (abroad, stated(None, Some(TaxCategory::Standard)), ("S", "21")),
        (abroad, stated(Some("9"), Some(TaxCategory::Standard)), ("S", "9")),
        (abroad, stated(None, None), ("O", "0")),
    ] {
        let rules = TaxRules { default_rate: rate("33"), automatic: Some(rule) };
        let found = rules.treat(tax);
        let found = (found.category.name(), found.rate.to_string());
        assert_eq!(found, (expected.0, expected.1.to_owned()), "{tax:?}");
    }
}
