//! The API document of these routes.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::*;
use crate::gate::{Access, render};

fn whole() -> (Vec<Route>, Value) {
    let document = serde_json::from_slice(&render(routes())).expect("JSON");
    (routes(), document)
}

/// Those of the dashboard's own too, which have a document of their own with the others.
fn all_routes() -> Vec<Route> {
    [routes(), crate::dashboard::own::routes()].concat()
}

#[test]
fn every_route_has_an_operation_and_every_operation_a_route() {
    let (routes, document) = whole();
    assert_eq!(document["openapi"], "3.1.0");
    let declared: BTreeSet<String> = routes
        .iter()
        .map(|route| format!("{} {}", route.method().as_str().to_lowercase(), route.path()))
        .collect();
    let paths = document["paths"].as_object().expect("paths");
    let served: BTreeSet<String> = paths
        .iter()
        .flat_map(|(path, item)| {
            let methods = item.as_object().expect("an item").keys();
            methods.map(move |method| format!("{method} {path}"))
        })
        .collect();
    assert_eq!(declared, served);
}

#[test]
fn every_operation_says_what_it_does_and_how_it_can_end() {
    let (routes, document) = whole();
    let mut ids = BTreeSet::new();
    for route in routes {
        let name = format!("{} {}", route.method(), route.path());
        let method = route.method().as_str().to_lowercase();
        let operation = &document["paths"][route.path()][method];
        let summary = operation["summary"].as_str().unwrap_or_default();
        assert!(!summary.is_empty(), "{name} has no summary");
        let id = operation["operationId"].as_str().unwrap_or_default();
        assert!(ids.insert(id.to_owned()), "{name} shares the id {id}");
        let answers = operation["responses"].as_object().expect("answers");
        assert!(
            answers.keys().any(|status| status.starts_with('2') || status == "303"),
            "{name} never succeeds"
        );
        let mut demanded = vec!["500"];
        if route.access() == Access::SellerKey {
            demanded.extend(["401", "403", "429", "503"]);
        }
        if !route.ids.is_empty() {
            demanded.extend(["400", "404"]);
        }
        for status in demanded {
            assert!(answers.contains_key(status), "{name} hides {status}");
        }
    }
}

#[test]
fn every_write_of_the_operator_says_which_account_it_is_about() {
    let of_no_account = [
        "/backoffice/v1/passes/{name}/run",
        "/backoffice/v1/parked/retry",
        "/backoffice/v1/resume",
        // It makes one.
        "/backoffice/v1/sellers",
        "/backoffice/v1/verify",
    ];
    let writes = routes().into_iter().filter(|route| {
        route.surface() == Surface::Backoffice && route.method() != hyper::Method::GET
    });
    let untold: BTreeSet<&str> =
        writes.filter(|route| !route.tells_an_account()).map(|route| route.path()).collect();
    assert_eq!(untold, BTreeSet::from(of_no_account));
}

#[test]
fn every_reference_leads_to_a_schema() {
    fn references(value: &Value, found: &mut BTreeSet<String>) {
        match value {
            Value::Object(fields) => {
                if let Some(Value::String(to)) = fields.get("$ref") {
                    found.insert(to.clone());
                }
                fields.values().for_each(|value| references(value, found));
            }
            Value::Array(items) => items.iter().for_each(|value| references(value, found)),
            _ => {}
        }
    }
    let (_, document) = whole();
    let mut found = BTreeSet::new();
    references(&document, &mut found);
    for reference in found {
        let pointer = reference.strip_prefix('#').expect("a reference within the document");
        assert!(document.pointer(pointer).is_some(), "{reference} leads nowhere");
    }
}

#[test]
fn no_two_shapes_have_one_name() {
    let mut known = BTreeMap::new();
    for shape in all_routes().iter().flat_map(|route| route.document.shapes()) {
        let mut schemas = vec![((shape.name)(), (shape.schema)())];
        (shape.others)(&mut schemas);
        for (name, schema) in schemas {
            let schema = serde_json::to_value(&schema).expect("JSON");
            if schema["type"] == "array" {
                // A list stands where it is used, without its name.
                continue;
            }
            let before = known.entry(name.clone()).or_insert_with(|| schema.clone());
            assert_eq!(*before, schema, "two shapes are called {name}");
        }
    }
}

/// GraphQL calls its types like the shapes, without the ending that tells a view.
#[test]
fn no_two_shapes_have_one_name_in_graphql() {
    let mut known = BTreeMap::new();
    let all = all_routes();
    let operations = all.iter().filter(|route| !route.is_page());
    for shape in operations.flat_map(|route| route.document.answered()) {
        let mut schemas = vec![((shape.name)(), (shape.schema)())];
        (shape.others)(&mut schemas);
        for (name, schema) in schemas {
            let Ok(Value::Object(fields)) = serde_json::to_value(&schema) else { continue };
            if !fields.contains_key("properties") && !fields.contains_key("allOf") {
                continue;
            }
            let short = name.strip_suffix("View").unwrap_or(&name).to_owned();
            let before = known.entry(short).or_insert_with(|| name.clone());
            assert_eq!(*before, name, "GraphQL calls both by one name");
        }
    }
}

#[test]
fn every_operation_of_the_api_has_a_name_for_clients() {
    let (routes, document) = whole();
    let mut firsts = BTreeSet::new();
    for route in routes.iter().filter(|route| {
        matches!(route.surface(), Surface::Billing | Surface::Payments | Surface::Backoffice)
    }) {
        let path = route.path().replace("/usage/v1/", "/billing-api/v1/usage/");
        let is_first =
            firsts.insert((route.method().clone(), path.replace("/usage/prices", "/prices")));
        let method = route.method().as_str().to_lowercase();
        let id = document["paths"][route.path()][&method]["operationId"].as_str();
        let of_path = id.is_some_and(|id| id.contains("V1"));
        assert_eq!(of_path, !is_first, "{} {} is called {id:?}", route.method(), route.path());
    }
}

#[test]
fn every_heading_has_its_text_and_every_text_its_heading() {
    let (routes, document) = whole();
    let used: BTreeSet<&str> = routes.iter().map(|route| route.document.tag).collect();
    let parts = crate::docs::PARTS.iter().flat_map(|(_, parts)| *parts);
    let told: BTreeSet<&str> = parts.map(|(name, _)| *name).collect();
    assert_eq!(used, told);
    let tags = document["tags"].as_array().expect("tags");
    assert_eq!(tags[0]["name"], "Sandbox");
    assert!(tags.iter().all(|tag| tag["description"].as_str().is_some_and(|it| it.len() > 40)));
    let groups = document["x-tagGroups"].as_array().expect("groups");
    let grouped: Vec<&Value> =
        groups.iter().flat_map(|group| group["tags"].as_array().expect("tags")).collect();
    assert_eq!(grouped, tags.iter().map(|tag| &tag["name"]).collect::<Vec<_>>());
}
