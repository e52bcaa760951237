//! Which configuration holds when.

use super::fixtures::{banded, day, percentage, priced};
use crate::domain::billing::pricing::{PriceVersion, SetPrice, current, in_force, set_price};
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
        let (version, fresh) = set_price(&versions, set, NOW);
        assert!(fresh);
        versions.push(version);
    }
    versions
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
    let set = |price: &str, from: &str| SetPrice {
        effective_from: day(from),
        config: priced("per_unit", price).right(),
    };
    assert_eq!(set_price(&versions, set("0", "2026-01-01"), NOW), (versions[0].clone(), false));
    // Prices are compared as numbers.
    assert!(!set_price(&versions, set("0.00", "2026-01-01"), NOW).1);
    let (later, fresh) = set_price(&versions, set("0", "2026-01-02"), NOW);
    assert_eq!((later.version, fresh), (2, true));
    let (other, fresh) = set_price(&versions, set("5", "2026-01-01"), NOW);
    assert_eq!((other.version, fresh), (2, true));
    versions.push(other);
    // The first one was replaced: to say it again is to take it up again.
    let (again, fresh) = set_price(&versions, set("0", "2026-01-01"), NOW);
    assert_eq!((again.version, fresh), (3, true));
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
        let (version, _) = set_price(&[], set, NOW);
        let kept = PriceVersion::decode(1, &version.encode()).expect("the same");
        assert_eq!(kept, version);
    }
}
