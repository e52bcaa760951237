//! `POST /contracts/{contractId}/amendments`.

use crate::support::{Seller, Server, Value, json};

async fn amend(seller: &Seller, contract: u64, body: Value) -> crate::support::Response {
    seller.billing.post(&format!("/contracts/{contract}/amendments"), &body).await
}

#[tokio::test]
async fn an_amendment_appends_a_version() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let contract = seller.contract("2027-01-15").await;
    let body = json!({"expectedBaseVersion": 1, "status": "active", "customerName": "Byron"});
    let made = amend(&seller, contract, body).await.is(200);
    assert_eq!((&made["id"], &made["version"]), (&json!(contract), &json!(2)));
    assert_eq!((&made["status"], &made["customerName"]), (&json!("active"), &json!("Byron")));
    assert_eq!(made["lineItems"], json!([]));
    // Omitted fields are kept.
    let made = amend(&seller, contract, json!({"expectedBaseVersion": 2})).await.is(200);
    assert_eq!((&made["version"], &made["status"]), (&json!(3), &json!("active")));
    assert_eq!(made["customerName"], "Byron");
    // An empty text clears.
    let body = json!({"expectedBaseVersion": 3, "customerName": ""});
    assert_eq!(amend(&seller, contract, body).await.is(200).get("customerName"), None);
    server.close().await;
}

#[tokio::test]
async fn a_stale_version_changes_nothing() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let contract = seller.contract("2027-01-15").await;
    amend(&seller, contract, json!({"expectedBaseVersion": 1})).await.is(200);
    for stale in [1, 3, 9_999] {
        let body = json!({"expectedBaseVersion": stale, "customerName": "Nobody"});
        amend(&seller, contract, body).await.refuses(422, "expectedBaseVersion");
    }
    let now = seller.billing.get(&format!("/contracts/{contract}")).await.is(200);
    assert_eq!(now["version"], 2);
    assert_ne!(now["customerName"], "Nobody");
    server.close().await;
}

#[tokio::test]
async fn status_moves_only_along_its_ways() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let ways = [
        ("draft", "active", 200),
        ("draft", "closed", 200),
        ("draft", "suspended", 422),
        ("draft", "draft", 200),
        ("active", "suspended", 200),
        ("active", "closed", 200),
        ("active", "active", 200),
        ("active", "draft", 422),
        ("suspended", "active", 200),
        ("suspended", "closed", 200),
        ("suspended", "suspended", 200),
        ("suspended", "draft", 422),
        ("closed", "active", 422),
        ("closed", "closed", 422),
    ];
    for (from, to, status) in ways {
        let contract = seller.contract("2027-01-15").await;
        let path: &[&str] = match from {
            "active" => &["active"],
            "suspended" => &["active", "suspended"],
            "closed" => &["closed"],
            _ => &[],
        };
        let mut version = 1;
        for step in path {
            let body = json!({"expectedBaseVersion": version, "status": step});
            amend(&seller, contract, body).await.is(200);
            version += 1;
        }
        let body = json!({"expectedBaseVersion": version, "status": to});
        let response = amend(&seller, contract, body).await;
        assert_eq!(response.status, status, "{from} to {to}: {}", response.text);
    }
    server.close().await;
}

#[tokio::test]
async fn a_closed_contract_refuses_every_amendment() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let contract = seller.contract("2027-01-15").await;
    amend(&seller, contract, json!({"expectedBaseVersion": 1, "status": "closed"})).await.is(200);
    amend(&seller, contract, json!({"expectedBaseVersion": 2})).await.has_status(422);
    let body = json!({"expectedBaseVersion": 2, "customerName": "Late"});
    amend(&seller, contract, body).await.has_status(422);
    server.close().await;
}

#[tokio::test]
async fn a_wrong_field_is_named() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let contract = seller.contract("2027-01-15").await;
    let wrong = [
        (json!({}), "expectedBaseVersion"),
        (json!({"expectedBaseVersion": 0}), "expectedBaseVersion"),
        (json!({"expectedBaseVersion": -1}), "expectedBaseVersion"),
        (json!({"expectedBaseVersion": "1"}), "expectedBaseVersion"),
        (json!({"expectedBaseVersion": 1, "status": "paused"}), "status"),
        (json!({"expectedBaseVersion": 1, "startDate": "soon"}), "startDate"),
        (json!({"expectedBaseVersion": 1, "startDate": "2024-01-01"}), "startDate"),
        (json!({"expectedBaseVersion": 1, "endDate": "2027-01-01"}), "endDate"),
        (json!({"expectedBaseVersion": 1, "lineItems": 7}), "lineItems"),
        (json!({"expectedBaseVersion": 1, "customerPhone": "x".repeat(33)}), "customerPhone"),
    ];
    for (body, field) in wrong {
        amend(&seller, contract, body).await.refuses(400, field);
    }
    let missing = amend(&seller, 999_999_999, json!({"expectedBaseVersion": 1})).await;
    missing.refuses_saying(404, "not found");
    // Existence comes before the body.
    let missing = amend(&seller, 999_999_999, json!({"expectedBaseVersion": "x"})).await;
    missing.has_status(404);
    server.close().await;
}

#[tokio::test]
async fn an_end_can_be_set_and_moved_but_not_cleared() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let contract = seller.contract("2027-01-15").await;
    let end = async |version: u64, end: Value| {
        amend(&seller, contract, json!({"expectedBaseVersion": version, "endDate": end})).await
    };
    assert_eq!(end(1, json!("2028-01-01")).await.is(200)["endDate"], "2028-01-01");
    assert_eq!(end(2, json!("2027-06-30")).await.is(200)["endDate"], "2027-06-30");
    let response = end(3, json!("")).await;
    response.has_status(400);
    let now = seller.billing.get(&format!("/contracts/{contract}")).await.is(200);
    assert_eq!(now["endDate"], "2027-06-30");
    server.close().await;
}

#[tokio::test]
async fn line_items_are_kept_replaced_or_cleared_and_keep_their_ids() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let contract = seller.contract("2027-01-15").await;
    let item = |quantity: &str| json!({"componentType": "recurring", "quantity": quantity, "componentConfig": {"a": 1}});
    let items = |made: &Value| -> Vec<u64> {
        let items = made["lineItems"].as_array().expect("items");
        items.iter().map(|item| item["lineItemId"].as_u64().expect("an id")).collect()
    };
    let body = json!({"expectedBaseVersion": 1, "lineItems": [item("1"), item("2")]});
    let first = amend(&seller, contract, body).await.is(200);
    let [one, two] = items(&first)[..] else { panic!("two items") };
    // Omitted: kept, ids and all.
    let kept = amend(&seller, contract, json!({"expectedBaseVersion": 2})).await.is(200);
    assert_eq!(items(&kept), [one, two]);
    // The full set replaces; an equal item is the same item, another is new.
    let body = json!({"expectedBaseVersion": 3, "lineItems": [item("2.0"), item("3")]});
    let replaced = amend(&seller, contract, body).await.is(200);
    assert_eq!(items(&replaced)[0], two);
    assert!(!items(&replaced).contains(&one));
    // An item that is named by its id stays itself, whatever else changes.
    let mut named = item("8");
    named["lineItemId"] = json!(two);
    let body = json!({"expectedBaseVersion": 4, "lineItems": [named.clone()]});
    let changed = amend(&seller, contract, body).await.is(200);
    assert_eq!((items(&changed), &changed["lineItems"][0]["quantity"]), (vec![two], &json!("8")));
    let body = json!({"expectedBaseVersion": 5, "lineItems": [named.clone(), named]});
    amend(&seller, contract, body).await.refuses(400, "lineItemId");
    let mut unknown = item("1");
    unknown["lineItemId"] = json!(999_999_999);
    let body = json!({"expectedBaseVersion": 5, "lineItems": [unknown]});
    amend(&seller, contract, body).await.refuses(400, "lineItemId");
    let body = json!({"expectedBaseVersion": 5, "lineItems": []});
    assert_eq!(amend(&seller, contract, body).await.is(200)["lineItems"], json!([]));
    server.close().await;
}

#[tokio::test]
async fn the_currency_never_changes() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let contract = seller.contract("2027-01-15").await;
    let body = json!({"expectedBaseVersion": 1, "currency": "USD"});
    // An unknown field of this request is ignored.
    assert_eq!(amend(&seller, contract, body).await.is(200)["currency"], "EUR");
    server.close().await;
}
