//! Parameters of operations.

use utoipa::Number;
use utoipa::openapi::path::{Parameter, ParameterBuilder, ParameterIn};
use utoipa::openapi::schema::{KnownFormat, SchemaFormat, Type};
use utoipa::openapi::{Object, ObjectBuilder, Required};

use crate::http::route::document::{Asked, Part, Value};

/// The largest id: 2^53 - 1.
const LAST_ID: usize = (1 << 53) - 1;

pub(super) fn of(asked: &Asked) -> Parameter {
    let (place, required) = match asked.part {
        Part::Path => (ParameterIn::Path, Required::True),
        Part::Query => (ParameterIn::Query, Required::False),
        Part::NeededQuery => (ParameterIn::Query, Required::True),
        Part::Header => (ParameterIn::Header, Required::True),
        Part::OptionalHeader => (ParameterIn::Header, Required::False),
    };
    ParameterBuilder::new()
        .name(asked.name)
        .parameter_in(place)
        .required(required)
        .description(Some(asked.about))
        .schema(Some(schema(asked.value)))
        .build()
}

fn schema(value: Value) -> Object {
    let integer = |format| {
        ObjectBuilder::new()
            .schema_type(Type::Integer)
            .format(Some(SchemaFormat::KnownFormat(format)))
    };
    let text = || ObjectBuilder::new().schema_type(Type::String);
    match value {
        Value::Id => integer(KnownFormat::Int64)
            .minimum(Some(Number::UInt(1)))
            .maximum(Some(Number::UInt(LAST_ID)))
            .build(),
        Value::Text => text().min_length(Some(1)).build(),
        Value::OneOf(words) => text().enum_values(Some(words.iter().copied())).build(),
        Value::Time => text().description(Some("A date, or an RFC 3339 instant.")).build(),
        Value::Limit => integer(KnownFormat::Int32)
            .minimum(Some(Number::UInt(1)))
            .maximum(Some(Number::UInt(100)))
            .default(Some(20.into()))
            .build(),
        Value::Count(most) => integer(KnownFormat::Int32)
            .minimum(Some(Number::UInt(1)))
            .maximum(Some(Number::UInt(most)))
            .build(),
        Value::Amount => integer(KnownFormat::Int64).minimum(Some(Number::UInt(1))).build(),
        Value::Uuid => text().format(Some(SchemaFormat::Custom("uuid".to_owned()))).build(),
        Value::Pattern { max, pattern } => {
            text().min_length(Some(1)).max_length(Some(max)).pattern(Some(pattern)).build()
        }
        Value::Cursor => integer(KnownFormat::Int64).minimum(Some(Number::UInt(0))).build(),
    }
}
