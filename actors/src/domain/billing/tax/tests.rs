use proptest::prelude::*;

use super::*;

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
