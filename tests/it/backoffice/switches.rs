//! `/switches`.

use crate::support::{Server, Value, json};

const SWITCHES: [&str; 9] = [
    "billing.subscription.lifecycle_cron",
    "billing.usage.close_pass",
    "billing.recurring.invoice_pass",
    "billing.usage.invoice_pass",
    "billing.proration.invoice_binding",
    "billing.invoice.auto_charge",
    "billing.dunning.reminders",
    "payment_links.recurring_billing",
    "billing.credits",
];

fn of<'a>(list: &'a Value, name: &str) -> &'a Value {
    let switches = list["switches"].as_array().expect("switches");
    switches.iter().find(|switch| switch["name"] == name).expect("the switch")
}

#[tokio::test]
async fn every_switch_is_listed_on_in_demo_and_off_otherwise() {
    for (demo, enabled) in [("true", true), ("false", false)] {
        let server = Server::with(&[("demo", demo)]).await;
        let list = server.operator.get("/switches").await.is(200);
        for name in SWITCHES {
            let switch = of(&list, name);
            assert_eq!((&switch["enabled"], &switch["sellers"]), (&json!(enabled), &json!([])));
        }
        server.close().await;
    }
}

#[tokio::test]
async fn a_switch_is_turned_for_all_or_for_one_and_stays_turned() {
    let mut server = Server::start().await;
    let (seller, other) = (server.seller().await, server.seller().await);
    let path = "/switches/billing.recurring.invoice_pass";
    server.operator.put(path, &json!({"enabled": false})).await.is(200);
    let body = json!({"enabled": true, "sellerAccountId": seller.id});
    server.operator.put(path, &body).await.is(200);
    server.restart().await;
    let list = server.operator.get("/switches").await.is(200);
    let switch = of(&list, "billing.recurring.invoice_pass");
    assert_eq!(switch["enabled"], false);
    let mine = json!([{"sellerAccountId": seller.id, "enabled": true}]);
    assert_eq!(switch["sellers"], mine);
    assert_eq!(of(&list, "billing.credits")["enabled"], true);
    // At once, for the one and not for the other.
    for (seller, disabled) in [(server.again(&seller), false), (server.again(&other), true)] {
        let contract = seller.contract("2027-01-15").await;
        let answer = seller.advance(contract, "2027-01-16T00:00:00Z").await;
        assert_eq!(answer["invoices"]["passDisabled"], disabled);
    }
    server.close().await;
}

#[tokio::test]
async fn wrong_names_and_bodies_are_refused() {
    let server = Server::start().await;
    let put = async |name: &str, body: Value| {
        server.operator.put(&format!("/switches/{name}"), &body).await.status
    };
    assert_eq!(put("billing.nothing", json!({"enabled": true})).await, 404);
    assert_eq!(put("billing.credits", json!({})).await, 400);
    assert_eq!(put("billing.credits", json!({"enabled": "yes"})).await, 400);
    let foreign = json!({"enabled": true, "sellerAccountId": 999_999_999});
    assert!([400, 404].contains(&put("billing.credits", foreign).await));
    server.close().await;
}
