//! `/openapi.json` is an OpenAPI 3.1 document of every route of the API, `/openapi-pages.json` one of
//! the pages that browsers open.

mod headers;

use std::collections::BTreeSet;

use accrue::gate::Access;
use accrue::routes::routes;
use actors::domain::platform::event::EventType;
use serde_json::Value;

use hyper::Method;

use crate::support::{Server, fresh_uuid, json};

async fn document() -> Value {
    let server = Server::start().await;
    let document = server.anonymous.get("/openapi.json").await.is(200);
    server.close().await;
    document
}

async fn pages() -> Value {
    let server = Server::start().await;
    let document = server.anonymous.get("/openapi-pages.json").await.is(200);
    server.close().await;
    document
}

fn operations(document: &Value) -> Vec<(String, &Value)> {
    let paths = document["paths"].as_object().expect("paths");
    paths
        .iter()
        .flat_map(|(path, item)| {
            let item = item.as_object().expect("a path item").iter();
            item.filter(|(name, _)| *name != "parameters")
                .map(move |(method, operation)| (format!("{method} {path}"), operation))
        })
        .collect()
}

#[tokio::test]
async fn every_route_has_an_operation_and_every_operation_a_route() {
    for (document, of_pages) in [(document().await, false), (pages().await, true)] {
        let documented: BTreeSet<String> =
            operations(&document).into_iter().map(|(name, _)| name).collect();
        let served: BTreeSet<String> = routes()
            .iter()
            .filter(|route| route.is_page() == of_pages)
            .map(|route| {
                format!("{} {}", route.method().as_str().to_ascii_lowercase(), route.path())
            })
            .collect();
        assert_eq!(documented, served);
    }
}

#[tokio::test]
async fn no_page_and_no_file_of_one_is_an_operation() {
    let document = document().await;
    for (name, operation) in operations(&document) {
        let all_well = &operation["responses"]["200"]["content"];
        assert!(all_well["text/html"].is_null(), "{name} is a page");
        assert!(all_well["*/*"].is_null(), "{name} is a file of a page");
    }
}

#[tokio::test]
async fn the_document_is_of_version_3_1_and_names_the_product() {
    let document = document().await;
    assert!(document["openapi"].as_str().is_some_and(|version| version.starts_with("3.1.")));
    assert!(document["info"]["title"].as_str().is_some_and(|title| title.contains("Accrue")));
    assert!(document["info"]["version"].is_string());
}

#[tokio::test]
async fn every_operation_is_documented_in_full() {
    let (document, pages) = (document().await, pages().await);
    let mut ids = BTreeSet::new();
    for (name, operation) in [operations(&document), operations(&pages)].concat() {
        let summary = operation["summary"].as_str().unwrap_or_default();
        assert!(!summary.is_empty(), "{name} has no summary");
        if let Some(id) = operation["operationId"].as_str() {
            assert!(ids.insert(id.to_owned()), "{id} names two operations");
        }
        let answers = operation["responses"].as_object().expect("responses");
        assert!(answers.keys().any(|status| status.starts_with('2') || status.starts_with('3')));
        for (status, answer) in answers {
            assert!(status.parse::<u16>().is_ok(), "{name} {status}");
            assert!(
                answer["description"].is_string() || answer["$ref"].is_string(),
                "{name} {status}"
            );
        }
        let path = name.split_once(' ').expect("a path").1;
        let named: BTreeSet<&str> =
            path.split('{').skip(1).filter_map(|rest| rest.split('}').next()).collect();
        let parameters = operation["parameters"].as_array().cloned().unwrap_or_default();
        let documented: BTreeSet<&str> = parameters
            .iter()
            .filter(|parameter| parameter["in"] == "path")
            .map(|parameter| parameter["name"].as_str().expect("a name"))
            .collect();
        assert_eq!(documented, named, "{name}");
        for parameter in &parameters {
            assert!(parameter["schema"].is_object(), "{name}: {parameter}");
            if parameter["in"] == "path" {
                assert_eq!(parameter["required"], true, "{name}");
            }
        }
    }
}

#[tokio::test]
async fn the_address_of_a_payee_is_documented_as_what_it_is_taken_and_answered_as() {
    let document = document().await;
    let types = |schema: &str| {
        let fields = &document["components"]["schemas"][schema]["properties"];
        let address = &fields["businessAddress"];
        assert!(address["description"].is_string(), "{schema}");
        address["type"].clone()
    };
    for taken in ["PayeeBody", "PatchPayeeBody"] {
        assert_eq!(types(taken), json!(["string", "object", "null"]), "{taken}");
    }
    assert_eq!(types("PayeeView"), json!(["string", "object"]));
}

#[tokio::test]
async fn the_data_of_a_wallets_token_are_documented_as_what_they_are_taken_as() {
    let document = document().await;
    let data = &document["components"]["schemas"]["TokenBody"]["properties"]["decryptedData"];
    assert_eq!(data["type"], json!(["string", "object", "null"]));
    assert!(data["description"].is_string(), "{data}");
}

#[tokio::test]
async fn keys_are_demanded_where_they_are_demanded() {
    let (document, pages) = (document().await, pages().await);
    let schemes = document["components"]["securitySchemes"].as_object().expect("schemes");
    assert!(schemes.values().any(|scheme| scheme["scheme"] == "bearer"));
    for route in &routes() {
        let method = route.method().as_str().to_ascii_lowercase();
        let told = if route.is_page() { &pages } else { &document };
        let operation = &told["paths"][route.path()][&method];
        let keyed = operation["security"].as_array().is_some_and(|all| !all.is_empty());
        assert_eq!(keyed, route.access() != Access::Open, "{method} {}", route.path());
        // The receiver has a signature in the place of a key, a login a password.
        let authenticated = keyed
            || route.path() == "/usage/v1/webhooks/{token}"
            || route.path().starts_with("/api/v1/login/");
        let refuses = operation["responses"]["401"].is_object();
        assert_eq!(refuses, authenticated, "{method} {}", route.path());
    }
}

#[tokio::test]
async fn every_operation_of_a_key_says_without_which_scope_it_is_refused() {
    let document = document().await;
    for route in routes().iter().filter(|route| route.access() == Access::SellerKey) {
        let method = route.method().as_str().to_ascii_lowercase();
        let refused = &document["paths"][route.path()][&method]["responses"]["403"]["description"];
        let refused = refused.as_str().unwrap_or_default();
        let mut scopes = route.scopes().map(|scope| format!("`{}`", scope.name()));
        let named = scopes.all(|scope| refused.contains(&scope));
        assert!(named, "{method} {}: {refused}", route.path());
    }
}

#[tokio::test]
async fn every_reference_leads_somewhere() {
    let document = document().await;
    let mut left = vec![&document];
    let mut found = 0;
    while let Some(value) = left.pop() {
        match value {
            Value::Object(fields) => {
                if let Some(target) = fields.get("$ref").and_then(Value::as_str) {
                    let pointer = target.strip_prefix('#').expect("a local reference");
                    assert!(document.pointer(pointer).is_some(), "{target} leads nowhere");
                    found += 1;
                }
                left.extend(fields.values());
            }
            Value::Array(values) => left.extend(values),
            _ => {}
        }
    }
    assert!(found > 50, "{found}");
}

#[tokio::test]
async fn nothing_is_called_a_float_where_money_is_meant() {
    let document = document().await;
    let schemas = document["components"]["schemas"].as_object().expect("schemas");
    for (name, schema) in schemas {
        let Some(fields) = schema["properties"].as_object() else { continue };
        for (field, schema) in fields.iter().filter(|(field, _)| field.ends_with("Minor")) {
            let kinds = schema["type"].to_string();
            assert!(kinds.contains("integer"), "{name}.{field} is {kinds}");
        }
    }
}

#[tokio::test]
async fn every_write_says_that_a_body_may_be_too_large_whether_it_asks_for_one_or_not() {
    let server = Server::start().await;
    let document = server.anonymous.get("/openapi.json").await.is(200);
    for (name, operation) in operations(&document) {
        let reads = name.starts_with("get ");
        for status in ["408", "413", "415"] {
            assert!(reads || operation["responses"][status].is_object(), "{name}: {status}");
        }
    }
    let seller = server.seller().await;
    let (key, large) = (fresh_uuid(), " ".repeat(1024 * 1024 + 1));
    let headers = [("idempotency-key", key.as_str())];
    let path = "/payments/order-1/cancel";
    seller.payments.send(Method::POST, path, &headers, &large).await.is(413);
    server.close().await;
}

#[tokio::test]
async fn an_object_with_fields_of_the_callers_own_may_have_any() {
    let document = document().await;
    let of = |schema: &str, field: &str| {
        document["components"]["schemas"][schema]["properties"][field].clone()
    };
    for (schema, field) in [
        ("LineItemBody", "componentConfig"),
        ("LineItemView", "componentConfig"),
        ("EventBody", "metadata"),
        ("EventView", "payload"),
        ("PayeeBody", "businessAddress"),
        ("TokenBody", "decryptedData"),
        ("OperationBody", "variables"),
    ] {
        assert_eq!(of(schema, field)["additionalProperties"], true, "{schema}.{field}");
    }
}

#[tokio::test]
async fn a_field_of_a_change_that_must_not_be_null_is_not_documented_as_null() {
    let document = document().await;
    for (name, fields) in [
        ("PatchBody", &["webhookUrl", "eventTypes", "status", "ordered"][..]),
        ("PatchPayeeBody", &["displayName", "role"][..]),
    ] {
        let schema = &document["components"]["schemas"][name];
        assert_eq!(schema["required"], Value::Null, "{name}");
        for field in fields {
            let kind = &schema["properties"][field]["type"];
            assert!(kind.is_string(), "{name}.{field} is {kind}");
        }
    }
}

#[tokio::test]
async fn a_503_of_a_payment_may_say_how_the_payment_stands() {
    let document = document().await;
    for path in ["initialize-payment", "finalize-payment"] {
        let path = &document["paths"][format!("/payments-api/v1/{path}")]["post"];
        let answer = &path["responses"]["503"]["content"]["application/json"]["schema"];
        assert_eq!(answer["$ref"], "#/components/schemas/NotNowView");
    }
    let view = &document["components"]["schemas"]["NotNowView"];
    assert_eq!(view["required"], json!(["error"]));
    for field in ["failureCode", "paymentId", "status", "retry", "failureCategory", "failureStage"]
    {
        assert!(view["properties"][field].is_object(), "{field}");
    }
}

#[tokio::test]
async fn an_inbound_delivery_is_documented_as_one_event_or_several_with_its_signature() {
    let document = document().await;
    let operation = &document["paths"]["/usage/v1/webhooks/{token}"]["post"];
    let body = &operation["requestBody"]["content"]["application/json"]["schema"]["$ref"];
    let body = body.as_str().and_then(|name| name.strip_prefix('#')).expect("a reference");
    let kinds = document.pointer(body).and_then(|body| body["oneOf"].as_array()).expect("kinds");
    let kinds: Vec<_> = kinds.iter().filter_map(|kind| kind["$ref"].as_str()).collect();
    assert_eq!(
        kinds,
        ["#/components/schemas/EventBody", "#/components/schemas/EventBatchBody"],
        "{body}"
    );
    let asked = operation["parameters"].as_array().expect("parameters");
    let headers: Vec<_> = asked
        .iter()
        .filter(|one| one["in"] == "header" && one["required"] == true)
        .filter_map(|one| one["name"].as_str())
        .collect();
    assert_eq!(headers, ["X-Service-Timestamp", "X-Service-Signature"]);
}

#[tokio::test]
async fn every_event_type_is_named_where_one_is_sent_answered_or_asked_for() {
    let document = document().await;
    let schemas = &document["components"]["schemas"];
    let all = EventType::ALL.iter();
    let heard: Vec<&str> =
        all.filter(|kind| !kind.is_call_back()).map(|kind| kind.name()).collect();
    assert_eq!(schemas["WebhookEventType"]["enum"], json!(heard));
    assert_eq!(schemas["EventType"]["enum"], json!(EventType::NAMES));
    for name in ["RegisterBody", "PatchBody", "WebhookView"] {
        let item = &schemas[name]["properties"]["eventTypes"]["items"]["$ref"];
        assert_eq!(item, "#/components/schemas/WebhookEventType", "{name}");
    }
    for name in ["EventView", "DeliveryView"] {
        let kind = &schemas[name]["properties"]["eventType"]["$ref"];
        assert_eq!(kind, "#/components/schemas/EventType", "{name}");
    }
    for path in ["/billing-api/v1/events", "/payments-api/v1/webhook-deliveries"] {
        let asked = document["paths"][path]["get"]["parameters"].as_array().expect("parameters");
        let asked = asked.iter().find(|one| one["name"] == "eventType").expect("a filter");
        assert_eq!(asked["schema"]["enum"], json!(EventType::NAMES), "{path}");
    }
}

#[tokio::test]
async fn every_event_that_comes_is_documented_with_its_time_and_payload() {
    let document = document().await;
    let told = document["webhooks"].as_object().expect("webhooks");
    let come = EventType::ALL.iter().filter(|kind| !kind.is_reserved());
    assert!(told.keys().eq(come.clone().map(|kind| kind.name()).collect::<BTreeSet<_>>()));
    for kind in come {
        let told = &told[kind.name()]["post"];
        let about = told["description"].as_str().expect("when it is told");
        let opt_in = kind.is_opt_in() && !kind.is_call_back();
        assert!(about.starts_with(kind.about()) && about.ends_with('.'), "{about}");
        assert_eq!(about.contains("Opt-in"), opt_in, "{about}");
        let event = &told["requestBody"]["content"]["application/json"]["schema"]["allOf"];
        assert_eq!(event[0]["$ref"], "#/components/schemas/EventView");
        assert_eq!(event[1]["properties"]["eventType"]["enum"], json!([kind.name()]));
        assert!(event[1]["properties"]["payload"]["$ref"].is_string(), "{}", kind.name());
    }
}
