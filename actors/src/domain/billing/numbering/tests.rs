use proptest::prelude::*;

use super::*;

const SERIES: NumberSeries = NumberSeries { agreement: 1_000_001, year: 2026, month: 11 };

#[test]
fn orders_are_letters_that_grow_by_one_when_they_run_out() {
    for (order, text) in [
        (1, "1000001-2611AAA"),
        (2, "1000001-2611AAB"),
        (26, "1000001-2611AAZ"),
        (27, "1000001-2611ABA"),
        (17_576, "1000001-2611ZZZ"),
        (17_577, "1000001-2611AAAA"),
        (17_576 + 456_976, "1000001-2611ZZZZ"),
        (17_576 + 456_976 + 1, "1000001-2611AAAAA"),
    ] {
        assert_eq!(SERIES.number(order).to_string(), text);
        assert_eq!(InvoiceNumber::parse(text), Some(SERIES.number(order)));
    }
}

#[test]
fn only_what_is_printed_is_a_number() {
    for text in [
        "",
        "-",
        "1000001-2611AA",
        "1000001-2611aaa",
        "1000001-2613AAA",
        "1000001-2600AAA",
        "01000001-2611AAA",
        "1000001-2611AA1",
        "1000001-26",
        "-2611AAA",
        "1000001-261éAAA",
        "1000001-+611AAA",
        "1000001-2611AAA ",
        "99999999999999999999-2611AAA",
        "1000001-2611AAAAAAAAAAAAAAAAAAAA",
    ] {
        assert_eq!(InvoiceNumber::parse(text), None, "{text:?} was taken");
    }
}

#[test]
fn a_series_is_the_month_of_issue() {
    let day = Date::new(2027, 1, 31).expect("a day");
    assert_eq!(NumberSeries::of(7, day).number(1).to_string(), "7-2701AAA");
}

proptest! {
    #[test]
    fn numbers_and_texts_are_one_to_one(
        agreement in 1_u64..=u64::MAX, year in 2000_u16..2100, month in 1_u8..=12,
        order in prop_oneof![1_u64..40_000, 1_u64..=u64::MAX],
    ) {
        let number = NumberSeries { agreement, year, month }.number(order);
        prop_assert_eq!(InvoiceNumber::parse(&number.to_string()), Some(number));
    }

    #[test]
    fn later_is_longer_or_sorts_behind(
        a in prop_oneof![1_u64..40_000, 1_u64..=u64::MAX],
        b in prop_oneof![1_u64..40_000, 1_u64..=u64::MAX],
    ) {
        let key = |order| {
            let text = SERIES.number(order).to_string();
            (text.len(), text)
        };
        prop_assert_eq!(a.cmp(&b), key(a).cmp(&key(b)));
    }
}
