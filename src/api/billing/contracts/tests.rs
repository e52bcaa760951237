use actors::domain::billing::contract::{
    Contract, ContractStatus, ContractVersion, Details, LineItem, LineItemContent,
};
use actors::domain::ids::{ContractId, CustomerId, LineItemId, SellerId};
use actors::domain::money::Currency;
use actors::domain::time::{Date, Timestamp};
use actors::query::Page;
use serde_json::{Value, json};

use super::*;

fn day(text: &str) -> Date {
    Date::parse(text).expect("a day")
}

fn contract(order: Option<u64>) -> Contract {
    let created_at = Timestamp::parse("2026-11-21T05:00:00Z").expect("an instant");
    let config = json!({"amountMinor": 5, "b": {"z": 1, "a": 2}});
    let config = serde_json::value::to_raw_value(&config).expect("JSON");
    let content = LineItemContent::parse(Some("one_time"), Some("1.50"), Some(&config));
    Contract {
        id: ContractId(12),
        seller: SellerId(1),
        order,
        customer: CustomerId(4),
        currency: Currency::EUR,
        created_at,
        current: ContractVersion {
            version: 2,
            created_at: created_at.plus_seconds(60),
            status: ContractStatus::Active,
            start_date: day("2026-12-01"),
            end_date: None,
            details: Details { name: Some("Ada".to_owned()), ..Details::default() },
            line_items: vec![LineItem { id: LineItemId(9), content: content.expect("valid") }],
        },
    }
}

fn terms() -> Value {
    json!({
        "version": 2, "sellerCustomerId": 4, "currency": "EUR", "status": "active",
        "startDate": "2026-12-01", "customerName": "Ada", "createdAt": "2026-11-21T05:00:00Z",
        "lineItems": [{
            "lineItemId": 9, "componentType": "one_time", "quantity": "1.5",
            "componentConfig": {"amountMinor": 5, "b": {"a": 2, "z": 1}},
        }],
    })
}

fn with(mut object: Value, fields: &[(&str, Value)]) -> Value {
    for (name, value) in fields {
        object[name] = value.clone();
    }
    object
}

fn shown(view: &impl serde::Serialize) -> Value {
    serde_json::to_value(view).expect("JSON")
}

#[test]
fn reads_name_the_contract_id_and_writes_the_id() {
    let read = [("contractId", json!(12)), ("contractNumber", json!("C-000003"))];
    assert_eq!(shown(&ContractView::from(contract(Some(3)))), with(terms(), &read));
    let made = [("id", json!(12)), ("contractNumber", json!("C-000003"))];
    assert_eq!(shown(&ContractMade::from(contract(Some(3)))), with(terms(), &made));
}

#[test]
fn a_contract_without_a_number_has_an_empty_one_on_reads_and_none_on_writes() {
    assert_eq!(shown(&ContractView::from(contract(None)))["contractNumber"], "");
    assert_eq!(shown(&ContractMade::from(contract(None))).get("contractNumber"), None);
}

#[test]
fn a_version_tells_when_it_was_made() {
    let of = contract(Some(3));
    let view = shown(&ContractView::version(&of, of.current.clone()));
    assert_eq!(view["createdAt"], "2026-11-21T05:01:00Z");
    assert_eq!(view["lineItems"], terms()["lineItems"]);
}

#[test]
fn the_list_leaves_line_items_out_and_names_the_next_page_twice() {
    let page = Page { items: vec![contract(Some(3))], next: Some(12) };
    let list = shown(&ContractList::of(page, ContractView::brief));
    assert_eq!(list["contracts"][0].get("lineItems"), None);
    assert_eq!((&list["hasMore"], &list["nextCursor"]), (&json!(true), &json!(12)));
    assert_eq!(list["nextAfterId"], 12);
    let last =
        shown(&ContractList::of(Page { items: Vec::new(), next: None }, ContractView::brief));
    assert_eq!(last, json!({"contracts": [], "hasMore": false}));
}

fn new(body: Value) -> Result<(), String> {
    let body: NewContractBody = serde_json::from_value(body).map_err(|e| e.to_string())?;
    body.parse().map(|_| ()).map_err(|refusal| refusal.to_string())
}

#[test]
fn a_new_contract_is_refused_by_the_field_at_fault() {
    let plain = json!({"sellerCustomerId": 4, "currency": "EUR", "startDate": "2026-12-01"});
    assert_eq!(new(plain.clone()), Ok(()));
    let item = |kind: &str, quantity: Value, config: Value| json!([{"componentType": kind, "quantity": quantity, "componentConfig": config}]);
    let many: Vec<_> = (0..101).map(|_| item("usage", json!("1"), json!({}))[0].clone()).collect();
    for (field, value, expected) in [
        ("sellerCustomerId", json!("4"), "invalid type: string \"4\""),
        ("sellerCustomerId", json!(-4), "invalid value: integer `-4`"),
        ("currency", json!("eur"), "currency must be one of"),
        ("currency", json!("CHF"), "currency must be one of"),
        ("startDate", json!("2026-2-30"), "expected a date"),
        ("endDate", json!(20261201), "invalid type: integer"),
        ("customerName", json!("x".repeat(129)), "customerName must have at most 128"),
        ("customerCompanyCountry", json!("x".repeat(57)), "customerCompanyCountry must have"),
        ("lineItems", json!({}), "invalid type: map"),
        ("lineItems", json!(many), "lineItems must have at most 100"),
        ("lineItems", item("fee", json!("1"), json!({})), "lineItems[0].componentType must be"),
        ("lineItems", item("usage", json!(1), json!({})), "invalid type: integer `1`"),
        ("lineItems", item("usage", json!("1e3"), json!({})), "lineItems[0].quantity must be"),
        ("lineItems", item("usage", json!("1"), json!([])), "lineItems[0].componentConfig must be"),
        (
            "lineItems",
            item("project", json!("1"), json!({"projectRef": 1})),
            "lineItems[0].componentConfig must not carry projectRef",
        ),
        (
            "lineItems",
            item("one_time", json!("1"), json!({"amountMinor": 1.5})),
            "lineItems[0].componentConfig.amountMinor must be an integer",
        ),
    ] {
        let refusal = new(with(plain.clone(), &[(field, value)])).expect_err("a refusal");
        assert!(refusal.contains(expected), "{field}: {refusal}");
    }
    let nothing = with(plain, &[("endDate", Value::Null), ("lineItems", Value::Null)]);
    assert_eq!(new(nothing), Ok(()));
}

#[test]
fn an_amendment_tells_null_from_what_is_left_out() {
    let parsed = |body: Value| {
        let body: AmendmentBody = serde_json::from_value(body).expect("a body");
        body.parse()
    };
    let amendment = parsed(json!({"expectedBaseVersion": 1})).expect("valid");
    assert_eq!((amendment.end_date, amendment.line_items), (None, None));
    let body = json!({"expectedBaseVersion": 1, "endDate": null, "lineItems": []});
    let amendment = parsed(body).expect("valid");
    assert_eq!((amendment.end_date, amendment.line_items), (Some(None), Some(Vec::new())));
    let refusal = parsed(json!({"expectedBaseVersion": 1, "status": "open"})).expect_err("refused");
    assert!(refusal.to_string().starts_with("status must be one of"));
}
