//! `POST /contracts`, `GET /contracts` and `GET /contracts/{contractId}`.

use crate::support::make::with;
use crate::support::response::id;
use crate::support::{Seller, Server, Value, fresh, json};

/// The least that makes a contract.
fn least(seller: &Seller) -> Value {
    json!({
        "sellerCustomerId": seller.customer(), "currency": "EUR", "startDate": "2027-01-15",
    })
}

#[tokio::test]
async fn a_new_contract_is_a_draft_at_version_1() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let made = seller.billing.create("/contracts", &fresh("k"), &least(&seller)).await;
    assert!(!made.is_replay());
    let made = made.is(201);
    assert_eq!((&made["version"], &made["status"]), (&json!(1), &json!("draft")));
    assert_eq!(made["sellerCustomerId"], seller.customer());
    assert_eq!((&made["currency"], &made["startDate"]), (&json!("EUR"), &json!("2027-01-15")));
    assert_eq!(made["contractNumber"], "C-000001");
    assert_eq!(made["lineItems"], json!([]));
    assert_eq!(made.get("endDate"), None, "open-ended");
    assert!(made["customerName"].is_string(), "taken over from the customer");
    let second = seller.billing.create("/contracts", &fresh("k"), &least(&seller)).await.is(201);
    assert_eq!(second["contractNumber"], "C-000002");
    assert!(id(&second) > id(&made));
    let read = seller.billing.get(&format!("/contracts/{}", id(&made))).await.is(200);
    for field in ["version", "status", "currency", "startDate", "contractNumber", "lineItems"] {
        assert_eq!(read[field], made[field], "{field}");
    }
    let named = read.get("contractId").or(read.get("id")).expect("its id");
    assert_eq!(named, &made["id"]);
    server.close().await;
}

#[tokio::test]
async fn counterparty_details_are_the_contracts_own_or_the_customers() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let customer = json!({
        "email": "c@example.com", "name": "Cato", "companyName": "Forum", "companyCountry": "IT",
    });
    let customer = id(&seller.billing.post("/customers", &customer).await.is(200));
    let body = with(
        &least(&seller),
        json!({
            "sellerCustomerId": customer, "customerName": "Marcus Cato", "customerPhone": "39",
        }),
    );
    let made = seller.billing.create("/contracts", &fresh("k"), &body).await.is(201);
    assert_eq!(made["customerName"], "Marcus Cato");
    assert_eq!(made["customerPhone"], "39");
    assert_eq!(made["customerCompanyName"], "Forum");
    assert_eq!(made["customerCompanyCountry"], "IT");
    server.close().await;
}

#[tokio::test]
async fn line_items_are_kept_and_get_ids() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let items = json!([
        {"componentType": "recurring", "quantity": "1.50", "componentConfig": {"plan": "team"}},
        {"componentType": "one_time", "quantity": "1",
         "componentConfig": {"description": "Set-up", "amountMinor": 5000, "taxRate": "19"}},
        {"componentType": "project", "quantity": "1",
         "componentConfig": {"description": "Move", "amountMinor": 9000, "status": "pending"}},
    ]);
    let body = with(&least(&seller), json!({"lineItems": items, "endDate": "2028-01-15"}));
    let made = seller.billing.create("/contracts", &fresh("k"), &body).await.is(201);
    assert_eq!(made["endDate"], "2028-01-15");
    let kept = made["lineItems"].as_array().expect("items");
    for (kept, sent) in kept.iter().zip(items.as_array().expect("items")) {
        assert_eq!(kept["componentType"], sent["componentType"]);
        assert_eq!(kept["componentConfig"], sent["componentConfig"]);
        assert!(kept["lineItemId"].as_u64().is_some(), "{kept}");
    }
    assert_eq!(kept[0]["quantity"], "1.5", "decimals are answered plain");
    server.close().await;
}

#[tokio::test]
async fn a_wrong_field_is_named() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let refuse = async |more: Value, field: &str| {
        let body = with(&least(&seller), more);
        let response = seller.billing.create("/contracts", &fresh("k"), &body).await;
        response.refuses(400, field);
    };
    for field in ["sellerCustomerId", "currency", "startDate"] {
        refuse(json!({field: null}), field).await;
    }
    refuse(json!({"sellerCustomerId": "7"}), "sellerCustomerId").await;
    refuse(json!({"sellerCustomerId": 999_999_999}), "sellerCustomerId").await;
    let other = server.seller().await;
    refuse(json!({"sellerCustomerId": other.customer()}), "sellerCustomerId").await;
    refuse(json!({"currency": "CHF"}), "currency").await;
    refuse(json!({"startDate": "15.01.2027"}), "startDate").await;
    refuse(json!({"startDate": "2027-02-30"}), "startDate").await;
    refuse(json!({"startDate": "2027-01-15T00:00:00Z"}), "startDate").await;
    refuse(json!({"endDate": "2027-01-14"}), "endDate").await;
    refuse(json!({"endDate": "2037-01-16"}), "endDate").await;
    for (field, most) in [
        ("customerName", 128),
        ("customerPhone", 32),
        ("customerCompanyName", 255),
        ("customerCompanyCountry", 56),
    ] {
        refuse(json!({field: "x".repeat(most + 1)}), field).await;
        let body = with(&least(&seller), json!({field: "x".repeat(most)}));
        seller.billing.create("/contracts", &fresh("k"), &body).await.is(201);
    }
    refuse(json!({"lineItems": {}}), "lineItems").await;
    server.close().await;
}

#[tokio::test]
async fn a_wrong_line_item_is_named() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let item = json!({"componentType": "recurring", "quantity": "1", "componentConfig": {}});
    let create = async |items: Vec<Value>| {
        let body = with(&least(&seller), json!({"lineItems": items}));
        seller.billing.create("/contracts", &fresh("k"), &body).await
    };
    create(vec![item.clone(); 100]).await.is(201);
    create(vec![item.clone(); 101]).await.refuses(400, "lineItems");
    let config = |config: Value| json!({"componentConfig": config});
    for (more, field) in [
        (json!({"componentType": "gift"}), "componentType"),
        (json!({"componentType": null}), "componentType"),
        (json!({"quantity": 1}), "quantity"),
        (json!({"quantity": "one"}), "quantity"),
        (json!({"quantity": "1e3"}), "quantity"),
        (config(json!("x")), "componentConfig"),
        (config(json!({"milestoneDefinitionRef": "m"})), "milestoneDefinitionRef"),
        (config(json!({"projectRef": "p"})), "projectRef"),
        (config(json!({"splitRuleRef": "s"})), "splitRuleRef"),
        (config(json!({"x": "y".repeat(16 * 1024)})), "componentConfig"),
    ] {
        create(vec![item.clone(), with(&item, more)]).await.refuses(400, field);
    }
    let one_time = json!({"componentType": "one_time", "quantity": "1"});
    for (bad, field) in [
        (json!({"description": "x", "amountMinor": "5"}), "amountMinor"),
        (json!({"description": "x", "amountMinor": 1.5}), "amountMinor"),
        (json!({"description": "x", "amountMinor": 5, "taxRate": "101"}), "taxRate"),
    ] {
        create(vec![with(&one_time, config(bad))]).await.refuses(400, field);
    }
    server.close().await;
}

#[tokio::test]
async fn the_start_lies_within_a_year_past_and_ten_years_ahead() {
    let server = Server::start().await;
    let seller = server.seller().await;
    for (start, status) in
        [("2026-01-15", 201), ("2026-01-14", 400), ("2037-01-15", 201), ("2037-01-16", 400)]
    {
        let body = with(&least(&seller), json!({"startDate": start}));
        let response = seller.billing.create("/contracts", &fresh("k"), &body).await;
        assert_eq!(response.status, status, "{start}");
    }
    let body = with(&least(&seller), json!({"endDate": "2037-01-15"}));
    seller.billing.create("/contracts", &fresh("k"), &body).await.is(201);
    let body = with(&least(&seller), json!({"endDate": "2027-01-15"}));
    seller.billing.create("/contracts", &fresh("k"), &body).await.is(201);
    server.close().await;
}

#[tokio::test]
async fn a_leap_day_counts_as_the_28th() {
    let server = Server::at("2028-02-29T12:00:00Z", &[]).await;
    let seller = server.seller().await;
    for (start, status) in
        [("2027-02-28", 201), ("2027-02-27", 400), ("2038-02-28", 201), ("2038-03-01", 400)]
    {
        let body = with(&least(&seller), json!({"startDate": start}));
        let response = seller.billing.create("/contracts", &fresh("k"), &body).await;
        assert_eq!(response.status, status, "{start}");
    }
    server.close().await;
}

#[tokio::test]
async fn contracts_are_listed_forward() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let mut made = Vec::new();
    for _ in 0..5 {
        made.push(seller.contract("2027-01-15").await);
    }
    let first = seller.billing.get("/contracts?limit=2").await.is(200);
    let list = first["contracts"].as_array().expect("contracts");
    let found: Vec<u64> = list.iter().map(contract_id).collect();
    assert_eq!(found, made[..2]);
    assert_eq!(first["hasMore"], true);
    assert_eq!((&first["nextCursor"], &first["nextAfterId"]), (&json!(made[1]), &json!(made[1])));
    let other = server.seller().await;
    let none = other.billing.get("/contracts").await.is(200);
    assert_eq!(none, json!({"contracts": [], "hasMore": false}));
    server.close().await;
}

fn contract_id(row: &Value) -> u64 {
    row.get("contractId").or(row.get("id")).and_then(Value::as_u64).expect("an id")
}
