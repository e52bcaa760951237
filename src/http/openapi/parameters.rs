//! Parameters of operations.

use utoipa::Number;
use utoipa::openapi::path::{Parameter, ParameterBuilder, ParameterIn};
use utoipa::openapi::schema::{KnownFormat, SchemaFormat, Type};
use utoipa::openapi::{Object, ObjectBuilder, Required};

use crate::http::route::document::{Asked, Value};
use crate::http::route::{Idempotency, Route};

/// The largest id: 2^53 - 1.
const LAST_ID: usize = (1 << 53) - 1;

/// All parameters of a route, the idempotency header included.
pub(super) fn of(route: &Route) -> Vec<Parameter> {
    let header = idempotency(route.idempotency());
    route.document.asks.iter().map(asked).chain(header).collect()
}

fn asked(asked: &Asked) -> Parameter {
    let (place, required) = match asked.in_path {
        true => (ParameterIn::Path, Required::True),
        false => (ParameterIn::Query, Required::False),
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
        Value::Cursor => integer(KnownFormat::Int64).minimum(Some(Number::UInt(0))).build(),
    }
}

fn idempotency(rule: Idempotency) -> Option<Parameter> {
    let text = ObjectBuilder::new().schema_type(Type::String);
    let schema = match rule {
        Idempotency::None => return None,
        Idempotency::Billing => text
            .min_length(Some(1))
            .max_length(Some(128))
            .pattern(Some(
                "^(?!(proration|proration-grant|redeem|subscription|credit_note|refund|\
                 usage-adjustment):)[A-Za-z0-9_.:-]{1,128}$",
            ))
            .build(),
        Idempotency::Payments | Idempotency::PaymentsFirst => {
            text.format(Some(SchemaFormat::Custom("uuid".to_owned()))).build()
        }
    };
    let parameter = ParameterBuilder::new()
        .name("Idempotency-Key")
        .parameter_in(ParameterIn::Header)
        .required(Required::True)
        .description(Some("Names this write: the same key makes one object, whatever happens."))
        .schema(Some(schema))
        .build();
    Some(parameter)
}
