//! Every field of a card, right and wrong.

use proptest::prelude::*;

use super::*;
use crate::domain::time::Date;

fn input(number: &str, month: i64, year: i64, cvv: &str, holder: &str) -> CardInput {
    CardInput {
        number: number.into(),
        cvv: cvv.into(),
        exp_month: Some(month),
        exp_year: Some(year),
        holder: holder.to_owned(),
        ..CardInput::default()
    }
}

/// Number, month, year, code, name, and what is wrong with them.
type Row<'a> = (&'a str, i64, i64, &'a str, &'a str, &'a [CardProblem]);

#[test]
fn every_field_is_checked() {
    use CardProblem::*;
    let good = "4242424242424242";
    let long = "a".repeat(81);
    let rows: &[Row<'_>] = &[
        (good, 12, 2030, "123", "Ada Lovelace", &[]),
        ("4242 4242 4242 4242", 1, 2000, "1234", "", &[]),
        ("4242-4242-4242-4242", 1, 2099, "000", "J. O'Neill-Smith", &[]),
        ("", 12, 2030, "123", "", &[NumberMissing]),
        ("4242424242424241", 12, 2030, "123", "", &[NumberChecksum]),
        ("42424242424", 12, 2030, "123", "", &[NumberShape]),
        ("42424242424242424242", 12, 2030, "123", "", &[NumberShape]),
        ("4242x242424242424", 12, 2030, "123", "", &[NumberShape]),
        ("٤٢٤٢٤٢٤٢٤٢٤٢", 12, 2030, "123", "", &[NumberShape]),
        (good, 0, 2030, "123", "", &[ExpMonth]),
        (good, 13, 2030, "123", "", &[ExpMonth]),
        (good, 12, 30, "123", "", &[ExpYear]),
        (good, 12, 1999, "123", "", &[ExpYear]),
        (good, 12, 2100, "123", "", &[ExpYear]),
        (good, 12, 2030, "12", "", &[Cvv]),
        (good, 12, 2030, "12345", "", &[Cvv]),
        (good, 12, 2030, "12a", "", &[Cvv]),
        (good, 12, 2030, "123", "José", &[HolderCharacters]),
        (good, 12, 2030, "123", "Ada <b>", &[HolderCharacters]),
        (good, 12, 2030, "123", &long, &[HolderLong]),
        ("1", 0, 0, "", "1", &[NumberShape, ExpMonth, ExpYear, Cvv, HolderCharacters]),
    ];
    for (number, month, year, cvv, holder, problems) in rows {
        let errors = input(number, *month, *year, cvv, holder).check().err().unwrap_or_default();
        assert_eq!(errors, *problems, "{number} {month}/{year} {cvv} {holder}");
    }
    let absent = CardInput { number: good.into(), cvv: "123".into(), ..CardInput::default() };
    assert_eq!(absent.check().err(), Some(vec![ExpMonth, ExpYear]));
}

#[test]
fn a_card_is_good_to_the_last_day_of_its_month() {
    let expiry = Expiry { year: 2026, month: 11 };
    for (day, over) in
        [("2026-10-31", false), ("2026-11-30", false), ("2026-12-01", true), ("2027-01-01", true)]
    {
        assert_eq!(expiry.is_over(Date::parse(day).expect("a day")), over, "{day}");
    }
}

#[test]
fn nothing_secret_is_printed_or_kept() {
    let typed = input("4000 0000 0000 3220", 12, 2030, "739", "Ada Lovelace");
    assert!(!format!("{typed:?}").contains("3220"));
    let card = typed.check().expect("a card");
    let shown = format!("{card:?}");
    for secret in ["4000000000003220", "3220", "739", "Lovelace"] {
        assert!(!shown.contains(secret), "{shown}");
    }
    let kept = minicbor::to_vec(card.summary()).expect("encodes");
    for secret in ["4000000000003220", "739", "Ada"] {
        let found = kept.windows(secret.len()).any(|part| part == secret.as_bytes());
        assert!(!found, "{secret} is kept");
    }
    assert_eq!(card.summary().first6, "400000");
    assert_eq!(card.summary().last4, "3220");
}

#[test]
fn texts_name_the_field() {
    for problem in [
        CardProblem::NumberMissing,
        CardProblem::NumberShape,
        CardProblem::NumberChecksum,
        CardProblem::ExpMonth,
        CardProblem::ExpYear,
        CardProblem::Cvv,
        CardProblem::HolderLong,
        CardProblem::HolderCharacters,
    ] {
        assert!(problem.to_string().starts_with(problem.field().name()), "{problem}");
    }
    // The years that are taken, also of those who send a year with four digits.
    assert_eq!(CardProblem::ExpYear.to_string(), "expYear must be 2000 to 2099");
}

#[test]
fn an_address_is_optional_and_looked_at_when_it_is_given() {
    let with = |country: &str, zip: &str| {
        let card = input("4242424242424242", 12, 2030, "123", "");
        CardInput { country: country.to_owned(), zip: zip.to_owned(), ..card }.check()
    };
    let labels = |card: CardData| {
        let country = card.address.country.map(|country| country.to_string());
        (country, card.address.zip)
    };
    assert_eq!(labels(with("", " ").expect("a card")), (None, None));
    let german = (Some("DE".to_owned()), Some("10115".to_owned()));
    assert_eq!(labels(with("de", " 10115 ").expect("a card")), german);
    assert_eq!(with("Germany", "").err(), Some(vec![CardProblem::Country]));
    let both = Some(vec![CardProblem::Country, CardProblem::ZipLong]);
    assert_eq!(with("XX", &"1".repeat(17)).err(), both);
}

proptest! {
    #[test]
    fn exactly_one_check_digit_fits(body in "[0-9]{11,18}") {
        let fitting = (0..10).filter(|d| luhn_holds(&format!("{body}{d}"))).count();
        prop_assert_eq!(fitting, 1);
    }

    #[test]
    fn one_mistyped_digit_is_always_found(
        body in "[0-9]{11,18}",
        place in 0_usize..11,
        shift in 1_u8..10,
    ) {
        let check = (0..10).find(|d| luhn_holds(&format!("{body}{d}"))).expect("one fits");
        let mut typed = format!("{body}{check}").into_bytes();
        typed[place] = b'0' + (typed[place] - b'0' + shift) % 10;
        prop_assert!(!luhn_holds(&String::from_utf8(typed).expect("digits")));
    }

    #[test]
    fn leading_zeros_change_nothing(number in "[0-9]{12,16}") {
        prop_assert_eq!(luhn_holds(&number), luhn_holds(&format!("00{number}")));
    }
}

#[test]
fn text_that_is_no_number_never_holds() {
    for text in ["", " ", "4242 4242 4242 4242", "٠٠٠٠", "0x0"] {
        assert!(!luhn_holds(text), "{text:?}");
    }
    assert!(luhn_holds("4242424242424242"));
}
