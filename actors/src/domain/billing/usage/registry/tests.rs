use super::*;
use crate::domain::testing::second as at;

/// Where a text stands in a registration.
type Field = fn(&mut NewMetric) -> &mut Option<String>;

/// `name aggregation unit unique_key description`, where `-` says nothing.
fn metric(words: &str) -> NewMetric {
    let mut words = words.split(' ').map(|word| match word {
        "-" => None,
        "''" => Some(String::new()),
        word => Some(word.to_owned()),
    });
    let mut next = || words.next().flatten();
    NewMetric {
        name: next(),
        aggregation: next(),
        unit: next(),
        unique_key: next(),
        description: next(),
    }
}

fn unused(current: Option<&Metric>) -> Known<'_> {
    Known { current, ..Known::default() }
}

#[test]
fn once_there_is_usage_only_the_unit_can_be_another() {
    let now = register(unused(None), metric("m count_unique gb user -"), at(0)).expect("made");
    let used = Known { current: Some(&now.metric), metrics: 1, used: true };
    for (words, outcome) in [
        ("m count_unique gb user -", Ok(1)),
        ("m count_unique gib user -", Ok(2)),
        ("m count_unique gb account -", Err(MetricRefusal::Used("uniqueKey"))),
        ("m count gb - -", Err(MetricRefusal::Used("aggregation"))),
    ] {
        let registered = register(used, metric(words), at(1));
        assert_eq!(registered.map(|registered| registered.metric.version), outcome, "{words}");
    }
}

#[test]
fn a_seller_has_at_most_a_thousand_metrics() {
    let with = |metrics| Known { metrics, ..Known::default() };
    assert!(register(with(MAX_METRICS - 1), metric("m sum - - -"), at(0)).is_ok());
    let refused = register(with(MAX_METRICS), metric("m sum - - -"), at(0));
    assert_eq!(refused, Err(MetricRefusal::TooMany));
    let made = register(unused(None), metric("m sum - - -"), at(0)).expect("made").metric;
    let next = Known { current: Some(&made), metrics: MAX_METRICS, used: false };
    assert!(register(next, metric("m sum gb - -"), at(1)).is_ok());
}

#[test]
fn a_registration_is_held_against_the_current_version() {
    // What is registered one after the other: the version it comes to, whether that is news, and
    // the description that stands then.
    let mut current: Option<Metric> = None;
    for (second, (words, version, changed, description)) in (0..).zip([
        ("m sum gb - -", 1, true, None),
        ("m sum gb - -", 1, false, None),
        ("m sum gb - First", 1, true, Some("First")),
        ("m sum gb - -", 1, false, Some("First")),
        ("m max gb - -", 2, true, Some("First")),
        ("m max gib - -", 3, true, Some("First")),
        ("m max - - -", 4, true, Some("First")),
        ("m count_unique - user Who", 5, true, Some("Who")),
        ("m count_unique - account -", 6, true, Some("Who")),
        ("m count_unique - account ''", 6, true, None),
        ("m count_unique - account ''", 6, false, None),
        ("m sum gb - -", 7, true, None),
    ]) {
        let Registered { metric, changed: news } =
            register(unused(current.as_ref()), metric(words), at(second)).expect(words);
        assert_eq!((metric.version, news), (version, changed), "{words}");
        assert_eq!(metric.description.as_deref(), description, "{words}");
        let is_new = current.is_none_or(|known| known.version != version);
        assert_eq!(metric.created_at == at(second), is_new, "{words}");
        current = Some(metric);
    }
}

#[test]
fn what_is_wrong_is_refused_naming_the_field() {
    for (words, refusal) in [
        ("- sum gb - -", MetricRefusal::NameMissing),
        ("'' sum gb - -", MetricRefusal::Name),
        ("mü sum gb - -", MetricRefusal::Name),
        (". sum gb - -", MetricRefusal::Name),
        (".. sum gb - -", MetricRefusal::Name),
        ("platform.seat.active sum gb - -", MetricRefusal::NameReserved),
        ("m - gb - -", MetricRefusal::AggregationMissing),
        ("m SUM gb - -", MetricRefusal::Aggregation),
        ("m count_unique gb - -", MetricRefusal::UniqueKeyMissing),
        ("m count_unique gb '' -", MetricRefusal::UniqueKey),
        ("m count gb user -", MetricRefusal::UniqueKeyForbidden),
    ] {
        assert_eq!(register(unused(None), metric(words), at(0)), Err(refusal), "{words}");
    }
    let long = |field: Field, length| {
        let mut command = metric("m count_unique gb user -");
        *field(&mut command) = Some("ü".repeat(length));
        register(unused(None), command, at(0)).err()
    };
    for (field, most, refusal) in [
        (unit as Field, MAX_UNIT_CHARS, MetricRefusal::Unit),
        (key, MAX_UNIQUE_KEY_CHARS, MetricRefusal::UniqueKey),
        (description, MAX_DESCRIPTION_CHARS, MetricRefusal::Description),
    ] {
        assert_eq!(long(field, most), None, "{refusal}");
        assert_eq!(long(field, most + 1), Some(refusal), "{refusal}");
    }
}

fn unit(command: &mut NewMetric) -> &mut Option<String> {
    &mut command.unit
}

fn key(command: &mut NewMetric) -> &mut Option<String> {
    &mut command.unique_key
}

fn description(command: &mut NewMetric) -> &mut Option<String> {
    &mut command.description
}
