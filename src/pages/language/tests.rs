//! The files, and how each language writes figures.

use std::collections::BTreeSet;

use actors::domain::billing::subscription::Frequency;
use actors::domain::money::{Currency, Money};
use actors::domain::time::{Date, Timestamp};

use super::*;

fn words(tag: &str) -> &'static Words {
    Words::of_tag(tag).expect("a language")
}

fn places(text: &str) -> BTreeSet<&str> {
    text.split('{').skip(1).filter_map(|from| Some(from.split_once('}')?.0)).collect()
}

#[test]
fn every_language_says_every_key_with_what_comes_in_there() {
    let tags: Vec<_> = ALL.iter().map(|words| words.tag).collect();
    assert_eq!(tags, ["en", "de", "fr", "nl", "es", "it", "pt", "sv", "da", "pl"]);
    let written = ["decimal", "group", "group_from", "with_symbol", "with_code", "own_currency"];
    for words in ALL.iter() {
        for ((key, text), (_, english)) in words.each().into_iter().zip(Words::english().each()) {
            assert!(!text.is_empty() && text == text.trim_matches(' '), "{key} of {words:?}");
            if !written.contains(&key) {
                assert_eq!(places(text), places(english), "{key} of {words:?}");
            }
        }
        assert_eq!(words.months.split(' ').count(), 12, "{words:?}");
        assert_eq!(words.months_short.split(' ').count(), 12, "{words:?}");
    }
}

#[test]
fn labels_of_fields_that_share_a_line_have_no_word_that_is_cut_on_a_phone() {
    for t in ALL.iter() {
        for label in [t.expiry_date, t.security_code, t.country, t.post_code, t.optional] {
            let cut = label.split([' ', '-']).find(|word| word.chars().count() > 14);
            assert_eq!(cut, None, "{label} of {t:?}");
        }
    }
}

#[test]
fn a_file_says_each_key_once_and_no_other() {
    let file = include_str!("en.txt");
    let fault = |file: String| Words::parse(&file).expect_err("a fault");
    assert_eq!(fault(file.replace("paying = ", "payment = ")), "paying is missing");
    assert_eq!(fault(format!("{file}more = x\n")), "more is no key");
    assert_eq!(fault(format!("{file}tag = en\n")), "tag is said twice");
    assert_eq!(fault(format!("{file}what\n")), "no key in what");
}

#[test]
fn the_language_is_the_best_that_a_browser_names() {
    for (accepts, tag) in [
        ("", "en"),
        ("fi, *;q=0.5", "en"),
        ("de", "de"),
        ("de-CH, en;q=0.8", "de"),
        ("fi, pl;q=0.7, it;q=0.9, en;q=0.3", "it"),
        ("en;q=0, SV_se;q=0.001", "sv"),
        ("nl, fr", "nl"),
        ("en-US,en;q=0.5", "en"),
        ("da;q=x, pt;q=0.2", "pt"),
    ] {
        let header = HeaderValue::from_str(accepts).expect("a header");
        assert_eq!(Words::of_header(Some(&header)).tag, tag, "{accepts}");
    }
    assert_eq!(Words::of_header(None).tag, "en");
    assert!(Words::of_tag("english").is_none());
}

#[test]
fn amounts_are_written_as_in_their_language() {
    let money =
        |minor, code| Money::new(minor, Currency::parse(code).expect("a currency")).expect("money");
    for (tag, minor, code, text) in [
        ("en", 0, "EUR", "€0.00"),
        ("en", 5, "USD", "$0.05"),
        ("en", 99_999, "GBP", "£999.99"),
        ("en", 100_000, "EUR", "€1,000.00"),
        ("en", 123_456_789, "EUR", "€1,234,567.89"),
        ("en", -1250, "USD", "−$12.50"),
        ("en", 9900, "SEK", "SEK 99.00"),
        ("en", 1500, "JPY", "JPY 1,500"),
        ("de", 123_456_789, "EUR", "1.234.567,89 €"),
        ("de", -1250, "EUR", "−12,50 €"),
        ("de", 1500, "JPY", "1.500 JPY"),
        ("fr", 123_456_789, "EUR", "1 234 567,89 €"),
        ("nl", 123_456, "EUR", "€ 1.234,56"),
        ("nl", 9900, "SEK", "SEK 99,00"),
        ("es", 123_456, "EUR", "1234,56 €"),
        ("es", 1_234_567, "EUR", "12.345,67 €"),
        ("it", 123_456, "EUR", "1.234,56 €"),
        ("pt", 1_234_567, "EUR", "12 345,67 €"),
        ("sv", 123_456, "SEK", "1 234,56 kr"),
        ("sv", 123_456, "DKK", "1 234,56 DKK"),
        ("da", 123_456, "DKK", "1.234,56 kr."),
        ("da", 9900, "GBP", "99,00 £"),
        ("pl", 123_456, "EUR", "1234,56 €"),
        ("pl", 1_234_567, "EUR", "12 345,67 €"),
    ] {
        let written = words(tag).money(money(minor, code)).replace('\u{a0}', " ");
        assert_eq!(written, text, "{tag}");
    }
}

#[test]
fn quantities_are_written_as_in_their_language() {
    for (tag, plain, text) in [
        ("en", "3", "3"),
        ("en", "1234.5", "1,234.5"),
        ("de", "1.234", "1,234"),
        ("de", "1234567.25", "1.234.567,25"),
        ("de", "-0.5", "−0,5"),
        ("fr", "1234.5", "1 234,5"),
        ("pl", "1234.5", "1234,5"),
        ("sv", "0.000000001", "0,000000001"),
    ] {
        let written = words(tag).number(plain).replace(['\u{a0}', '\u{202f}'], " ");
        assert_eq!(written, text, "{tag}");
    }
}

#[test]
fn days_are_written_as_in_their_language() {
    let date = |text| Date::parse(text).expect("a day");
    for (tag, text) in [
        ("en", "1 November 2026"),
        ("de", "1. November 2026"),
        ("fr", "1 novembre 2026"),
        ("nl", "1 november 2026"),
        ("es", "1 de noviembre de 2026"),
        ("it", "1 novembre 2026"),
        ("pt", "1 de novembro de 2026"),
        ("sv", "1 november 2026"),
        ("da", "1. november 2026"),
        ("pl", "1 listopada 2026"),
    ] {
        let written = words(tag).date(date("2026-11-01")).replace('\u{a0}', " ");
        assert_eq!(written, text, "{tag}");
    }
    let at = Timestamp::parse("2026-11-01T09:05:59Z").expect("an instant");
    assert_eq!(words("en").moment(at), "1\u{a0}November 2026, 09:05\u{a0}UTC");
    for (tag, start, end, text) in [
        ("en", "2026-11-01", "2026-12-01", "1 Nov – 30 Nov 2026"),
        ("en", "2026-12-15", "2027-01-15", "15 Dec 2026 – 14 Jan 2027"),
        ("en", "2026-11-01", "2026-11-02", "1 Nov 2026"),
        ("en", "2026-11-01", "2026-11-01", "1 Nov 2026"),
        ("de", "2026-03-01", "2026-04-01", "1. März – 31. März 2026"),
        ("pl", "2026-12-15", "2027-01-15", "15 gru 2026 – 14 sty 2027"),
    ] {
        let written = words(tag).period(date(start), date(end)).replace('\u{a0}', " ");
        assert_eq!(written, text, "{tag}");
    }
}

#[test]
fn one_of_something_is_told_as_one() {
    let terms = |tag: &str, count| {
        let t = words(tag);
        [t.free_days(count), t.in_instalments(count), t.at_least_terms(count)]
    };
    assert_eq!(
        terms("en", 1),
        [
            "Free for the first day",
            "1 instalment in all",
            "At least 1 charge before you can cancel"
        ]
    );
    assert_eq!(terms("de", 1)[1], "Insgesamt 1 Rate");
    assert_eq!(terms("de", 12)[1], "Insgesamt 12 Raten");
    for t in ALL.iter() {
        let [one, two] = [1, 2].map(|least| t.cannot_cancel_yet(least));
        assert!(!one.contains('1') && two.contains('2'), "{one} {two} {t:?}");
    }
    let price = Money::new(2_900, Currency::EUR).expect("money");
    assert_eq!(words("en").money_a_term(price, Frequency::Semiannual), "€29.00 every half year");
}

#[test]
fn what_comes_into_a_text_stays_as_it_is() {
    let filled = fill("{a} and {b}, {c}", &[("a", "{b}"), ("b", "x")]);
    assert_eq!(filled, "{b} and x, ");
    assert_eq!(fill("no } place {", &[]), "no } place {");
    let masked = |phone| Words::english().masked_phone(phone);
    assert_eq!(masked("+351912345678"), "ending in 678");
    assert_eq!(masked("+1"), "ending in +1");
}
