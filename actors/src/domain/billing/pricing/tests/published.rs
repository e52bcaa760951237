//! Examples that other products publish with their prices, each as the figures stand there.

use super::fixtures::{banded, package, percentage, priced, rated};
use crate::domain::billing::pricing::PriceConfigRequest;

/// Checks amounts in cents by quantity.
fn check(source: &str, request: &PriceConfigRequest, expected: &[(&str, i64)]) {
    for (units, minor) in expected {
        assert_eq!(rated(request, units).amount_minor, *minor, "{source}: {units}");
    }
}

#[test]
fn fonts_cost_what_stripe_says() {
    let fonts = [("5", "7"), ("10", "6.5"), ("", "6")];
    let volume = [("1", 700), ("5", 3_500), ("6", 3_900), ("20", 12_000), ("25", 15_000)];
    check("Stripe, volume", &banded("volume", &fonts), &volume);
    let graduated = [("1", 700), ("5", 3_500), ("6", 4_150), ("20", 12_750), ("25", 15_750)];
    check("Stripe, graduated", &banded("graduated", &fonts), &graduated);
}

#[test]
fn calls_cost_what_lago_says() {
    let calls = banded("graduated", &[("100", "1"), ("200", "0.5"), ("", "0.1")]);
    check("Lago, graduated", &calls, &[("100", 10_000), ("200", 15_000), ("201", 15_010)]);
    let packages = package("100", "5").including("100", "none");
    check("Lago, package", &packages, &[("100", 0), ("200", 500), ("201", 1_000)]);
    check("Lago, percentage of 1.2", &percentage(120), &[("50", 60)]);
}

#[test]
fn tokens_and_a_plan_cost_what_chargebee_says() {
    let tokens = package("1000000", "1.25").in_currency("USD");
    let expected = [("1000000", 125), ("10", 125), ("1500000", 250)];
    check("Chargebee, package", &tokens, &expected);
    check("Chargebee, per unit", &priced("per_unit", "29"), &[("1", 2_900), ("3", 8_700)]);
}

#[test]
fn each_model_costs_what_orb_says() {
    check("Orb, unit", &priced("per_unit", "0.50"), &[("1", 50), ("7", 350)]);
    let bands = [("10", "0.50"), ("", "0.10")];
    check("Orb, tiered", &banded("graduated", &bands), &[("10", 500), ("11", 510)]);
    let bulk = banded("volume", &[("10", "0.50"), ("", "0.40")]);
    check("Orb, bulk", &bulk, &[("10", 500), ("101", 4_040)]);
    let packages = package("10", "0.80");
    check("Orb, package", &packages, &[("4", 80), ("10", 80), ("11", 160)]);
}

#[test]
fn credits_cost_what_metrifox_says() {
    let bands = [("1000", "0.10"), ("5000", "0.08"), ("", "0.08")];
    check("Metrifox, graduated", &banded("graduated", &bands), &[("2500", 22_000)]);
    check("Metrifox, volume", &banded("volume", &bands), &[("2500", 20_000)]);
    let steps = banded("tiered", &[("100", "10"), ("500", "40"), ("", "40")]);
    check("Metrifox, stairstep", &steps, &[("1", 1_000), ("100", 1_000), ("101", 4_000)]);
}
