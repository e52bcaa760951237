//! The API document of these routes.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::*;
use crate::gate::{Access, render};

fn whole() -> (Vec<Route>, Value) {
    let document = serde_json::from_slice(&render(routes())).expect("JSON");
    (routes(), document)
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
    for shape in routes().iter().flat_map(|route| route.document.shapes()) {
        let mut schemas = vec![((shape.name)(), (shape.schema)())];
        (shape.others)(&mut schemas);
        for (name, schema) in schemas {
            let schema = serde_json::to_value(&schema).expect("JSON");
            let before = known.entry(name.clone()).or_insert_with(|| schema.clone());
            assert_eq!(*before, schema, "two shapes are called {name}");
        }
    }
}
