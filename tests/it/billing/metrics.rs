//! `/usage/metrics`: names, versions, what makes one.

use crate::support::make::with;
use crate::support::meter::event_with;
use crate::support::response::column;
use crate::support::{Server, json};

#[tokio::test]
async fn a_metric_is_there_as_registered_under_both_paths() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let body = json!({
        "name": "api.calls", "unit": "calls", "aggregation": "count_unique",
        "uniqueKey": "user", "description": "Who calls",
    });
    let made = seller.billing.post("/usage/metrics", &body).await.is(201);
    assert_eq!(
        made,
        json!({
            "name": "api.calls", "version": 1, "unit": "calls", "aggregation": "count_unique",
            "uniqueKey": "user", "description": "Who calls", "createdAt": made["createdAt"],
        })
    );
    for api in [&seller.billing.under("/billing-api/v1/usage"), &seller.older()] {
        assert_eq!(api.get("/metrics/api.calls").await.is(200), made);
        let list = api.get("/metrics").await.is(200);
        assert_eq!(column(&list, "metrics", "name"), ["api.calls", "platform.seat.active"]);
        assert_eq!(list["metrics"][1]["version"], 1);
        assert_eq!(list["hasMore"], false);
        api.get("/metrics/api.other").await.refuses_saying(404, "not found");
        api.get("/metrics/a%20b").await.refuses_saying(404, "not found");
    }
    let other = server.seller().await;
    other.billing.get("/usage/metrics/api.calls").await.refuses_saying(404, "not found");
    server.close().await;
}

#[tokio::test]
async fn a_new_definition_is_a_new_version_and_a_description_is_not() {
    let mut server = Server::start().await;
    let mut seller = server.seller().await;
    let register = async |seller: &crate::support::Seller, more| {
        let made = seller.metric("gb", more).await;
        assert_eq!(seller.billing.get("/usage/metrics/gb").await.is(200), made);
        (made["version"].as_u64().expect("a version"), made)
    };
    assert_eq!(register(&seller, json!({})).await.0, 1);
    assert_eq!(register(&seller, json!({})).await.0, 1);
    let (version, made) = register(&seller, json!({"description": "Gigabytes"})).await;
    assert_eq!((version, &made["description"]), (1, &json!("Gigabytes")));
    let (version, made) = register(&seller, json!({"aggregation": "max"})).await;
    assert_eq!((version, &made["description"]), (2, &json!("Gigabytes")));
    assert_eq!(register(&seller, json!({"aggregation": "max", "unit": "GiB"})).await.0, 3);
    server.restart().await;
    seller = server.again(&seller);
    assert_eq!(register(&seller, json!({"aggregation": "max", "unit": "GiB"})).await.0, 3);
    assert_eq!(register(&seller, json!({})).await.0, 4);
    server.close().await;
}

#[tokio::test]
async fn a_wrong_metric_is_refused_naming_the_field() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let cases = [
        (json!({"name": null}), "name is required"),
        (json!({"name": ""}), "name must be"),
        (json!({"name": "two words"}), "name must be"),
        (json!({"name": "n".repeat(129)}), "name must be"),
        (json!({"name": "."}), "name must be"),
        (json!({"name": ".."}), "name must be"),
        (json!({"name": "platform.seat.active"}), "reserved"),
        (json!({"unit": "u".repeat(33)}), "unit"),
        (json!({"unit": 5}), "unit"),
        (json!({"aggregation": null}), "aggregation is required"),
        (json!({"aggregation": "average"}), "aggregation must be one of"),
        (json!({"aggregation": "count_unique"}), "uniqueKey is required"),
        (json!({"aggregation": "count_unique", "uniqueKey": ""}), "uniqueKey"),
        (json!({"uniqueKey": "user"}), "uniqueKey is only for"),
        (json!({"description": "d".repeat(257)}), "description"),
    ];
    for (more, named) in cases {
        let base = json!({"name": "m", "unit": "u", "aggregation": "sum"});
        let body = with(&base, more);
        seller.billing.post("/usage/metrics", &body).await.refuses(400, named);
    }
    let list = seller.billing.get("/usage/metrics").await.is(200);
    assert_eq!(column(&list, "metrics", "name"), ["platform.seat.active"]);
    server.close().await;
}

#[tokio::test]
async fn a_renamed_unit_leaves_the_figures_of_a_period_as_they_were() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let contract = seller.metered("2027-01-15").await;
    let unique = json!({"aggregation": "count_unique", "uniqueKey": "user"});
    seller.metric("users", unique.clone()).await;
    for aggregation in ["max", "min", "last"] {
        seller.metric(aggregation, json!({"aggregation": aggregation})).await;
    }
    let record = async |round: u32| {
        for metric in ["max", "min", "last", "users"] {
            let more = json!({"metric": metric, "quantity": "100", "metadata": {"user": "ada"}});
            seller.record(&event_with(contract, &format!("{metric} {round}"), more)).await;
        }
    };
    record(1).await;
    for aggregation in ["max", "min", "last"] {
        let renamed = json!({"aggregation": aggregation, "unit": "requests"});
        assert_eq!(seller.metric(aggregation, renamed).await["version"], 2);
    }
    seller.metric("users", with(&unique, json!({"unit": "people"}))).await;
    record(2).await;
    for (metric, used) in [("max", "100"), ("min", "100"), ("last", "100"), ("users", "1")] {
        assert_eq!(seller.used(contract, metric).await, used, "{metric}");
    }
    let other = json!({"name": "max", "unit": "requests", "aggregation": "sum"});
    seller.billing.post("/usage/metrics", &other).await.refuses(422, "aggregation");
    let other = json!({"name": "users", "unit": "people", "aggregation": "count_unique", "uniqueKey": "account"});
    seller.billing.post("/usage/metrics", &other).await.refuses(422, "uniqueKey");
    server.close().await;
}
