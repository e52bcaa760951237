//! The variables of an operation, by the types that it declares for them: what is of whatever shape
//! keeps its numbers digit for digit, and elsewhere they are those of the library.

use std::collections::BTreeMap;

use async_graphql::parser::types::{BaseType, ExecutableDocument, Type};
use async_graphql::{Name, Value as GraphValue, Variables};

use super::digits;
use super::document;
use super::kind::{JSON, Kind, Member};

/// The members of each input object.
pub(super) type Inputs = BTreeMap<String, Vec<Member>>;

pub(super) fn settle(
    document: &ExecutableDocument,
    operation: Option<&str>,
    variables: &mut Variables,
    inputs: &Inputs,
) {
    let Some(chosen) = document::chosen(document, operation) else { return };
    let kinds: BTreeMap<&Name, Kind> = chosen
        .variable_definitions
        .iter()
        .map(|declared| (&declared.node.name.node, kind_of(&declared.node.var_type.node)))
        .collect();
    for (name, value) in variables.iter_mut() {
        // What is not declared is not used.
        let kind = kinds.get(name).unwrap_or(&Kind::Text);
        *value = settled(std::mem::take(value), kind, inputs);
    }
}

fn kind_of(declared: &Type) -> Kind {
    match &declared.base {
        BaseType::List(item) => Kind::List(Box::new(kind_of(item))),
        BaseType::Named(name) if name.as_str() == JSON => Kind::Json,
        BaseType::Named(name) => Kind::Object(name.to_string()),
    }
}

fn settled(value: GraphValue, kind: &Kind, inputs: &Inputs) -> GraphValue {
    match (kind, value) {
        (Kind::Json, value) => value,
        (Kind::List(item), GraphValue::List(items)) => {
            items.into_iter().map(|one| settled(one, item, inputs)).collect()
        }
        // One value stands for a list of one.
        (Kind::List(item), one) => settled(one, item, inputs),
        (Kind::Object(name), GraphValue::Object(fields)) if inputs.contains_key(name) => {
            let kind = |field: &Name| {
                let member = inputs[name].iter().find(|member| member.name == field.as_str());
                member.map_or(&Kind::Text, |member| &member.kind)
            };
            let fields = fields.into_iter().map(|(name, value)| {
                let value = settled(value, kind(&name), inputs);
                (name, value)
            });
            GraphValue::Object(fields.collect())
        }
        (_, value) => digits::rounded(value),
    }
}
