//! Every configuration that is refused, with the field that is named; and the metric and contract
//! that a configuration is for.

use super::fixtures::{banded, package, percentage, priced, request, text};
use crate::domain::billing::pricing::{
    AllotmentRequest, ConfigRefusal, PriceConfigRequest, TierRequest, check_fit,
};
use crate::domain::billing::usage::MetricName;
use crate::domain::money::Currency;
use crate::domain::refusal::{Refusal, RefusalKind};

fn two_bands() -> PriceConfigRequest {
    banded("graduated", &[("10", "1"), ("", "0.5")])
}

fn tier(index: usize, change: impl Fn(&mut TierRequest)) -> PriceConfigRequest {
    let mut request = two_bands();
    change(&mut request.tiers.as_mut().expect("bands")[index]);
    request
}

fn with(
    mut request: PriceConfigRequest,
    change: impl Fn(&mut PriceConfigRequest),
) -> PriceConfigRequest {
    change(&mut request);
    request
}

fn unit() -> PriceConfigRequest {
    priced("per_unit", "1")
}

#[test]
fn what_is_wrong_is_named_by_its_path() {
    let many: Vec<(String, &str)> = (1..=100).map(|bound| (bound.to_string(), "1")).collect();
    let mut many: Vec<(&str, &str)> =
        many.iter().map(|(bound, price)| (bound.as_str(), *price)).collect();
    many.push(("", "1"));
    let rows = [
        ("config.scheme", with(unit(), |r| r.scheme = None)),
        ("config.scheme", priced("flat", "1")),
        ("config.scheme", priced("PER_UNIT", "1")),
        ("config.currency", with(unit(), |r| r.currency = None)),
        ("config.currency", unit().in_currency("eur")),
        ("config.currency", unit().in_currency("XYZ")),
        ("config.rounding", with(unit(), |r| r.rounding = None)),
        ("config.rounding", unit().rounded("nearest")),
        ("config.unitPrice", request("per_unit")),
        ("config.unitPrice", priced("per_unit", "-1")),
        ("config.unitPrice", priced("per_unit", "1e3")),
        ("config.unitPrice", priced("per_unit", "+1")),
        ("config.unitPrice", priced("per_unit", "0.0000000000001")),
        ("config.unitPrice", priced("per_unit", "1000000000000000")),
        ("config.unitPrice", with(package("10", "1"), |r| r.unit_price = None)),
        ("config.unitPrice", request("per_seat")),
        ("config.packageSize", with(package("10", "1"), |r| r.package_size = None)),
        ("config.packageSize", package("0", "1")),
        ("config.packageSize", package("-5", "1")),
        ("config.packageSize", with(unit(), |r| r.package_size = text("10"))),
        ("config.packageSize", with(two_bands(), |r| r.package_size = text("10"))),
        ("config.percentBps", request("percentage")),
        ("config.percentBps", percentage(-1)),
        ("config.percentBps", percentage(1_000_001)),
        ("config.percentBps", with(unit(), |r| r.percent_bps = Some(100))),
        ("config.tiers", request("graduated")),
        ("config.tiers", banded("volume", &[])),
        ("config.tiers", banded("tiered", &many)),
        ("config.tiers", with(unit(), |r| r.tiers = two_bands().tiers)),
        ("config.tiers", with(percentage(1), |r| r.tiers = two_bands().tiers)),
        ("config.tiers[0].upTo", tier(0, |t| t.up_to = None)),
        ("config.tiers[0].upTo", tier(0, |t| t.up_to = text("0"))),
        ("config.tiers[0].upTo", tier(0, |t| t.up_to = text("ten"))),
        ("config.tiers[1].upTo", tier(1, |t| t.up_to = text("20"))),
        ("config.tiers[1].upTo", banded("volume", &[("10", "1"), ("10", "1"), ("", "1")])),
        ("config.tiers[1].upTo", banded("tiered", &[("10", "1"), ("9.9", "1"), ("", "1")])),
        ("config.tiers[0].unitPrice", tier(0, |t| t.unit_price = None)),
        ("config.tiers[1].unitPrice", tier(1, |t| t.unit_price = text("-0.5"))),
        ("config.tiers[1].flatAmount", tier(1, |t| t.flat_amount = text("5"))),
        (
            "config.tiers[0].flatAmount",
            with(tier(0, |t| t.unit_price = None), |r| r.scheme = text("tiered")),
        ),
        ("config.tiers[0].unitPrice", with(two_bands(), |r| r.scheme = text("tiered"))),
        (
            "config.allotment.includedUnits",
            with(unit(), |r| r.allotment = Some(AllotmentRequest::default())),
        ),
        ("config.allotment.includedUnits", unit().including("-1", "none")),
        ("config.allotment.rollover", unit().including("1", "always")),
        ("config.allotment", priced("per_seat", "1").including("1", "none")),
        (
            "config.allotment",
            with(priced("per_seat", "1"), |r| {
                r.allotment =
                    Some(AllotmentRequest { rollover: text("rollover"), ..Default::default() });
            }),
        ),
        ("config.commitment.minimumMinor", unit().committed(Some(-1), None)),
        ("config.commitment.minimumMinor", unit().committed(Some(1_000_000_000_000_001), None)),
        ("config.commitment.minimumMinor", unit().committed(Some(2), Some(1))),
        ("config.commitment.spendCapMinor", unit().committed(None, Some(-1))),
        ("config.commitment.usageCap", unit().capped("many")),
        ("config.commitment.usageCap", priced("per_seat", "1").capped("5")),
    ];
    for (field, request) in rows {
        let refusal = request.check().expect_err(field);
        let Refusal { kind, text, .. } = refusal.into();
        assert_eq!(kind, RefusalKind::Invalid);
        assert!(text.starts_with(&format!("{field} ")), "{field} is not named by {text:?}");
    }
}

#[test]
fn what_is_right_is_taken() {
    let rows = [
        unit(),
        priced("per_unit", "0"),
        with(two_bands(), |r| r.unit_price = text("anything")),
        with(unit(), |r| r.tiers = Some(Vec::new())),
        banded("tiered", &[("", "5")]),
        percentage(0),
        percentage(1_000_000),
        package("0.5", "1"),
        priced("per_seat", "9.99").committed(Some(100), Some(100)),
        unit().including("0", "rollover").capped("0").committed(Some(0), Some(0)),
        unit().in_currency("JPY"),
    ];
    for request in rows {
        assert!(request.check().is_ok(), "{request:?}: {:?}", request.check());
    }
}

#[test]
fn seats_and_nothing_else_are_priced_by_the_seat() {
    let calls = MetricName::parse("api.calls").expect("a name");
    let (seat, unit) = (priced("per_seat", "1").right(), unit().right());
    let usd = Currency::parse("USD").expect("dollars");
    let rows = [
        (&seat, &MetricName::seats(), Currency::EUR, Ok(())),
        (&unit, &calls, Currency::EUR, Ok(())),
        (&unit, &MetricName::seats(), Currency::EUR, Err(ConfigRefusal::SeatsOnly)),
        (&seat, &calls, Currency::EUR, Err(ConfigRefusal::NotForSeats)),
        (&unit, &calls, usd, Err(ConfigRefusal::OtherCurrency(usd))),
    ];
    for (config, metric, currency, expected) in rows {
        assert_eq!(check_fit(config, metric, currency), expected);
    }
}
