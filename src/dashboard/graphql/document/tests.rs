use async_graphql::parser::parse_query;

use super::*;

/// Why a document is refused, if it is.
fn refusal(document: &str) -> Option<String> {
    refusal_with(document, serde_json::json!({}))
}

fn refusal_with(document: &str, variables: serde_json::Value) -> Option<String> {
    let document = parse_query(document).expect("a document");
    let variables = Variables::from_json(variables);
    check(&document, &variables).err().map(|error| error.message)
}

/// Fragments that each spread the next one so many times, down to `last`.
fn chain(length: usize, times: usize, last: &str) -> String {
    let mut document = format!("{{ ...F0 }} fragment F{length} on Query {{ {last} }} ");
    for number in 0..length {
        let spreads = format!("...F{} ", number + 1).repeat(times);
        document.push_str(&format!("fragment F{number} on Query {{ {spreads} }} "));
    }
    document
}

#[test]
fn fragments_that_multiply_each_other_are_refused_at_once() {
    for last in ["me { id }", "...Unknown"] {
        let refused = refusal(&chain(28, 10, last)).expect("a refusal");
        assert!(refused.contains("too complex"), "{refused}");
    }
    assert!(refusal(&chain(3, 10, "me { id }")).is_some());
    assert_eq!(refusal(&chain(2, 10, "me { id }")), None);
}

#[test]
fn a_fragment_within_itself_or_beyond_bounds_is_refused() {
    let table = [
        ("{ ...A } fragment A on Query { ...A }", "within itself"),
        ("{ ...A } fragment A on Query { ...B } fragment B on Query { me { ...A } }", "itself"),
        ("{ me { id } } fragment A on Query { ...A }", "never used"),
        (&chain(40, 1, "me { id }"), "too deep"),
        (&format!("{{ {} id {} }}", "a { ".repeat(16), "} ".repeat(16)), "too deep"),
        (&format!("{{ {} id {} }}", "... { ".repeat(40), "} ".repeat(40)), "too deep"),
        (&format!("{{ {} }}", "id ".repeat(1_501)), "too complex"),
        (&format!("query A {{ {0} }} query B {{ {0} }}", "id ".repeat(751)), "too complex"),
    ];
    for (document, expected) in table {
        let refused = refusal(document).unwrap_or_default();
        assert!(refused.contains(expected), "{document}: {refused}");
    }
    let within = [
        format!("{{ {} id {} }}", "a { ".repeat(15), "} ".repeat(15)),
        format!("{{ {} }}", "id ".repeat(1_500)),
        "{ ...Unknown }".to_owned(),
    ];
    for document in within {
        assert_eq!(refusal(&document), None);
    }
}

#[test]
fn an_introspection_shows_everything_once() {
    let usual = "query IntrospectionQuery { __schema {
            queryType { name } mutationType { name } subscriptionType { name }
            types { ...FullType }
            directives { name description locations args { ...InputValue } } } }
        fragment FullType on __Type { kind name description
            fields(includeDeprecated: true) { name description args { ...InputValue }
                type { ...TypeRef } isDeprecated deprecationReason }
            inputFields { ...InputValue } interfaces { ...TypeRef }
            enumValues(includeDeprecated: true) { name description } possibleTypes { ...TypeRef } }
        fragment InputValue on __InputValue { name description type { ...TypeRef } defaultValue }
        fragment TypeRef on __Type { kind name ofType { kind name ofType { kind name ofType {
            kind name ofType { kind name ofType { kind name ofType { kind name ofType {
            kind name } } } } } } } }";
    assert_eq!(refusal(usual), None);
    let table = [
        "{ __schema { types { a: name b: name } } }",
        "{ __schema { types { fields { name } more: fields { name } } } }",
        "{ __schema { types { ...A ...A } } } fragment A on __Type { fields { name } }",
        "{ __schema { types { name } } again: __schema { types { name } } }",
        "{ __type(name: \"Query\") { fields { type { fields { name } } } } }",
        "{ __schema { types { fields { args { type { inputFields { name } } } } } } }",
    ];
    for document in table {
        let refused = refusal(document).unwrap_or_default();
        assert!(refused.contains("introspection"), "{document}: {refused}");
    }
}

#[test]
fn a_large_variable_stands_in_few_places() {
    let places = |spreads: usize| {
        let fragment = "fragment F on Query { a(b: [{c: $v}]) d @skip(if: $v) }";
        format!("query($v: JSON) {{ {} }} {fragment}", "...F ".repeat(spreads))
    };
    let variables = serde_json::json!({"v": vec![0; 100_000]});
    assert_eq!(refusal_with(&places(2), variables.clone()), None);
    let refused = refusal_with(&places(3), variables).unwrap_or_default();
    assert!(refused.contains("too complex"), "{refused}");
}
