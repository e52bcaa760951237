//! The API document (OpenAPI 3.1), made of the declarations that the router serves.

mod answers;
mod parameters;

use bytes::Bytes;
use utoipa::openapi::path::{HttpMethod, Operation, OperationBuilder, PathItem};
use utoipa::openapi::request_body::RequestBodyBuilder;
use utoipa::openapi::security::{
    ApiKey, ApiKeyValue, Http, HttpAuthScheme, SecurityRequirement, SecurityScheme,
};
use utoipa::openapi::{
    Components, ComponentsBuilder, ContentBuilder, InfoBuilder, LicenseBuilder, OpenApi,
    OpenApiBuilder, PathsBuilder, Ref, RefOr, Required, Schema,
};

use super::route::Route;
use super::route::document::{Body, Shape};
use super::state::State;

pub(crate) struct About {
    pub(crate) title: &'static str,
    /// In Markdown.
    pub(crate) description: &'static str,
    /// How callers say who they are, by name.
    pub(crate) schemes: &'static [(&'static str, Scheme)],
}

/// With what a caller says who it is, and whose that is.
pub(crate) enum Scheme {
    Bearer(&'static str),
    /// The cookie of this name.
    Cookie(&'static str, &'static str),
}

impl Scheme {
    fn document(&self) -> SecurityScheme {
        match *self {
            Self::Bearer(about) => {
                let mut scheme = Http::new(HttpAuthScheme::Bearer);
                scheme.description = Some(about.to_owned());
                SecurityScheme::Http(scheme)
            }
            Self::Cookie(name, about) => {
                let value = ApiKeyValue::with_description(name, about);
                SecurityScheme::ApiKey(ApiKey::Cookie(value))
            }
        }
    }
}

pub(crate) fn render<S: State>(routes: &[Route<S>], about: &About) -> Bytes {
    serde_json::to_vec(&document(routes, about)).expect("a document of texts and numbers").into()
}

fn document<S: State>(routes: &[Route<S>], about: &About) -> OpenApi {
    let mut paths = PathsBuilder::new();
    for route in routes {
        let item = PathItem::new(method(route), operation(route));
        paths = paths.path(route.path, item);
    }
    let licence = LicenseBuilder::new().name("Apache-2.0").identifier(Some("Apache-2.0")).build();
    let info = InfoBuilder::new()
        .title(about.title)
        .version(env!("CARGO_PKG_VERSION"))
        .description(Some(about.description))
        .license(Some(licence));
    OpenApiBuilder::new()
        .info(info)
        .paths(paths)
        .components(Some(components(routes, about)))
        .build()
}

fn method<S: State>(route: &Route<S>) -> HttpMethod {
    match route.method.as_str() {
        "POST" => HttpMethod::Post,
        "PUT" => HttpMethod::Put,
        "PATCH" => HttpMethod::Patch,
        "DELETE" => HttpMethod::Delete,
        _ => HttpMethod::Get,
    }
}

fn operation<S: State>(route: &Route<S>) -> Operation {
    let document = &route.document;
    let mut operation = OperationBuilder::new()
        .operation_id(Some(operation_id(route)))
        .summary(Some(document.summary))
        .description(document.description)
        .tag(document.tag)
        .request_body(document.body.as_ref().map(|body| request_body(route, body)))
        .responses(answers::of(document));
    for parameter in document.asks.iter().map(parameters::of) {
        operation = operation.parameter(parameter);
    }
    let none: [&str; 0] = [];
    match document.security {
        None => operation,
        Some(scheme) => operation.security(SecurityRequirement::new(scheme, none)),
    }
    .build()
}

/// `GET /a/{b}/c` is `getAByBC`: stable as long as the path is.
fn operation_id<S: State>(route: &Route<S>) -> String {
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

fn request_body<S: State>(
    route: &Route<S>,
    body: &Body,
) -> utoipa::openapi::request_body::RequestBody {
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

fn components<S: State>(routes: &[Route<S>], about: &About) -> Components {
    let mut builder = ComponentsBuilder::new().schema(answers::ERROR, answers::error_schema());
    for (name, scheme) in about.schemes {
        builder = builder.security_scheme(*name, scheme.document());
    }
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
