//! Where `null` may stand. A Rust `Option` is documented as a field that may be `null` or left
//! out; of a field that must be there, and of one that is left out of answers when it has no value,
//! only one of the two is true.

use utoipa::openapi::schema::{SchemaType, Type};
use utoipa::openapi::{RefOr, Schema};

/// A body: a field that must be there must not be `null`. No field has `null` as its default,
/// which generators take for a value that is always there.
pub(super) fn taken(schema: &mut RefOr<Schema>) {
    each_field(schema, &mut |field, is_required| {
        without_default(field);
        if is_required {
            without_null(field);
        }
    });
}

/// An answer: a field that may be left out is never `null`.
pub(super) fn answered(schema: &mut RefOr<Schema>) {
    each_field(schema, &mut |field, is_required| {
        if !is_required {
            without_null(field);
        }
    });
}

/// Every field of an object, of its parts and of its kinds, with whether it must be there.
pub(super) fn each_field(
    schema: &mut RefOr<Schema>,
    change: &mut impl FnMut(&mut RefOr<Schema>, bool),
) {
    let RefOr::T(schema) = schema else { return };
    match schema {
        Schema::Object(object) => {
            for (name, field) in &mut object.properties {
                each_field(field, change);
                change(field, object.required.contains(name));
            }
        }
        Schema::AllOf(all) => all.items.iter_mut().for_each(|part| each_field(part, change)),
        Schema::OneOf(one) => one.items.iter_mut().for_each(|kind| each_field(kind, change)),
        _ => {}
    }
}

fn without_default(field: &mut RefOr<Schema>) {
    let default = match field {
        RefOr::T(Schema::Object(object)) => &mut object.default,
        RefOr::T(Schema::Array(array)) => &mut array.default,
        RefOr::T(Schema::OneOf(one)) => &mut one.default,
        _ => return,
    };
    if default.as_ref().is_some_and(serde_json::Value::is_null) {
        *default = None;
    }
}

fn without_null(field: &mut RefOr<Schema>) {
    match field {
        RefOr::T(Schema::Object(object)) => one_type(&mut object.schema_type),
        RefOr::T(Schema::Array(array)) => one_type(&mut array.schema_type),
        RefOr::T(Schema::OneOf(one)) => {
            one.items.retain(|kind| !is_null(kind));
            if one.items.len() == 1 {
                *field = one.items.remove(0);
            }
        }
        _ => {}
    }
}

pub(super) fn is_null(schema: &RefOr<Schema>) -> bool {
    let null = SchemaType::Type(Type::Null);
    matches!(schema, RefOr::T(Schema::Object(object)) if object.schema_type == null)
}

fn one_type(kind: &mut SchemaType) {
    let SchemaType::Array(kinds) = kind else { return };
    kinds.retain(|kind| *kind != Type::Null);
    if let [only] = kinds.as_slice() {
        *kind = SchemaType::Type(only.clone());
    }
}

#[cfg(test)]
mod tests {
    use serde::{Deserialize, Serialize};
    use serde_json::{Value, json};
    use utoipa::{PartialSchema, ToSchema};

    use super::*;

    #[derive(Serialize, Deserialize, ToSchema)]
    struct Thing {
        #[schema(required)]
        must: Option<u32>,
        may: Option<String>,
        #[serde(default)]
        other: Option<Vec<String>>,
    }

    fn after(pass: fn(&mut RefOr<Schema>)) -> Value {
        let mut schema = Thing::schema();
        pass(&mut schema);
        let schema = serde_json::to_value(schema).expect("JSON");
        json!(["must", "may", "other"].map(|name| schema["properties"][name]["type"].clone()))
    }

    #[test]
    fn what_must_be_sent_must_not_be_null() {
        assert_eq!(after(taken), json!(["integer", ["string", "null"], ["array", "null"]]));
    }

    #[test]
    fn what_may_be_left_out_of_an_answer_is_never_null() {
        assert_eq!(after(answered), json!([["integer", "null"], "string", "array"]));
    }
}
