//! Objects with fields of the caller's own. Where a schema says no more of a field than that it is
//! an object, generators of clients take it for one that is always empty.

use utoipa::openapi::schema::{AdditionalProperties, ArrayItems, SchemaType, Type};
use utoipa::openapi::{Object, RefOr, Schema};

use super::nulls::each_field;

/// Says of every field that is such an object that it may have any fields.
pub(super) fn open(schema: &mut RefOr<Schema>) {
    each_field(schema, &mut |field, _| open_field(field));
}

fn open_field(field: &mut RefOr<Schema>) {
    match field {
        RefOr::T(Schema::Object(object)) if is_free(object) => {
            object.additional_properties = Some(Box::new(AdditionalProperties::FreeForm(true)));
        }
        RefOr::T(Schema::Array(array)) => {
            if let ArrayItems::RefOrSchema(item) = &mut array.items {
                open_field(item);
            }
        }
        RefOr::T(Schema::OneOf(one)) => one.items.iter_mut().for_each(open_field),
        _ => {}
    }
}

fn is_free(object: &Object) -> bool {
    let may_be_object = match &object.schema_type {
        SchemaType::Type(kind) => *kind == Type::Object,
        SchemaType::Array(kinds) => kinds.contains(&Type::Object),
        SchemaType::AnyValue => false,
    };
    may_be_object && object.properties.is_empty() && object.additional_properties.is_none()
}

#[cfg(test)]
mod tests {
    use serde_json::Value;
    use utoipa::{PartialSchema, ToSchema};

    use super::*;

    #[derive(ToSchema)]
    #[expect(dead_code, reason = "its schema is looked at")]
    struct Thing {
        #[schema(value_type = Object)]
        free: Value,
        #[schema(value_type = Option<Object>)]
        may_be_none: Option<Value>,
        #[schema(value_type = Vec<Object>)]
        several: Vec<Value>,
        text: String,
    }

    #[test]
    fn an_object_of_which_nothing_is_said_may_have_any_fields() {
        let mut schema = Thing::schema();
        open(&mut schema);
        let schema = serde_json::to_value(schema).expect("JSON");
        let fields = &schema["properties"];
        assert_eq!(fields["free"]["additionalProperties"], true);
        assert_eq!(fields["may_be_none"]["additionalProperties"], true);
        assert_eq!(fields["several"]["items"]["additionalProperties"], true);
        assert_eq!(fields["text"]["additionalProperties"], Value::Null);
    }
}
