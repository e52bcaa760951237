mod bodies;
mod views;

use actors::domain::billing::invoice::{InvoiceFilter, InvoiceStatus, InvoiceType, Origin};
use actors::domain::ids::{ContractId, CustomerId};

use super::{Filter, ORIGINS, STATUSES, TYPES};

#[test]
fn the_filters_that_are_named_are_those_that_are_read() {
    let known: Vec<_> = Origin::ALL.iter().map(|origin| origin.name()).collect();
    assert_eq!(ORIGINS, [known, vec!["subscription"]].concat());
    assert!(ORIGINS.iter().all(|name| Origin::parse(name).is_some()));
    let known: Vec<_> = InvoiceStatus::ALL.iter().map(|status| status.name()).collect();
    assert_eq!(STATUSES, known);
    let known: Vec<_> = InvoiceType::ALL.iter().map(|kind| kind.name()).collect();
    assert_eq!(TYPES, known);
}

#[test]
fn a_reference_that_is_no_id_matches_nothing() {
    let filter = InvoiceFilter { origin: Some(Origin::Project), ..InvoiceFilter::default() };
    let narrowed = |contract, customer| Filter::narrowed(filter.clone(), contract, customer);
    assert_eq!(narrowed(None, None), Filter::Matching(filter.clone()));
    let both = InvoiceFilter {
        contract: Some(ContractId(7)),
        customer: Some(CustomerId(8)),
        ..filter.clone()
    };
    assert_eq!(narrowed(Some("7"), Some("8")), Filter::Matching(both));
    for wrong in ["", "0", "-1", "+1", "x", "7.0", "9007199254740992", "99999999999999999999"] {
        assert_eq!(narrowed(Some(wrong), None), Filter::Nothing, "{wrong}");
        assert_eq!(narrowed(Some("7"), Some(wrong)), Filter::Nothing, "{wrong}");
    }
}
