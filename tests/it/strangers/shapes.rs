//! Bodies of the wrong shape: a list where the API document has an object, at any depth; and bodies
//! for what is not there.

use accrue::gate::{Access, Surface};
use accrue::routes::routes;

use super::owned::seed;
use super::path;
use crate::support::{OPERATOR, Receiver, Server, Value, fresh_uuid, json};

/// Bodies that fit `schema` so far as they go, but for one list in the place of an object.
fn lists_for_objects(document: &Value, schema: &Value, depth: usize) -> Vec<Value> {
    let schema = resolved(document, schema);
    let mut bodies = Vec::new();
    let none = serde_json::Map::new();
    for (name, property) in schema["properties"].as_object().unwrap_or(&none) {
        let property = resolved(document, property);
        if property["properties"].is_object() {
            bodies.push(json!({name: [1]}));
            if depth < 4 {
                let below = lists_for_objects(document, property, depth + 1);
                bodies.extend(below.into_iter().map(|body| json!({name: body})));
            }
        }
        let items = resolved(document, &property["items"]);
        if items["properties"].is_object() {
            bodies.push(json!({name: [[1]]}));
            if depth < 4 {
                let below = lists_for_objects(document, items, depth + 1);
                bodies.extend(below.into_iter().map(|body| json!({name: [body]})));
            }
        }
    }
    bodies
}

/// The schema behind references, and the one beside `null`.
fn resolved<'d>(document: &'d Value, schema: &'d Value) -> &'d Value {
    if let Some(name) = schema["$ref"].as_str() {
        let name = name.rsplit('/').next().expect("a name");
        return resolved(document, &document["components"]["schemas"][name]);
    }
    let one = ["oneOf", "anyOf", "allOf"].iter().find_map(|of| schema[*of].as_array());
    match one.and_then(|all| all.iter().find(|one| one["type"] != "null")) {
        Some(one) => resolved(document, one),
        None => schema,
    }
}

#[tokio::test]
async fn a_list_is_taken_for_no_object_at_any_depth() {
    let server = Server::start().await;
    let receiver = Receiver::start().await;
    let (seller, owned) = seed(&server, &receiver).await;
    let document = server.anonymous.get("/openapi.json").await.is(200);
    let mut tried = Vec::new();
    for route in routes() {
        let method = route.method().as_str().to_ascii_lowercase();
        let body = &document["paths"][route.path()][&method]["requestBody"];
        let schema = &body["content"]["application/json"]["schema"];
        // A batch refuses its items one by one.
        let by_item = route.path().ends_with("/events:batch");
        if route.access() != Access::SellerKey || schema.is_null() || by_item {
            continue;
        }
        let path = path(&route, |name| {
            owned.iter().find(|(known, _)| *known == name).expect("a name").1.clone()
        });
        let keyed = server.anonymous.with_key(&seller.key);
        for body in lists_for_objects(&document, schema, 0) {
            let key = fresh_uuid();
            let headers = [("idempotency-key", key.as_str())];
            let text = body.to_string();
            let response = keyed.send(route.method().clone(), &path, &headers, text.as_str()).await;
            assert_eq!(response.status, 400, "{} {text}: {}", response.request, response.text);
            match route.surface() {
                Surface::Payments => assert_eq!(response.error(), "invalid request body"),
                _ => assert!(response.error().contains("expected an object"), "{}", response.text),
            }
            tried.push(format!("{} {text}", route.path()));
        }
    }
    for known in [
        r#"/billing-api/v1/invoices {"lines":[[1]]}"#,
        r#"/billing-api/v1/invoices {"billTo":[1]}"#,
        r#"/payments-api/v1/initialize-payment {"cardData":[1]}"#,
    ] {
        assert!(tried.iter().any(|one| one == known), "{known} is not among {tried:#?}");
    }
    assert!(tried.iter().any(|one| one.contains("commitment")), "{tried:#?}");
    server.close().await;
}

#[tokio::test]
async fn what_is_not_there_is_told_before_the_body_is_judged() {
    let server = Server::start().await;
    let receiver = Receiver::start().await;
    let (seller, owned) = seed(&server, &receiver).await;
    let document = server.anonymous.get("/openapi.json").await.is(200);
    let mut wrong = Vec::new();
    for route in routes() {
        let method = route.method().as_str().to_ascii_lowercase();
        let body = &document["paths"][route.path()][&method]["requestBody"];
        if body["content"]["application/json"].is_null() || route.access() == Access::Open {
            continue;
        }
        let names: Vec<&str> = route.parameters().collect();
        for unknown in &names {
            // The name of a switch or of a currency names no object, and whose payment it is
            // stands in the body.
            let in_body = route.path().ends_with("/payments/{externalOrderRef}/resolve");
            if in_body || matches!(*unknown, "name" | "currency") {
                continue;
            }
            let path = path(&route, |name| match name == *unknown {
                true if name.ends_with("Id") => "9007199254740991".to_owned(),
                true => "nobody".to_owned(),
                false => owned
                    .iter()
                    .find(|(known, _)| *known == name)
                    .map_or_else(|| "1".to_owned(), |(_, value)| value.clone()),
            });
            let caller = match route.access() {
                Access::Operator => server.anonymous.with_key(OPERATOR),
                _ => server.anonymous.with_key(&seller.key),
            };
            let key = fresh_uuid();
            let headers = [("idempotency-key", key.as_str())];
            let response = caller.send(route.method().clone(), &path, &headers, "[]").await;
            if response.status != 404 {
                wrong.push(format!("{}: {} {}", response.request, response.status, response.text));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    server.close().await;
}
