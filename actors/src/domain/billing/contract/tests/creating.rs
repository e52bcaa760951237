//! `POST /contracts`.

use storage::Record;

use super::*;

fn refused(new: &NewContract, today: &str) -> Option<ContractRefusal> {
    create(new, ContractId(1), &mut ids_from(1), &customer(), noon(today)).err()
}

#[test]
fn version_1_is_a_draft_with_the_customers_details() {
    let line_items = vec![seat("a"), seat("b")];
    let details = StatedDetails {
        name: Some("A. Byron".to_owned()),
        company_country: Some(String::new()),
        ..StatedDetails::default()
    };
    let contract = made(&NewContract { line_items, details, ..request() });
    let current = &contract.current;
    assert_eq!((current.version, current.status), (1, ContractStatus::Draft));
    assert_eq!((contract.seller, contract.customer), (SellerId(1), CustomerId(3)));
    let ids: Vec<_> = current.line_items.iter().map(|item| item.id.0).collect();
    assert_eq!(ids, [1, 2]);
    assert_eq!(
        current.details,
        Details {
            name: Some("A. Byron".to_owned()),
            phone: None,
            company_name: Some("Byron Ltd".to_owned()),
            company_country: None,
        }
    );
    assert_eq!(Contract::decode(1, &contract.encode()), Ok(contract.clone()));
    assert_eq!(ContractVersion::decode(1, &current.encode()).as_ref(), Ok(current));
}

#[test]
fn a_blank_detail_is_none_in_place_of_the_customers() {
    let details = StatedDetails { company_name: Some(" ".to_owned()), ..StatedDetails::default() };
    let contract = made(&NewContract { details, ..request() });
    assert_eq!(contract.current.details.company_name, None);
}

#[test]
fn a_number_has_at_least_six_digits() {
    let contract = made(&request());
    assert_eq!(contract.contract_number(), None);
    for (order, number) in [(1, "C-000001"), (999_999, "C-999999"), (1_000_000, "C-1000000")] {
        assert_eq!(
            Contract { order: Some(order), ..contract.clone() }.contract_number().as_deref(),
            Some(number)
        );
        for text in [number.to_owned(), number.to_lowercase(), format!("C-{order}")] {
            assert_eq!(Contract::order_in(&text), Some(order), "{text}");
        }
    }
    for text in ["", "C", "C-", "C-+1", "C-1a", "1", "C1", "C-99999999999999999999"] {
        assert_eq!(Contract::order_in(text), None, "{text}");
    }
}

#[test]
fn the_first_day_lies_in_a_window_of_calendar_years() {
    for (today, start, inside) in [
        ("2026-11-21", "2025-11-21", true),
        ("2026-11-21", "2025-11-20", false),
        ("2026-11-21", "2036-11-21", true),
        ("2026-11-21", "2036-11-22", false),
        // Leap years on either side move nothing.
        ("2025-03-01", "2024-03-01", true),
        ("2025-03-01", "2024-02-29", false),
        // 29 February counts as 28 in years that have none.
        ("2028-02-29", "2027-02-28", true),
        ("2028-02-29", "2027-02-27", false),
        ("2028-02-29", "2038-02-28", true),
        ("2028-02-29", "2038-03-01", false),
        ("2029-02-28", "2028-02-29", true),
        ("2029-02-28", "2028-02-27", false),
    ] {
        let new = NewContract { start_date: date(start), ..request() };
        let refusal = refused(&new, today);
        let shown = matches!(refusal, Some(ContractRefusal::StartOutsideWindow { .. }));
        assert_eq!((refusal.is_none(), shown), (inside, !inside), "{start} on {today}");
    }
}

#[test]
fn the_last_day_is_not_before_the_first_and_at_most_ten_years_ahead() {
    use ContractRefusal::{EndBeforeStart, EndTooFar};
    for (end, refusal) in [
        ("2026-11-21", None),
        ("2026-11-20", Some(EndBeforeStart)),
        ("2036-11-21", None),
        ("2036-11-22", Some(EndTooFar(date("2036-11-21")))),
    ] {
        let new = NewContract { end_date: Some(date(end)), ..request() };
        assert_eq!(refused(&new, "2026-11-21"), refusal, "{end}");
    }
}

#[test]
fn a_foreign_customer_is_refused() {
    let new = NewContract { customer: CustomerId(4), ..request() };
    assert_eq!(refused(&new, "2026-11-21"), Some(ContractRefusal::UnknownCustomer));
}

#[test]
fn lengths_are_counted_in_characters() {
    let long = |count| Some("ä".repeat(count));
    let none = StatedDetails::default();
    let too_long = |field, max| Some(ContractRefusal::DetailTooLong { field, max });
    for (details, refusal) in [
        (StatedDetails { name: long(128), ..none.clone() }, None),
        (StatedDetails { name: long(129), ..none.clone() }, too_long("customerName", 128)),
        (StatedDetails { phone: long(33), ..none.clone() }, too_long("customerPhone", 32)),
        (
            StatedDetails { company_name: long(256), ..none.clone() },
            too_long("customerCompanyName", 255),
        ),
        (
            StatedDetails { company_country: long(57), ..none },
            too_long("customerCompanyCountry", 56),
        ),
    ] {
        assert_eq!(refused(&NewContract { details, ..request() }, "2026-11-21"), refusal);
    }
}

#[test]
fn a_hundred_line_items_are_enough() {
    let items = |count| NewContract { line_items: vec![seat("a"); count], ..request() };
    assert_eq!(refused(&items(100), "2026-11-21"), None);
    assert_eq!(refused(&items(101), "2026-11-21"), Some(ContractRefusal::TooManyLineItems));
}

#[test]
fn the_contract_of_an_ad_hoc_invoice_is_active_from_today() {
    let now = noon("2026-11-21");
    let contract = create_for_ad_hoc(ContractId(9), &customer(), Currency::EUR, now);
    let current = &contract.current;
    assert_eq!((current.version, current.status), (1, ContractStatus::Active));
    assert_eq!((current.start_date, current.end_date), (date("2026-11-21"), None));
    assert_eq!(current.details.name.as_deref(), Some("Ada Byron"));
}
