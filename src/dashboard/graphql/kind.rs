//! The types of GraphQL, made of the schemas of the API document: what REST answers and takes,
//! GraphQL answers and takes under the same names.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

/// What a value is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Text,
    /// An id; REST has a number or a text for it.
    Id {
        number: bool,
    },
    /// 32 bits.
    Int,
    /// 64 bits.
    Long,
    Float,
    Bool,
    /// Of whatever shape.
    Json,
    List(Box<Self>),
    /// An object by its name.
    Object(String),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Member {
    pub(super) name: String,
    pub(super) kind: Kind,
    pub(super) required: bool,
    pub(super) about: Option<String>,
}

/// The objects that were met, by name.
pub(super) struct Kinds<'a> {
    document: &'a Value,
    /// Whether they are taken rather than answered: both have names of their own.
    taken: bool,
    pub(super) objects: BTreeMap<String, Vec<Member>>,
}

/// The 64-bit numbers, and what is of whatever shape.
pub(super) const LONG: &str = "Int64";
pub(super) const JSON: &str = "JSON";

impl<'a> Kinds<'a> {
    /// Of what is answered.
    pub(super) fn answered(document: &'a Value) -> Self {
        Self { document, taken: false, objects: BTreeMap::new() }
    }

    /// Of what is taken.
    pub(super) fn taken(document: &'a Value) -> Self {
        Self { document, taken: true, objects: BTreeMap::new() }
    }

    /// What a schema describes; `field` is the name that a value has, `named` the name of an
    /// object that has none of its own.
    pub(super) fn of(&mut self, schema: &Value, field: &str, named: &str) -> Kind {
        if let Some(reference) = schema["$ref"].as_str() {
            let name = reference.rsplit('/').next().unwrap_or_default();
            let document = self.document;
            return self.of(&document["components"]["schemas"][name], field, &shown(name));
        }
        for choice in ["oneOf", "anyOf", "allOf"] {
            if let Some(choices) = schema[choice].as_array() {
                let mut some = choices.iter().filter(|one| one["type"] != "null");
                return match (some.next(), some.next()) {
                    (Some(only), None) => self.of(only, field, named),
                    _ if choice == "allOf" => self.object(schema, named),
                    _ => Kind::Json,
                };
            }
        }
        match type_of(schema) {
            "string" if is_id(field) => Kind::Id { number: false },
            "string" => Kind::Text,
            "boolean" => Kind::Bool,
            "integer" if is_id(field) => Kind::Id { number: true },
            "integer" if field.ends_with("Minor") || schema["format"] == "int64" => Kind::Long,
            "integer" => Kind::Int,
            "number" => Kind::Float,
            "array" => {
                let item = field.strip_suffix('s').unwrap_or(field);
                Kind::List(Box::new(self.of(&schema["items"], item, named)))
            }
            "object" if schema["properties"].is_object() => self.object(schema, named),
            _ => Kind::Json,
        }
    }

    /// The members of an object that is met here for the first time.
    fn object(&mut self, schema: &Value, named: &str) -> Kind {
        let name = self.name(named);
        if !self.objects.contains_key(&name) {
            // An object that holds itself is known by now.
            self.objects.insert(name.clone(), Vec::new());
            let members = self.members(schema, named);
            self.objects.insert(name.clone(), members);
        }
        Kind::Object(name)
    }

    fn name(&self, named: &str) -> String {
        match self.taken && !named.ends_with("Input") {
            true => format!("{named}Input"),
            false => named.to_owned(),
        }
    }

    pub(super) fn resolved<'s>(&self, schema: &'s Value) -> &'s Value
    where
        'a: 's,
    {
        match schema["$ref"].as_str() {
            Some(reference) => {
                let name = reference.rsplit('/').next().unwrap_or_default();
                &self.document["components"]["schemas"][name]
            }
            None => schema,
        }
    }

    /// The members of an object, those of the parts that it is made of first.
    pub(super) fn members(&mut self, schema: &Value, named: &str) -> Vec<Member> {
        let mut members = Vec::new();
        for part in schema["allOf"].as_array().into_iter().flatten() {
            let part = self.resolved(part).clone();
            members.extend(self.members(&part, named));
        }
        let none = Map::new();
        let properties = schema["properties"].as_object().unwrap_or(&none);
        let required = |name: &str| {
            let listed = schema["required"].as_array();
            listed.is_some_and(|listed| listed.iter().any(|one| one == name))
        };
        members.extend(properties.iter().map(|(name, schema)| Member {
            name: name.clone(),
            kind: self.of(schema, name, &format!("{named}{}", capital(name))),
            required: required(name) && !may_be_null(schema),
            about: schema["description"].as_str().map(str::to_owned),
        }));
        members
    }
}

fn may_be_null(schema: &Value) -> bool {
    let is_null = |kind: &Value| *kind == "null";
    let listed = schema["type"].as_array().is_some_and(|kinds| kinds.iter().any(is_null));
    let choices = schema["oneOf"].as_array();
    listed || choices.is_some_and(|all| all.iter().any(|one| is_null(&one["type"])))
}

/// The one type that is not null; none where there are several.
fn type_of(schema: &Value) -> &str {
    match &schema["type"] {
        Value::Array(types) => {
            let mut some = types.iter().filter_map(Value::as_str).filter(|name| *name != "null");
            match (some.next(), some.next()) {
                (Some(only), None) => only,
                _ => "",
            }
        }
        one => one.as_str().unwrap_or_default(),
    }
}

fn is_id(field: &str) -> bool {
    field == "id" || field.ends_with("Id")
}

pub(super) fn capital(name: &str) -> String {
    let mut letters = name.chars();
    let first = letters.next().map(|letter| letter.to_ascii_uppercase());
    first.into_iter().chain(letters).collect()
}

/// The name of a type: that of the schema, without what tells a view from a body.
fn shown(name: &str) -> String {
    let name = name.strip_suffix("View").unwrap_or(name);
    match name {
        // GraphQL has operations of these names.
        "Query" | "Mutation" | "Subscription" => format!("Billing{name}"),
        _ => name.replace(|c: char| !c.is_ascii_alphanumeric(), "_"),
    }
}

/// A value of GraphQL as REST takes it.
pub(super) fn to_rest(kinds: &BTreeMap<String, Vec<Member>>, kind: &Kind, value: Value) -> Value {
    match (kind, value) {
        (Kind::Id { number: true }, Value::String(text)) => match text.parse::<u64>() {
            Ok(number) => number.into(),
            Err(_) => Value::String(text),
        },
        (Kind::List(item), Value::Array(items)) => {
            items.into_iter().map(|value| to_rest(kinds, item, value)).collect()
        }
        (Kind::Object(name), Value::Object(fields)) => {
            let members = kinds.get(name).map(Vec::as_slice).unwrap_or_default();
            let rest = fields.into_iter().map(|(name, value)| {
                let member = members.iter().find(|member| member.name == name);
                let value = match member {
                    Some(member) => to_rest(kinds, &member.kind, value),
                    None => value,
                };
                (name, value)
            });
            Value::Object(rest.collect())
        }
        (_, value) => value,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_schema_says_what_a_value_is() {
        let document = json!({"components": {"schemas": {
            "ThingView": {"type": "object", "required": ["id"], "properties": {
                "id": {"type": "integer", "format": "int64"},
                "amountMinor": {"type": ["integer", "null"]},
                "size": {"type": "integer", "format": "int32"},
                "parts": {"type": "array", "items": {"$ref": "#/components/schemas/ThingView"}},
                "maybe": {"oneOf": [{"type": "null"}, {"$ref": "#/components/schemas/ThingView"}]},
                "either": {"oneOf": [{"type": "string"}, {"type": "integer"}]},
                "free": {"type": "object"},
                "loose": {"type": ["string", "object", "null"]},
                "own": {"type": "object", "properties": {"text": {"type": "string"}}},
            }},
            "WholeView": {"allOf": [
                {"$ref": "#/components/schemas/ThingView"},
                {"type": "object", "required": ["last"], "properties": {"last": {"type": "boolean"}}},
            ]},
        }}});
        let mut kinds = Kinds::answered(&document);
        let thing = Kind::Object("Thing".to_owned());
        let schema = json!({"$ref": "#/components/schemas/ThingView"});
        assert_eq!(kinds.of(&schema, "thing", ""), thing);
        let members = &kinds.objects["Thing"];
        let kind = |name: &str| {
            let member = members.iter().find(|member| member.name == name);
            member.expect("a member").kind.clone()
        };
        assert_eq!(kind("id"), Kind::Id { number: true });
        assert_eq!((kind("amountMinor"), kind("size")), (Kind::Long, Kind::Int));
        assert_eq!(kind("parts"), Kind::List(Box::new(thing.clone())));
        assert_eq!((kind("maybe"), kind("either"), kind("free")), (thing, Kind::Json, Kind::Json));
        assert_eq!(kind("loose"), Kind::Json);
        assert_eq!(kind("own"), Kind::Object("ThingOwn".to_owned()));
        let asked = json!({"id": "7", "parts": [{"id": "x"}], "free": {"id": "1"}});
        let rest = json!({"id": 7, "parts": [{"id": "x"}], "free": {"id": "1"}});
        assert_eq!(to_rest(&kinds.objects, &Kind::Object("Thing".to_owned()), asked), rest);
        let schema = json!({"$ref": "#/components/schemas/WholeView"});
        assert_eq!(kinds.of(&schema, "whole", ""), Kind::Object("Whole".to_owned()));
        let whole = kinds.objects["Whole"].iter();
        let names: Vec<(&str, bool)> = whole.map(|one| (one.name.as_str(), one.required)).collect();
        assert_eq!((names.len(), names[9]), (10, ("last", true)));
        assert!(names.contains(&("id", true)), "{names:?}");
    }
}
