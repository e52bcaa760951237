//! The order of a rating, which limits act, what is left over, and amounts beyond all bounds.

use super::fixtures::{banded, package, percentage, priced, quantity, rated, request, used};
use crate::domain::billing::pricing::{
    Basis, EvaluationRefusal, Flags, LinePrice, PriceConfigRequest, RatingInput, RatingRefusal,
    UnitBasis, UsageBreakdown, evaluate, rate,
};
use crate::domain::quantity::Quantity;

/// The flags that are set, a letter each: included, usage cap, minimum, spend cap.
fn flags(flags: Flags) -> String {
    let all = [
        ('i', flags.included_units_applied),
        ('u', flags.usage_cap_applied),
        ('m', flags.minimum_applied),
        ('s', flags.spend_cap_applied),
    ];
    all.iter().filter(|(_, set)| *set).map(|(letter, _)| *letter).collect()
}

fn units(request: &PriceConfigRequest, input: &RatingInput) -> UnitBasis {
    let rating = rate(&request.right(), input).expect("an amount");
    let Basis::Units(units) = rating.basis else { panic!("no units") };
    units
}

#[test]
fn limits_act_in_their_order() {
    let one = || priced("per_unit", "1");
    let all = one().including("10", "none").capped("20").committed(Some(500), Some(1_500));
    let rows = [
        (one(), "7", 700, ""),
        (one().including("10", "none"), "0", 0, ""),
        (one().including("10", "none"), "4", 0, "i"),
        (one().including("10", "none"), "10", 0, "i"),
        (one().including("10", "none"), "10.5", 50, "i"),
        (one().including("0", "none"), "5", 500, ""),
        (one().capped("5"), "5", 500, ""),
        (one().capped("5"), "6", 500, "u"),
        // The cap is on what is billable: the allotment comes off before it.
        (one().including("10", "none").capped("5"), "15", 500, "i"),
        (one().including("10", "none").capped("5"), "16", 500, "iu"),
        (one().committed(Some(500), None), "5", 500, ""),
        (one().committed(Some(500), None), "4.99", 500, "m"),
        (one().committed(None, Some(500)), "5", 500, ""),
        (one().committed(None, Some(500)), "5.01", 500, "s"),
        (one().committed(Some(500), Some(500)), "0", 500, "m"),
        (one().committed(Some(500), Some(500)), "9", 500, "s"),
        (all.clone(), "0", 500, "m"),
        (all.clone(), "12", 500, "im"),
        (all.clone(), "18", 800, "i"),
        (all.clone(), "28", 1_500, "is"),
        (all, "40", 1_500, "ius"),
    ];
    for (request, units, minor, set) in rows {
        let rating = rated(&request, units);
        let found = (rating.amount_minor, flags(rating.flags));
        assert_eq!(found, (minor, set.to_owned()), "{units} by {request:?}");
    }
}

#[test]
fn rounding_happens_once_and_as_it_says() {
    // Three bands of a third of a cent each come to a cent, not to three roundings.
    let bands = banded("graduated", &[("1", "0.0033"), ("2", "0.0033"), ("", "0.0034")]);
    assert_eq!(rated(&bands, "3").amount_minor, 1);
    for (rounding, units, minor) in [
        ("half_up", "0.5", 1),
        ("half_up", "1.5", 2),
        ("half_up", "0.499999999", 0),
        ("half_even", "0.5", 0),
        ("half_even", "1.5", 2),
        ("half_even", "2.5", 2),
        ("half_even", "2.500000001", 3),
        ("up", "0.000000001", 1),
        ("up", "1", 1),
        ("down", "0.999999999", 0),
        ("down", "1", 1),
    ] {
        let request = priced("per_unit", "0.01").rounded(rounding);
        assert_eq!(rated(&request, units).amount_minor, minor, "{units} {rounding}");
    }
}

#[test]
fn a_currency_has_its_own_number_of_decimals() {
    for (currency, minor) in [("JPY", 2), ("EUR", 150), ("KWD", 1_500), ("CLF", 15_000)] {
        let request = priced("per_unit", "1.5").in_currency(currency);
        assert_eq!(rated(&request, "1").amount_minor, minor, "{currency}");
    }
}

#[test]
fn rolled_over_units_go_first_and_only_the_own_allotment_is_left() {
    let request = priced("per_unit", "1").including("10", "rollover");
    for (rolled_over, quantity_used, minor, left) in [
        ("0", "0", 0, "10"),
        ("0", "4", 0, "6"),
        ("3", "0", 0, "10"),
        ("3", "3", 0, "10"),
        ("3", "4", 0, "9"),
        ("3", "13", 0, "0"),
        ("3", "13.5", 50, "0"),
    ] {
        let input = RatingInput { rolled_over: quantity(rolled_over), ..used(quantity_used) };
        let rating = rate(&request.right(), &input).expect("an amount");
        let found = (rating.amount_minor, rating.unused());
        assert_eq!(found, (minor, quantity(left)), "{rolled_over} and {quantity_used}");
    }
    let lapsing = priced("per_unit", "1").including("10", "none");
    assert_eq!(rated(&lapsing, "4").unused(), Quantity::ZERO);
    // What was rolled in counts by a configuration without an allotment of its own, too.
    let input = RatingInput { rolled_over: quantity("3"), ..used("5") };
    let plain = rate(&priced("per_unit", "1").right(), &input).expect("an amount");
    assert_eq!((plain.amount_minor, flags(plain.flags).as_str()), (200, "i"));
}

#[test]
fn a_trial_is_free() {
    let request = priced("per_unit", "1").including("10", "rollover").committed(Some(500), None);
    let input = RatingInput { trial: true, ..used("25") };
    let rating = rate(&request.right(), &input).expect("an amount");
    assert_eq!((rating.amount_minor, rating.unused()), (0, Quantity::ZERO));
    assert_eq!((rating.flags, rating.lines().len()), (Flags::default(), 0));
    let formula = UsageBreakdown { price_version: 1, rating }.formula();
    assert_eq!(formula, "0: the period is a trial");
}

#[test]
fn a_flat_amount_is_not_charged_for_nothing() {
    let request = banded("tiered", &[("10", "5"), ("", "8")]).including("10", "none");
    let silent = RatingInput { any_event: false, ..used("0") };
    let config = request.right();
    assert_eq!(rate(&config, &silent).expect("an amount").amount_minor, 0);
    assert_eq!(rate(&config, &used("0")).expect("an amount").amount_minor, 500);
    assert_eq!(rate(&config, &used("10")).expect("an amount").amount_minor, 500);
    assert_eq!(rate(&config, &used("20")).expect("an amount").amount_minor, 500);
    assert_eq!(rate(&config, &used("21")).expect("an amount").amount_minor, 800);
    let floor = request.committed(Some(300), None).right();
    assert_eq!(rate(&floor, &silent).expect("an amount").amount_minor, 300);
}

#[test]
fn lines_show_bands_with_their_bounds() {
    let shown = |request: &PriceConfigRequest, units_used: &str| -> Vec<String> {
        let basis = units(request, &used(units_used));
        let line = |line: &crate::domain::billing::pricing::RatedLine| {
            let end = line.up_to.map_or("∞".to_owned(), |end| end.to_string());
            let price = match &line.price {
                LinePrice::Unit(price) => format!("× {price}"),
                LinePrice::Flat(price) => format!("flat {price}"),
                LinePrice::Package { price, size, packages } => {
                    format!("{packages} of {size} × {price}")
                }
                LinePrice::Share(bps) => format!("{bps} bps"),
            };
            format!("{}-{end}: {} {price} = {}", line.from, line.quantity, line.amount)
        };
        basis.lines.iter().map(line).collect()
    };
    let bands = [("10", "1"), ("20", "0.5"), ("", "0.25")];
    let graduated = banded("graduated", &bands);
    assert_eq!(shown(&graduated, "0"), ["0-10: 0 × 1 = 0"]);
    assert_eq!(shown(&graduated, "10"), ["0-10: 10 × 1 = 10"]);
    assert_eq!(
        shown(&graduated, "20.5"),
        ["0-10: 10 × 1 = 10", "10-20: 10 × 0.5 = 5", "20-∞: 0.5 × 0.25 = 0.125",]
    );
    assert_eq!(shown(&banded("volume", &bands), "10.1"), ["10-20: 10.1 × 0.5 = 5.05"]);
    assert_eq!(shown(&banded("tiered", &bands), "21"), ["20-∞: 21 flat 0.25 = 0.25"]);
    assert_eq!(shown(&package("10", "2"), "11"), ["0-∞: 11 2 of 10 × 2 = 4"]);
    assert_eq!(shown(&package("10", "2"), "0"), ["0-∞: 0 0 of 10 × 2 = 0"]);
    assert_eq!(shown(&percentage(250), "80"), ["0-∞: 80 250 bps = 2"]);
}

#[test]
fn amounts_beyond_all_bounds_are_refused_and_never_wrong() {
    let (most, dearest) = ("999999999999999999.999999999", "999999999999999.999999999999");
    let request = priced("per_unit", dearest);
    assert_eq!(rate(&request.right(), &used(most)), Err(RatingRefusal::TooLarge));
    // A cap holds however far the amount before it lies.
    let capped = rated(&request.clone().committed(None, Some(700)), most);
    assert_eq!((capped.amount_minor, flags(capped.flags).as_str()), (700, "s"));
    let exact = units(&request.committed(None, Some(700)), &used(most)).exact;
    assert_eq!(exact.to_string(), "999999999999999999999999998000000.000000000000000000001");
    // The largest amount itself stands.
    let edge = priced("per_unit", "10000000000000");
    assert_eq!(rated(&edge, "1").amount_minor, 1_000_000_000_000_000);
    assert_eq!(rate(&edge.right(), &used("1.000000001")), Err(RatingRefusal::TooLarge));
}

#[test]
fn evaluation_names_the_quantity_at_fault() {
    let config = priced("per_unit", "10000000000000").right();
    let list = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
    let evaluated = evaluate(&config, &list(&["0", "1"])).expect("amounts");
    let minor: Vec<_> = evaluated.iter().map(|(_, rating)| rating.amount_minor).collect();
    assert_eq!(minor, [0, 1_000_000_000_000_000]);
    for (quantities, refusal) in [
        (list(&[]), EvaluationRefusal::Count),
        (vec!["1".to_owned(); 101], EvaluationRefusal::Count),
        (list(&["1", "1e3"]), EvaluationRefusal::Quantity(1)),
        (list(&["-1"]), EvaluationRefusal::Quantity(0)),
        (list(&["1", "0", "2"]), EvaluationRefusal::TooLarge(2)),
    ] {
        assert_eq!(evaluate(&config, &quantities), Err(refusal));
    }
    let seats = priced("per_seat", "1").right();
    assert_eq!(evaluate(&seats, &list(&["1"])), Err(RatingRefusal::PerSeat.into()));
    assert!(request("per_seat").check().is_err());
}
