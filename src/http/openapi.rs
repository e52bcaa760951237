//! The API document (OpenAPI 3.1), made of the declarations that the router serves.

mod answers;
mod parameters;

use bytes::Bytes;
use utoipa::openapi::path::{HttpMethod, Operation, OperationBuilder, PathItem};
use utoipa::openapi::request_body::RequestBodyBuilder;
use utoipa::openapi::security::{Http, HttpAuthScheme, SecurityRequirement, SecurityScheme};
use utoipa::openapi::{
    Components, ComponentsBuilder, ContentBuilder, InfoBuilder, LicenseBuilder, OpenApi,
    OpenApiBuilder, PathsBuilder, Ref, RefOr, Required, Schema,
};

use super::route::document::{Body, JSON, Shape};
use super::route::{Access, Route};

const SELLER_KEY: &str = "sellerKey";
const OPERATOR_TOKEN: &str = "operatorToken";

const ABOUT: &str = "\
Contracts, subscriptions, invoices and payments of a seller.\n\n\
JSON names are camelCase; a field without a value is left out. Money is integer minor units, \
timestamps are RFC 3339 UTC, periods include their first day and exclude their last. Ids are \
positive integers below 2^53. Errors are `{\"error\": \"…\"}`; answers of the authentication \
layer are plain text. Every answer carries `X-Request-Id`. A body over 1 MiB is `413`.\n\n\
Lists take `limit` (1-100, default 20) and `cursor`; the original names of the cursors, \
`afterId` and `beforeId`, still work. An id of another seller is `404`. A replayed write \
answers `200` with `Idempotent-Replayed: true`; a same-key retry of a failed payment is `202`. \
A write that was refused does not spend its key.\n\n\
Billing and payments have a rate budget for each seller. Their answers tell of it in \
`X-RateLimit-Limit` (requests an hour), `X-RateLimit-Remaining`, `X-RateLimit-Reset` (seconds \
until it is full), `RateLimit-Policy` and `RateLimit`; `429` and `503` carry `Retry-After` in \
whole seconds.";

/// The document of `routes` as JSON.
pub(super) fn render(routes: &[Route]) -> Bytes {
    serde_json::to_vec(&document(routes)).expect("a document of texts and numbers").into()
}

fn document(routes: &[Route]) -> OpenApi {
    let mut paths = PathsBuilder::new();
    for route in routes {
        let item = PathItem::new(method(route), operation(route));
        paths = paths.path(route.path, item);
    }
    let licence = LicenseBuilder::new().name("Apache-2.0").identifier(Some("Apache-2.0")).build();
    let info = InfoBuilder::new()
        .title("Accrue")
        .version(env!("CARGO_PKG_VERSION"))
        .description(Some(ABOUT))
        .license(Some(licence));
    OpenApiBuilder::new().info(info).paths(paths).components(Some(components(routes))).build()
}

fn method(route: &Route) -> HttpMethod {
    match route.method.as_str() {
        "POST" => HttpMethod::Post,
        "PUT" => HttpMethod::Put,
        "PATCH" => HttpMethod::Patch,
        "DELETE" => HttpMethod::Delete,
        _ => HttpMethod::Get,
    }
}

fn operation(route: &Route) -> Operation {
    let document = &route.document;
    let mut operation = OperationBuilder::new()
        .operation_id(Some(operation_id(route)))
        .summary(Some(document.summary))
        .description(document.description)
        .tag(document.tag)
        .request_body(document.body.as_ref().map(|body| request_body(route, body)))
        .responses(answers::of(route));
    for parameter in parameters::of(route) {
        operation = operation.parameter(parameter);
    }
    let none: [&str; 0] = [];
    match route.access() {
        Access::Open => operation,
        Access::SellerKey => operation.security(SecurityRequirement::new(SELLER_KEY, none)),
        Access::Operator => operation.security(SecurityRequirement::new(OPERATOR_TOKEN, none)),
    }
    .build()
}

/// `GET /a/{b}/c` is `getAByBC`: stable as long as the path is.
fn operation_id(route: &Route) -> String {
    let mut id = route.method.as_str().to_ascii_lowercase();
    let words = route.path.split(|c: char| !c.is_ascii_alphanumeric() && c != '{');
    for word in words.filter(|word| !word.is_empty()) {
        let (by, word) = word.strip_prefix('{').map_or(("", word), |word| ("By", word));
        id.push_str(by);
        id.extend(word.chars().take(1).map(|c| c.to_ascii_uppercase()));
        id.extend(word.chars().skip(1));
    }
    id
}

fn request_body(route: &Route, body: &Body) -> utoipa::openapi::request_body::RequestBody {
    let content = || ContentBuilder::new().schema(Some(reference(body.shape))).build();
    let required = if route.empty_body { Required::False } else { Required::True };
    let builder = RequestBodyBuilder::new().required(Some(required));
    body.kinds.iter().fold(builder, |builder, kind| builder.content(*kind, content())).build()
}

/// A type with a shape of its own stands among the components once and is referred to by name;
/// lists, maps and plain values stand where they are used.
fn reference(shape: Shape) -> RefOr<Schema> {
    let schema = (shape.schema)();
    let plain = match &schema {
        RefOr::Ref(_) | RefOr::T(Schema::Array(_)) => true,
        RefOr::T(Schema::Object(object)) => {
            object.properties.is_empty() && object.enum_values.is_none()
        }
        RefOr::T(_) => false,
    };
    if plain { schema } else { RefOr::Ref(Ref::from_schema_name((shape.name)())) }
}

fn components(routes: &[Route]) -> Components {
    let bearer = |about: &str| {
        let mut scheme = Http::new(HttpAuthScheme::Bearer);
        scheme.description = Some(about.to_owned());
        SecurityScheme::Http(scheme)
    };
    let mut builder = ComponentsBuilder::new()
        .security_scheme(SELLER_KEY, bearer("The secret key of a seller account."))
        .security_scheme(OPERATOR_TOKEN, bearer("The operator's token, from the settings."))
        .schema(answers::ERROR, answers::error_schema());
    for shape in routes.iter().flat_map(|route| route.document.shapes()) {
        let mut schemas = Vec::new();
        (shape.others)(&mut schemas);
        if let RefOr::Ref(_) = reference(shape) {
            schemas.push(((shape.name)(), (shape.schema)()));
        }
        builder = builder.schemas_from_iter(schemas);
    }
    builder.build()
}

#[cfg(test)]
mod tests;
