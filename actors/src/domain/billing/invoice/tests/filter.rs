use super::fixtures::*;
use crate::domain::billing::invoice::*;
use crate::domain::billing::numbering::InvoiceNumber;
use crate::domain::ids::{ContractId, CustomerId};

#[test]
fn every_filter_narrows_and_all_must_hold() {
    let corrected = InvoiceNumber::parse("1000001-2611AAA");
    let invoice = Invoice { corrects: corrected, ..sent() };
    let issued_at = invoice.issued_at;
    let none = InvoiceFilter::default;
    let shown = [
        none(),
        InvoiceFilter { contract: Some(ContractId(11)), ..none() },
        InvoiceFilter { customer: Some(CustomerId(12)), ..none() },
        InvoiceFilter { origin: Some(Origin::Project), ..none() },
        InvoiceFilter { status: Some(InvoiceStatus::Sent), ..none() },
        InvoiceFilter { invoice_type: Some(InvoiceType::Standard), ..none() },
        InvoiceFilter { corrects: Some("1000001-2611AAA".to_owned()), ..none() },
        InvoiceFilter { issued_from: Some(issued_at), ..none() },
        InvoiceFilter { issued_to: Some(issued_at.plus_millis(1)), ..none() },
    ];
    let hidden = [
        InvoiceFilter { contract: Some(ContractId(12)), ..none() },
        InvoiceFilter { customer: Some(CustomerId(11)), ..none() },
        InvoiceFilter { origin: Some(Origin::Usage), ..none() },
        InvoiceFilter { status: Some(InvoiceStatus::Paid), ..none() },
        InvoiceFilter { invoice_type: Some(InvoiceType::Simplified), ..none() },
        InvoiceFilter { corrects: Some("1000001-2611aaa".to_owned()), ..none() },
        InvoiceFilter { issued_from: Some(issued_at.plus_millis(1)), ..none() },
        InvoiceFilter { issued_to: Some(issued_at), ..none() },
        InvoiceFilter { status: Some(InvoiceStatus::Sent), origin: Some(Origin::Usage), ..none() },
    ];
    for filter in shown {
        assert!(filter.matches(&invoice), "{filter:?}");
    }
    for filter in hidden {
        assert!(!filter.matches(&invoice), "{filter:?}");
    }
    let corrects = Some("1000001-2611AAA".to_owned());
    assert!(!InvoiceFilter { corrects, ..none() }.matches(&sent()));
}

#[test]
fn a_bound_is_a_day_or_an_instant() {
    assert_eq!(parse_bound("2026-11-21"), Some(at("2026-11-21T00:00:00Z")));
    assert_eq!(parse_bound("2026-11-21T02:00:00+02:00"), Some(at("2026-11-21T00:00:00Z")));
    for text in ["", "2026-11", "yesterday", "2026-11-31", "2026-11-21T00:00:00"] {
        assert_eq!(parse_bound(text), None, "{text:?}");
    }
}
