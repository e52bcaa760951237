//! The rules of contracts, case by case.

mod amending;
mod creating;
mod line_items;
mod replaying;

use serde_json::{Value, json};

use super::*;
use crate::domain::billing::customer::Customer;
use crate::domain::email::Email;
use crate::domain::ids::LineItemId;
use crate::domain::testing::day as date;

fn noon(day: &str) -> Timestamp {
    date(day).start().plus_seconds(12 * 3_600)
}

/// Ids from `first` on.
fn ids_from(first: u64) -> impl FnMut() -> LineItemId {
    let mut next = first;
    move || {
        next += 1;
        LineItemId(next - 1)
    }
}

fn item(kind: &str, quantity: &str, config: &Value) -> LineItemContent {
    let config = serde_json::value::to_raw_value(config).expect("JSON");
    LineItemContent::parse(Some(kind), Some(quantity), Some(&config)).expect("a line item")
}

/// A recurring item that is told apart by its name.
fn seat(name: &str) -> LineItemContent {
    item("recurring", "1", &json!({ "name": name }))
}

fn customer() -> Customer {
    Customer {
        id: CustomerId(3),
        seller: SellerId(1),
        email: Email::parse("ada@example.com").expect("an address"),
        customer_ref: None,
        name: Some("Ada Byron".to_owned()),
        phone: None,
        company_name: Some("Byron Ltd".to_owned()),
        tax_id: None,
        company_country: Some("United Kingdom".to_owned()),
        currency: None,
        customer_type: None,
        created_at: noon("2026-01-01"),
    }
}

fn request() -> NewContract {
    NewContract {
        customer: CustomerId(3),
        currency: Currency::EUR,
        start_date: date("2026-11-21"),
        end_date: None,
        line_items: Vec::new(),
        details: StatedDetails::default(),
    }
}

fn made(new: &NewContract) -> Contract {
    create(new, ContractId(1), &mut ids_from(1), &customer(), noon("2026-11-21"))
        .expect("a contract")
}

/// A contract in this status with the line items a, b and b again, at version 5.
fn contract(status: ContractStatus) -> Contract {
    let line_items = vec![seat("a"), seat("b"), seat("b")];
    let draft = made(&NewContract { line_items, ..request() });
    Contract { current: ContractVersion { version: 5, status, ..draft.current }, ..draft }
}
