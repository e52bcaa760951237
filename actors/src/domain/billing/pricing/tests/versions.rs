//! Which configuration holds when.

use super::fixtures::{banded, day, percentage, priced};
use crate::domain::billing::pricing::{
    AddedPrice, MAX_VERSIONS, PriceSet, PriceVersion, SetPrice, VersionRefusal, current, in_force,
    set_price,
};
use crate::domain::billing::subscription::Span;
use crate::domain::time::Timestamp;
use storage::Record;

const NOW: Timestamp = Timestamp::MAX;

/// Versions 1, 2, … from these days on.
fn versions(days: &[&str]) -> Vec<PriceVersion> {
    let mut versions = Vec::new();
    for (index, from) in days.iter().enumerate() {
        let config = priced("per_unit", &index.to_string()).right();
        let set = SetPrice { effective_from: day(from), config };
        versions.push(added(&versions, set).price);
    }
    versions
}

fn added(versions: &[PriceVersion], set: SetPrice) -> AddedPrice {
    match set_price(versions, set, NOW) {
        Ok(PriceSet::Added(added)) => added,
        other => panic!("not a new version: {other:?}"),
    }
}

/// So many major units a unit from a day on.
fn set(price: &str, from: &str) -> SetPrice {
    SetPrice { effective_from: day(from), config: priced("per_unit", price).right() }
}

#[test]
fn the_first_day_decides_else_what_takes_effect_first_inside() {
    let days = ["2026-03-01", "2026-02-01", "2026-03-01", "2026-03-20", "2026-03-10"];
    let versions = versions(&days);
    for (start, end, expected) in [
        ("2026-01-01", "2026-02-01", None),
        ("2026-01-01", "2026-02-02", Some(2)),
        ("2026-01-15", "2026-03-15", Some(2)),
        ("2026-02-01", "2026-03-01", Some(2)),
        ("2026-02-15", "2026-03-15", Some(2)),
        // For one day the highest version stands.
        ("2026-03-01", "2026-04-01", Some(3)),
        ("2026-03-10", "2026-04-10", Some(5)),
        ("2026-03-20", "2026-04-20", Some(4)),
    ] {
        let period = Span { start: day(start), end: day(end) };
        let found = in_force(&versions, period).map(|version| version.version);
        assert_eq!(found, expected, "{start} to {end}");
    }
    for (today, expected) in [
        ("2026-01-31", None),
        ("2026-02-01", Some(2)),
        ("2026-03-09", Some(3)),
        ("2026-03-19", Some(5)),
        ("2027-01-01", Some(4)),
    ] {
        let found = current(&versions, day(today)).map(|version| version.version);
        assert_eq!(found, expected, "{today}");
    }
}

#[test]
fn saying_it_again_makes_no_version() {
    let mut versions = versions(&["2026-01-01"]);
    let stands = |versions: &[PriceVersion], set| match set_price(versions, set, NOW) {
        Ok(PriceSet::Stands(version)) => Some(version.version),
        _ => None,
    };
    assert_eq!(stands(&versions, set("0", "2026-01-01")), Some(1));
    // Prices are compared as numbers.
    assert_eq!(stands(&versions, set("0.00", "2026-01-01")), Some(1));
    assert_eq!(added(&versions, set("0", "2026-01-02")).price.version, 2);
    let other = added(&versions, set("5", "2026-01-01")).price;
    assert_eq!(other.version, 2);
    versions.push(other);
    // The first one was replaced: to say it again is to take it up again.
    assert_eq!(added(&versions, set("0", "2026-01-01")).price.version, 3);
}

#[test]
fn a_version_that_has_rated_nothing_goes_when_another_takes_its_place() {
    let mut versions = versions(&["2026-01-01", "2026-02-01"]);
    let other = added(&versions, set("5", "2026-01-01"));
    assert_eq!((other.price.version, other.replaces), (3, Some(1)));
    versions[0].unrated = false;
    assert_eq!(added(&versions, set("5", "2026-01-01")).replaces, None);
    // Nor does it take the place of one for another day.
    assert_eq!(added(&versions, set("5", "2026-01-02")).replaces, None);
}

#[test]
fn a_metric_has_so_many_versions_and_the_last_of_a_day_can_still_be_replaced() {
    let first = day("2026-01-01");
    let mut versions = versions(&["2026-01-01"]);
    for number in 1..MAX_VERSIONS {
        let version = u32::try_from(number + 1).expect("small");
        let effective_from = first.plus_days(i64::try_from(number).expect("small"));
        versions.push(PriceVersion { version, effective_from, ..versions[0].clone() });
    }
    let more = set_price(&versions, set("1", "2025-01-01"), NOW);
    assert_eq!(more, Err(VersionRefusal::TooMany));
    let said = set_price(&versions, set("0", "2026-01-01"), NOW);
    assert_eq!(said, Ok(PriceSet::Stands(versions[0].clone())));
    assert_eq!(added(&versions, set("1", "2026-01-01")).replaces, Some(1));
    versions[0].unrated = false;
    let more = set_price(&versions, set("1", "2026-01-01"), NOW);
    assert_eq!(more, Err(VersionRefusal::TooMany));
}

#[test]
fn a_stored_version_comes_back() {
    for request in [
        priced("per_unit", "0.000000000001").including("5.5", "rollover").capped("7"),
        banded("graduated", &[("1", "2"), ("", "3")]).committed(Some(1), Some(2)),
        banded("tiered", &[("", "3")]),
        percentage(250),
        priced("per_seat", "12"),
    ] {
        let set = SetPrice { effective_from: day("2026-01-01"), config: request.right() };
        let version = added(&[], set).price;
        let kept = PriceVersion::decode(1, &version.encode()).expect("the same");
        assert_eq!(kept, version);
    }
}

#[test]
fn of_a_version_from_before_that_was_noted_nobody_knows_that_it_rated_nothing() {
    let version = added(&[], set("1", "2026-01-01")).price;
    let mut bytes = version.encode();
    // The last of five members is the one that those did not have.
    assert_eq!((bytes[0], bytes.pop()), (0x85, Some(0xf5)));
    bytes[0] = 0x84;
    let before = PriceVersion::decode(1, &bytes).expect("read");
    assert_eq!(before, PriceVersion { unrated: false, ..version });
}
