use std::fmt::Write as _;

use storage::{Record, cbor_encode};

use super::*;

fn server() -> BodyKey {
    BodyKey::derive(b"secret")
}

fn asked(path: &[(&str, &str)], body: &str) -> KeyedRequest {
    let path: Vec<_> = path.iter().map(|(name, value)| (*name, (*value).to_owned())).collect();
    KeyedRequest::of(&server(), "key", &path, body.as_bytes(), 0)
}

fn difference(first: &str, again: &str) -> Option<String> {
    asked(&[], again).first_difference(&asked(&[], first).record(7))
}

#[test]
fn a_difference_is_named_by_its_field_and_order_is_none() {
    let first = r#"{"a": 1, "b": {"x": 1, "y": [2]}}"#;
    assert_eq!(difference(first, r#"{"b": {"y": [2], "x": 1}, "a": 1, "c": null}"#), None);
    let other = r#"{"a": 2, "b": {"x": 1, "y": [2]}}"#;
    assert_eq!(difference(first, other).as_deref(), Some("a"));
    assert_eq!(difference(first, r#"{"a": 1}"#).as_deref(), Some("b"));
    let elsewhere = asked(&[("webhookId", "3")], "{}");
    assert_eq!(elsewhere.first_difference(&elsewhere.made(9).record(9)), None);
    let record = asked(&[], first).record(7);
    assert_eq!(IdempotencyRecord::decode(1, &record.encode()), Ok(record));
}

#[test]
fn a_null_within_an_object_counts_as_not_stated_as_one_of_the_body_does() {
    let with = r#"{"payee": {"name": "A", "phone": null}, "of": [{"x": null, "y": 1}]}"#;
    let without = r#"{"payee": {"name": "A"}, "of": [{"y": 1}]}"#;
    assert_eq!(difference(with, without), None);
    assert_eq!(difference(without, with), None);
    assert_eq!(difference(r#"{"of": [null]}"#, r#"{"of": []}"#).as_deref(), Some("of"));
    // A record of before, which counted it.
    let first = asked(&[], with);
    let mut before = first.record(7);
    let stated = before.stated.as_mut().expect("a body");
    for (name, value) in &first.body {
        stated.body.insert(name.clone(), server().under("key").kept(&value.before));
    }
    assert_ne!(before, first.record(7));
    assert_eq!(first.first_difference(&before), None);
    let other = with.replace(r#""A""#, r#""B""#);
    assert_eq!(asked(&[], &other).first_difference(&before).as_deref(), Some("payee"));
}

#[test]
fn numbers_are_compared_as_numbers_and_exactly() {
    for same in ["20.00", "2e1", "0.2E+2", "2000e-2"] {
        let body = format!(r#"{{"amount": {same}, "of": [{{"x": {same}}}]}}"#);
        assert_eq!(difference(r#"{"amount": 20, "of": [{"x": 20}]}"#, &body), None, "{same}");
    }
    assert_eq!(difference(r#"{"n": 0.0}"#, r#"{"n": -0}"#), None);
    for other in ["21", "-20", "20.0000000000000000000000001", "\"20\"", "1e999", "[20]"] {
        let body = format!(r#"{{"amount": {other}}}"#);
        assert_eq!(difference(r#"{"amount": 20}"#, &body).as_deref(), Some("amount"));
    }
}

#[test]
fn a_body_that_json_values_cannot_hold_counts_all_the_same() {
    let nested = format!("{}{}", "[".repeat(200), "]".repeat(200));
    for odd in ["1e999", "-1e99999999999999999999", &nested, r#""\ud800""#] {
        let body = |name| format!(r#"{{"displayName": "{name}", "x": {odd}}}"#);
        assert_eq!(difference(&body("One"), &body("One")), None, "{odd}");
        let named = difference(&body("One"), &body("TWO"));
        assert_eq!(named.as_deref(), Some("displayName"), "{odd}");
    }
}

#[test]
fn a_record_stays_small_and_knows_every_field_all_the_same() {
    let mut many = String::from("{\"amount\": 1");
    for n in 0..3_000 {
        write!(many, ", \"f{n}\": 1").expect("written");
    }
    let long = format!("{{\"{}\": 1", "n".repeat(70_000));
    for body in [many, long] {
        let (one, other) = (format!("{body}, \"z\": 1}}"), format!("{body}, \"z\": 2}}"));
        assert_eq!(difference(&one, &one), None);
        assert!(difference(&one, &other).is_some());
        let record = asked(&[], &one).record(7);
        assert!(record.encode().len() < 8 * 1024);
    }
}

#[test]
fn what_stands_in_the_path_belongs_to_the_request_whatever_the_body_says_of_it() {
    let body = r#"{"externalOrderRef": "x", "amount": 1}"#;
    let capture = |of, body| asked(&[("externalOrderRef", of)], body);
    let first = capture("A", body).record(7);
    assert_eq!(capture("A", body).first_difference(&first), None);
    let other = capture("B", body).first_difference(&first);
    assert_eq!(other.as_deref(), Some("externalOrderRef"));
    let without = capture("A", r#"{"amount": 1}"#).first_difference(&first);
    assert_eq!(without.as_deref(), Some("externalOrderRef"));
    let both = capture("B", r#"{"externalOrderRef": "x", "amount": 2}"#).first_difference(&first);
    assert_eq!(both.as_deref(), Some("amount"), "the first of both");
}

#[test]
fn a_record_does_not_tell_what_a_body_had() {
    const NUMBER: &str = r#""12345678""#;
    let body = format!(r#"{{"accountNumber": {NUMBER}}}"#);
    let kept = |server: &BodyKey, key: &str| {
        let request = KeyedRequest::of(server, key, &[], body.as_bytes(), 7);
        let record = request.record(7);
        assert_eq!(request.first_difference(&record), None);
        record.stated.expect("a body").body["accountNumber"]
    };
    let record = asked(&[], &body).record(7).encode();
    // As bytes, and as the list of numbers that it was once.
    let plain = Hashed::of_json(NUMBER).now[..8].to_vec();
    for plain in [&plain[..], &cbor_encode(&plain)[1..]] {
        assert!(!record.windows(plain.len()).any(|part| part == plain));
    }
    let here = kept(&server(), "key");
    assert!(record.windows(KEPT_BYTES).any(|part| part == &here[..]));
    assert_ne!(kept(&server(), "another key"), here);
    assert_ne!(kept(&BodyKey::derive(b"another secret"), "key"), here);
}

#[test]
fn after_the_servers_secret_was_lost_a_request_is_known_by_its_path_and_its_fields() {
    let body: &[u8] = br#"{"iban": "DE89370400440532013000", "currency": "EUR"}"#;
    let to = |payee: &str| [("payeeId", payee.to_owned())];
    let first = KeyedRequest::of(&BodyKey::derive(b"lost"), "key", &to("3"), body, 0).record(7);
    let again = |payee, body: &[u8]| {
        KeyedRequest::of(&server(), "key", &to(payee), body, 0).first_difference(&first)
    };
    assert_eq!(again("3", body), None);
    let other = br#"{"iban": "NO9386011117947", "currency": "EUR"}"#;
    assert_eq!(again("3", other), None, "nobody knows");
    assert_eq!(again("4", body).as_deref(), Some("payeeId"));
    let more = br#"{"iban": "DE89370400440532013000", "currency": "EUR", "bic": "X"}"#;
    assert_eq!(again("3", more).as_deref(), Some("bic"));
}

/// As records were before bodies were kept under a key of the server's.
#[derive(minicbor::Encode)]
struct Before {
    #[n(0)]
    fields: BTreeMap<String, Vec<u8>>,
    #[n(1)]
    object: u64,
}

#[test]
fn records_of_before_are_compared_as_they_were() {
    let fields = [
        ("amount", Hashed::of_json("20").before),
        ("externalOrderRef", digest(b"A")),
        ("reason", Hashed::of_json(r#""late""#).before),
    ];
    let fields = fields.map(|(name, value)| (name.to_owned(), value)).into();
    let before = minicbor::to_vec(Before { fields, object: 7 }).expect("encoded");
    let before = IdempotencyRecord::decode(1, &before).expect("it is read");
    assert_eq!(before.object, 7);
    let again = |of, body| asked(&[("externalOrderRef", of)], body).first_difference(&before);
    assert_eq!(again("A", r#"{"reason": "late", "amount": 20.00}"#), None);
    for (of, body, field) in [
        ("A", r#"{"reason": "late", "amount": 21}"#, "amount"),
        ("B", r#"{"reason": "late", "amount": 20}"#, "externalOrderRef"),
        ("A", r#"{"amount": 20}"#, "reason"),
    ] {
        assert_eq!(again(of, body).as_deref(), Some(field));
    }
}
