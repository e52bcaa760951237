//! Terminals in the operator's hands, and `/payment-methods`.

use crate::support::response::id;
use crate::support::{Server, Value, json};

fn stripe() -> Value {
    json!({
        "name": "Live cards", "rail": "card", "methods": ["card", "apple_pay"],
        "currencies": ["EUR", "USD"], "countries": ["DE"], "mode": "live", "connector": "stripe",
        "baseUrl": "https://api.stripe.com/", "secretKey": "sk_live_never_shown",
    })
}

fn simulator() -> Value {
    json!({
        "name": "Benelux", "rail": "apm", "methods": ["bancontact", "wero"],
        "currencies": ["EUR"], "mode": "demo", "connector": "simulator",
    })
}

fn with(mut body: Value, field: &str, value: Value) -> Value {
    body[field] = value;
    body
}

async fn live_seller(server: &Server) -> (String, String) {
    let seller = server.live_seller(json!({})).await;
    (format!("/sellers/{}/terminals", seller.id), seller.key)
}

#[tokio::test]
async fn the_operator_makes_terminals_and_a_key_is_never_shown() {
    let mut server = Server::start().await;
    let (path, _) = live_seller(&server).await;
    assert_eq!(server.operator.get(&path).await.is(200), json!({"terminals": []}));
    let made = server.operator.post(&path, &stripe()).await.is(201);
    let expected = json!({
        "id": made["id"], "sellerAccountId": made["sellerAccountId"], "name": "Live cards",
        "rail": "card", "methods": ["card", "apple_pay"], "currencies": ["EUR", "USD"],
        "countries": ["DE"], "mode": "live", "connector": "stripe",
        "baseUrl": "https://api.stripe.com", "status": "active", "multicapture": false,
    });
    assert_eq!(made, expected);
    server.restart().await;
    let list = server.operator.get(&path).await.is(200);
    assert_eq!(list, json!({"terminals": [expected]}));
    assert!(!list.to_string().contains("never_shown"));
    server.close().await;
}

#[tokio::test]
async fn a_terminal_is_replaced_and_its_key_goes_to_no_other_address() {
    let server = Server::start().await;
    let (path, _) = live_seller(&server).await;
    let made = server.operator.post(&path, &stripe()).await.is(201);
    let own = format!("{path}/{}", id(&made));
    let mut silent = with(stripe(), "status", json!("disabled"));
    silent.as_object_mut().expect("an object").remove("secretKey");
    let changed = server.operator.put(&own, &silent).await.is(200);
    assert_eq!((&changed["id"], &changed["status"]), (&made["id"], &json!("disabled")));
    let moved = with(silent.clone(), "baseUrl", json!("https://elsewhere.example.com"));
    server.operator.put(&own, &moved).await.refuses(400, "secretKey");
    server.operator.post(&path, &silent).await.refuses(400, "secretKey is required");
    let list = server.operator.get(&path).await.is(200);
    assert_eq!(list, json!({"terminals": [changed]}), "a refusal changes nothing");
    server.close().await;
}

#[tokio::test]
async fn what_is_wrong_with_a_terminal_is_named() {
    let server = Server::start().await;
    let (path, _) = live_seller(&server).await;
    for (body, field) in [
        (json!({}), "name is required"),
        (with(stripe(), "rail", json!("bank")), "rail"),
        (with(stripe(), "methods", json!(["wero"])), "methods"),
        (with(stripe(), "methods", json!([])), "methods"),
        (with(stripe(), "currencies", json!(["JPY"])), "currencies"),
        (with(stripe(), "countries", json!(["Germany"])), "countries"),
        (with(stripe(), "mode", json!("demo")), "connector"),
        (with(simulator(), "mode", json!("live")), "connector"),
        (with(simulator(), "secretKey", json!("sk")), "secretKey"),
        (with(stripe(), "baseUrl", json!("http://api.stripe.com")), "baseUrl"),
        (with(stripe(), "secretKey", json!("")), "secretKey"),
        (with(stripe(), "status", json!("off")), "status"),
    ] {
        server.operator.post(&path, &body).await.refuses(400, field);
    }
    let nobody = "/sellers/999999/terminals";
    server.operator.get(nobody).await.has_status(404);
    server.operator.post(nobody, &stripe()).await.has_status(404);
    server.operator.put(&format!("{path}/999999"), &stripe()).await.has_status(404);
    server.close().await;
}

#[tokio::test]
async fn a_terminal_of_another_seller_cannot_be_replaced() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let (path, _) = live_seller(&server).await;
    let own = format!("/sellers/{}/terminals", seller.id);
    let list = server.operator.get(&own).await.is(200);
    let terminal = &list["terminals"][0];
    server.operator.put(&format!("{path}/{}", terminal["id"]), &stripe()).await.has_status(404);
    assert_eq!(server.operator.get(&own).await.is(200), list);
    server.close().await;
}

#[tokio::test]
async fn a_sandbox_takes_every_method_where_it_is_known() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let methods = seller.payments.get("/payment-methods").await.is(200);
    assert_eq!(methods["allowedPaymentRails"], json!(["card", "apm"]));
    let rows = methods["allowedPaymentMethods"].as_array().expect("a list");
    let of = |method: &str| -> Vec<Value> {
        let own = rows.iter().filter(|row| row["paymentMethod"] == method);
        own.map(|row| json!([row["rail"], row["currency"], row["countries"]])).collect()
    };
    let everywhere = ["EUR", "USD", "GBP", "DKK", "NOK", "SEK"];
    for method in ["card", "apple_pay", "google_pay"] {
        assert_eq!(of(method), everywhere.map(|currency| json!(["card", currency, []])));
    }
    for (method, currency, countries) in [
        ("bancontact", "EUR", json!(["BE"])),
        ("multibanco", "EUR", json!(["PT"])),
        ("mbway", "EUR", json!(["PT"])),
        ("wero", "EUR", json!(["BE", "DE", "FR"])),
        ("swish", "SEK", json!(["SE"])),
    ] {
        assert_eq!(of(method), [json!(["apm", currency, countries])], "{method}");
    }
    server.payments().get("/payment-methods").await.has_status(401);
    server.close().await;
}

#[tokio::test]
async fn payment_methods_follow_the_terminals_in_use_of_the_own_mode() {
    let server = Server::start().await;
    let (path, key) = live_seller(&server).await;
    let payments = server.payments().with_key(&key);
    let nothing = json!({"allowedPaymentRails": [], "allowedPaymentMethods": []});
    assert_eq!(payments.get("/payment-methods").await.is(200), nothing);
    server.operator.post(&path, &simulator()).await.is(201);
    assert_eq!(payments.get("/payment-methods").await.is(200), nothing, "of another mode");
    let made = server.operator.post(&path, &stripe()).await.is(201);
    let methods = payments.get("/payment-methods").await.is(200);
    let row = |method, currency| {
        let countries = ["DE"];
        json!({
            "paymentMethod": method, "rail": "card", "currency": currency, "countries": countries,
        })
    };
    let rows =
        [row("card", "EUR"), row("card", "USD"), row("apple_pay", "EUR"), row("apple_pay", "USD")];
    assert_eq!(methods, json!({"allowedPaymentRails": ["card"], "allowedPaymentMethods": rows}));
    let disabled = with(stripe(), "status", json!("disabled"));
    server.operator.put(&format!("{path}/{}", id(&made)), &disabled).await.is(200);
    assert_eq!(payments.get("/payment-methods").await.is(200), nothing);
    server.close().await;
}
