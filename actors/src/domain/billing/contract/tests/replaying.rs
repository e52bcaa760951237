//! A key that comes again.

use super::*;

fn original() -> NewContract {
    NewContract {
        end_date: Some(date("2027-11-20")),
        line_items: vec![seat("a"), seat("b"), seat("b")],
        details: StatedDetails { name: Some("A. Byron".to_owned()), ..StatedDetails::default() },
        ..request()
    }
}

#[test]
fn the_first_difference_is_named() {
    let first = made(&original());
    let say = |text: &str| Some(text.to_owned());
    let details = |details| NewContract { details, ..original() };
    let none = StatedDetails::default();
    for (again, difference) in [
        (original(), None),
        (NewContract { customer: CustomerId(4), ..original() }, Some("sellerCustomerId")),
        (
            NewContract { currency: Currency::parse("SEK").expect("a currency"), ..original() },
            Some("currency"),
        ),
        (NewContract { start_date: date("2026-11-22"), ..original() }, Some("startDate")),
        (NewContract { end_date: None, ..original() }, Some("endDate")),
        (NewContract { end_date: Some(date("2027-11-21")), ..original() }, Some("endDate")),
        (NewContract { line_items: Vec::new(), ..original() }, Some("lineItems")),
        (NewContract { line_items: vec![seat("b"), seat("b"), seat("a")], ..original() }, None),
        (
            NewContract { line_items: vec![seat("a"), seat("a"), seat("b")], ..original() },
            Some("lineItems"),
        ),
        (
            NewContract {
                line_items: vec![
                    seat("a"),
                    seat("b"),
                    item("recurring", "2", &json!({"name": "b"})),
                ],
                ..original()
            },
            Some("lineItems"),
        ),
        (details(none.clone()), None),
        (details(StatedDetails { name: say("Ada"), ..none.clone() }), Some("customerName")),
        (details(StatedDetails { name: say(""), ..none.clone() }), Some("customerName")),
        (details(StatedDetails { name: say(" "), ..none.clone() }), Some("customerName")),
        (details(StatedDetails { phone: say(""), ..none.clone() }), None),
        (details(StatedDetails { phone: say(" "), ..none.clone() }), None),
        (details(StatedDetails { phone: say("1"), ..none.clone() }), Some("customerPhone")),
        // What came from the customer's record counts as what version 1 says.
        (details(StatedDetails { company_name: say("Byron Ltd"), ..none.clone() }), None),
        (
            details(StatedDetails { company_name: say("Byron"), ..none.clone() }),
            Some("customerCompanyName"),
        ),
        (
            details(StatedDetails { company_country: say("France"), ..none }),
            Some("customerCompanyCountry"),
        ),
    ] {
        assert_eq!(replay_difference(&again, &first.current, &first), difference, "{again:?}");
    }
}

#[test]
fn amendments_since_change_nothing_about_a_replay() {
    let first = made(&original());
    let amendment = Amendment {
        expected_base_version: 1,
        start_date: Some(date("2026-12-01")),
        line_items: Some(Vec::new()),
        details: StatedDetails { name: Some(String::new()), ..StatedDetails::default() },
        ..Amendment::default()
    };
    let later =
        amend(&first, &amendment, &mut ids_from(100), noon("2026-11-22")).expect("version 2");
    assert_eq!(replay_difference(&original(), &first.current, &later), None);
}
